"""The native Gymnasium vector environment of one learner's seat."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from emberdeck.envs import GAMES, Game, IllegalAction, State
from emberdeck.envs.compiled import records
from emberdeck.envs.game import REWARDS
from emberdeck.policies.policy import Batch
from emberdeck.policies.scripted import RandomPolicy
from emberdeck.policies.seat_env import SeatVectorEnv

from ..contract_helpers import games
from .policy_helpers import GAME_NAMES, write_checkpoint


class Lowest(RandomPolicy):
    """Takes the legal action with the lowest id."""

    def act(self, batch: Batch) -> np.ndarray:
        return batch.mask.argmax(1)


def make(game: str, num_envs: int = 6, **settings) -> SeatVectorEnv:
    env = gymnasium.make_vec(f"emberdeck/{game}-v0", num_envs=num_envs, **settings)
    assert isinstance(env, SeatVectorEnv)
    return env


def pick(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(mask.shape) * mask).argmax(1)


def states_of(env: SeatVectorEnv, game: Game) -> list[State]:
    """Copies of the games as they are."""
    return [State(game, records(array.copy())) for array in env._games.states.reshape(-1, 1)]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_follows_gymnasiums_conventions(game):
    env = make(game)
    size, actions = GAMES[game].observation_size, GAMES[game].num_actions
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.spec is not None
    assert env.num_envs == 6
    assert env.single_observation_space == spaces.Box(-1, 1, (size,), np.float32)
    assert env.single_action_space == spaces.Discrete(actions)
    assert env.observation_space == spaces.Box(-1, 1, (6, size), np.float32)
    assert env.action_space == spaces.MultiDiscrete([actions] * 6)
    observation, infos = env.reset(seed=1)
    assert observation in env.observation_space
    assert infos.keys() == {"action_mask", "_action_mask", "seat", "_seat"}
    observation, reward, terminated, truncated, infos = env.step(infos["action_mask"].argmax(1))
    assert observation in env.observation_space
    assert (reward.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
    assert reward.shape == terminated.shape == truncated.shape == (6,)
    env.close()
    env.close()


@pytest.mark.parametrize(
    ("game", "players"), [(game.name, p) for game in GAMES.values() for p in game.players]
)
def test_plays_what_single_games_play_one_by_one(game, players):
    """Against opponents that draw nothing, every game is replayed on its own."""
    reward = REWARDS[players % len(REWARDS)]
    env = make(game, players=players, opponents=Lowest(), reward=reward)
    _, infos = env.reset(seed=players)
    states, seats = states_of(env, GAMES[game]), infos["seat"]
    rng, steps, finished = np.random.default_rng(0), 0, 0
    while steps < games(45, 400) or finished < 6:
        steps += 1
        actions = pick(env.action_masks(), rng)
        observation, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        now = states_of(env, GAMES[game])
        for row, state in enumerate(states):
            seat = int(seats[row])
            state.apply(actions[row])
            while state.to_act not in (None, seat):
                state.apply(state.legal_actions()[0])
            assert terminated[row] == state.over
            assert rewards[row] == state.rewards(reward)[seat]
            if state.over:
                finished += 1
                assert np.array_equal(infos["final_obs"][row], state.observation(seat))
                final = infos["final_info"]
                assert final["scores"][row] == state.scores()
                assert final["winners"][row] == state.winners()
                assert final["is_success"][row] == (seat in state.winners())
                assert not final["action_mask"][row].any()
                assert final["seat"][row] == seat
                states[row] = now[row]  # the new game
            assert now[row] == states[row]
            seat = int(infos["seat"][row])
            assert states[row].to_act == seat
            assert np.array_equal(observation[row], states[row].observation(seat))
            assert np.array_equal(infos["action_mask"][row], states[row].mask())
        assert np.array_equal(infos.get("_final_obs", np.zeros(6, bool)), terminated)
        assert np.array_equal(infos.get("_final_info", np.zeros(6, bool)), terminated)
        assert np.array_equal(env.action_masks(), infos["action_mask"])
        seats = infos["seat"]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_seed_fixes_everything(game, tmp_path):
    bot = str(write_checkpoint(tmp_path / "bot", GAMES[game]))
    env = make(game, 2, players=4, opponents=["random", bot, "random"])

    def trace(seed: int) -> list[bytes]:
        rng, arrays = np.random.default_rng(0), []
        for reset_seed in (seed, None):
            arrays.append(env.reset(seed=reset_seed)[0])
            arrays += [env.step(pick(env.action_masks(), rng))[0] for _ in range(40)]
        return [array.tobytes() for array in arrays]

    first = trace(0)
    assert trace(0) == first
    assert trace(1) != first


@pytest.mark.parametrize("game", GAME_NAMES)
def test_all_arrays_are_copies_to_keep(game):
    env = make(game, 2)
    rng = np.random.default_rng(0)
    results = [env.reset(seed=1)]
    while len(results) < 60 or "final_obs" not in results[-1][-1]:
        results.append(env.step(pick(env.action_masks(), rng)))
    seen: list[np.ndarray] = []
    for result in results:
        infos = result[-1]
        arrays = [*result[:-1], infos["action_mask"], infos["seat"], env.action_masks()]
        assert not any(np.shares_memory(a, b) for a in arrays for b in seen[-12:])
        seen += arrays
        for array in arrays:
            array[...] = 0  # the environment does not mind


@pytest.mark.parametrize("game", GAME_NAMES)
def test_one_illegal_action_raises_and_changes_no_game(game):
    env = make(game)
    _, infos = env.reset(seed=1)
    before = env._games.states.tobytes()
    legal = infos["action_mask"].argmax(1)
    for wrong in (int(infos["action_mask"][3].argmin()), -1, 10**6):
        actions = legal.copy()
        actions[3] = wrong
        with pytest.raises(IllegalAction, match=r"^game 3: action "):
            env.step(actions)
    for actions in (legal[:-1], legal.astype(float), None, legal[None]):
        with pytest.raises(IllegalAction, match="actions must be 6 ints, one a game"):
            env.step(actions)
    assert env._games.states.tobytes() == before


@pytest.mark.parametrize("game", GAME_NAMES)
def test_an_opponent_gets_all_its_decisions_in_one_call(game):
    class Counting(RandomPolicy):
        sizes: list[int] = []  # noqa: RUF012 (one list for the test)

        def act(self, batch):
            self.sizes.append(len(batch.seat))
            return super().act(batch)

    env = make(game, num_envs=200, opponents=Counting())
    env.reset(seed=0)
    assert max(Counting.sizes) > 75
    assert np.mean(Counting.sizes) > 20


@pytest.mark.parametrize("game", GAME_NAMES)
def test_record_episode_statistics_understands_the_autoreset(game):
    bare = make(game, seat=0, opponents=Lowest())
    env = RecordEpisodeStatistics(bare)
    env.reset(seed=0)
    rng, total = np.random.default_rng(0), np.zeros(6)
    for _ in range(80):
        _, reward, terminated, _, infos = env.step(pick(bare.action_masks(), rng))
        total += reward
        if terminated.any():
            episode = infos["final_info"]["episode"] if "episode" not in infos else infos["episode"]
            assert np.array_equal(episode["r"][terminated], reward[terminated])
            return
    pytest.fail("no game ended")


@pytest.mark.parametrize("game", GAME_NAMES)
def test_renders_every_game(game):
    env = make(game, num_envs=2, seat=0, render_mode="ansi")
    env.reset(seed=0)
    views = [state.view(0) for state in states_of(env, GAMES[game])]
    assert env.render() == tuple(GAMES[game].drawing.text(view) for view in views)
    env = make(game, num_envs=1, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render()[0].shape[2] == 3


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_play_on_alike(game, duplicate):
    env = make(game, 2)
    env.reset(seed=0)
    env.step(env.action_masks().argmax(1))
    twin = duplicate(env)
    for _ in range(60):
        one, two = (e.step(e.action_masks().argmax(1))[0] for e in (env, twin))
        assert np.array_equal(one, two)
