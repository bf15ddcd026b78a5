"""The Gymnasium environment of one learner's seat."""

import pickle
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from emberdeck.envs import GAMES, IllegalAction
from emberdeck.envs.game import REWARDS
from emberdeck.policies.policy import Decisions
from emberdeck.policies.scripted import HeuristicPolicy, RandomPolicy
from emberdeck.policies.seat_env import SeatEnv

from ..contract_helpers import games
from .policy_helpers import EVERY_SEAT, GAME_NAMES, write_checkpoint


class Spy(RandomPolicy):
    """A random opponent that remembers that it moved, and checks what it is asked."""

    moved = False

    def act(self, batch: Decisions) -> np.ndarray:
        self.moved = True
        assert batch.mask.any(1).all()
        return super().act(batch)


class LegalSeatEnv(SeatEnv):
    """Takes any action id as one of the legal ones: Gymnasium's checker knows no masks."""

    def step(self, action):
        legal = np.flatnonzero(self.action_masks())
        return super().step(legal[action % len(legal)])


def any_action(env: SeatEnv, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def episode(env: SeatEnv, rng: np.random.Generator, seed: int | None = None) -> Iterator[tuple]:
    """Play at random, and yield what reset and every step return."""
    yield env.reset(seed=seed)
    terminated = False
    while not terminated:
        result = env.step(any_action(env, rng))
        terminated = result[2]
        yield result


@pytest.mark.parametrize("game", GAME_NAMES)
def test_gymnasiums_checker_passes(game):
    def make(**settings) -> SeatEnv:
        return LegalSeatEnv(game, **settings)

    gymnasium.register("legal-v0", make, disable_env_checker=True)
    try:
        check_env(gymnasium.make("legal-v0").unwrapped)
    finally:
        del gymnasium.registry["legal-v0"]


@pytest.mark.parametrize(("game", "players", "seat"), EVERY_SEAT)
def test_the_rewards_are_the_seats_outcome_whoever_moves_last(game, players, seat):
    spy = Spy()
    rng = np.random.default_rng(seat)
    last_movers = set()
    for seed, reward in enumerate(REWARDS * games(1, 100)):
        env = SeatEnv(game, players=players, seat=seat, opponents=spy, reward=reward)
        env.reset(seed=seed)
        total, terminated = 0.0, False
        while not terminated:
            spy.moved = False
            _, got, terminated, truncated, info = env.step(any_action(env, rng))
            assert not truncated
            assert terminated or got == 0
            total += got
        assert total == env.state.rewards(reward)[seat]
        assert info["scores"] == env.state.scores()
        assert info["winners"] == env.state.winners()
        assert info["is_success"] == (seat in env.state.winners())
        last_movers.add(spy.moved)
    assert True in last_movers  # somebody else took the last decision of some game


@pytest.mark.parametrize(("game", "players", "seat"), EVERY_SEAT)
def test_o11_the_mask_belongs_to_the_learners_own_next_decision(game, players, seat):
    env = SeatEnv(game, players=players, seat=seat)
    rng = np.random.default_rng(seat)
    for _ in range(games(1, 50)):
        for observation, *_, info in episode(env, rng):
            over = env.state.over
            assert env.state.to_act == (None if over else seat)
            legal = [] if over else env.state.legal_actions()
            for mask in (env.action_masks(), info["action_mask"]):
                assert mask.dtype == np.int8
                assert np.flatnonzero(mask).tolist() == legal
            assert observation in env.observation_space
            assert np.array_equal(observation, env.state.observation(seat))
            assert info["seat"] == seat


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_seed_fixes_seats_deals_and_opponents_also_of_later_games(game, tmp_path):
    bot = str(write_checkpoint(tmp_path / "bot", GAMES[game]))
    opponents = ["random", "heuristic", bot, "random", "random"]
    players = max(GAMES[game].players)
    env = SeatEnv(game, players=players, opponents=opponents[: players - 1])

    def trace(seed: int) -> list:
        rng = np.random.default_rng(0)
        steps = [step for s in (seed, None) for step in episode(env, rng, s)]
        return [(step[0].tobytes(), step[-1]["seat"]) for step in steps]

    first = trace(0)  # 0 is a seed
    assert trace(0) == first
    assert trace(1) != first


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_seat_is_drawn_for_each_game(game):
    env = SeatEnv(game)
    env.reset(seed=0)
    counts = np.zeros(GAMES[game].default_players)
    for _ in range(games(100, 4000)):
        counts[env.reset()[1]["seat"]] += 1
    expected = counts.mean()
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_opponents_of_a_list_sit_in_the_seats_that_follow(game):
    players = max(GAMES[game].players)

    class Here(Spy):
        def act(self, batch: Decisions) -> np.ndarray:
            self.seats = {*getattr(self, "seats", ()), *batch.seat.tolist()}
            return super().act(batch)

    for seat in range(players):
        spies = [Here() for _ in range(players - 1)]
        env = SeatEnv(game, players=players, seat=seat, opponents=spies)
        list(episode(env, np.random.default_rng(0), seed=1))
        assert [spy.seats for spy in spies] == [{(seat + n) % players} for n in range(1, players)]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_an_illegal_action_raises_and_changes_nothing(game):
    env = SeatEnv(game)
    env.reset(seed=1)
    before = env.state.array.tobytes()
    illegal = int(np.flatnonzero(env.action_masks() == 0)[0])
    for action in (illegal, -1, 10**6, 1.0, None):
        with pytest.raises(IllegalAction):
            env.step(action)
        assert env.state.array.tobytes() == before


@pytest.mark.parametrize("game", GAME_NAMES)
def test_renders_the_seats_view_and_after_the_end_the_spectators(game, capsys, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    made = {
        mode: gymnasium.make(f"emberdeck/{game}-v0", seat=1, render_mode=mode)
        for mode in ("ansi", "rgb_array", "human")
    }
    env: SeatEnv = made["ansi"].unwrapped  # type: ignore
    drawing = GAMES[game].drawing
    for one in made.values():
        one.reset(seed=1)
    assert made["ansi"].render() == drawing.text(env.state.view(1))
    assert capsys.readouterr().out == drawing.text(env.state.view(1)) + "\n"
    pixels: np.ndarray = made["rgb_array"].render()  # type: ignore
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 3
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 10
    list(episode(env, np.random.default_rng(0)))
    assert env.render() == drawing.text(env.state.spectator_view())
    for one in made.values():
        one.close()
        one.close()


def test_render_without_a_mode_warns():
    env = SeatEnv(GAME_NAMES[0])
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="needs a render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("game", GAME_NAMES)
def test_pickles_in_the_middle_of_a_game(game):
    env = SeatEnv(game, opponents=["random", HeuristicPolicy(), "random"], players=4)
    env.reset(seed=1)
    env.step(any_action(env, np.random.default_rng(0)))
    twin = pickle.loads(pickle.dumps(env))
    traces = [
        [result[0].tobytes() for result in episode(one, np.random.default_rng(1))]
        for one in (env, twin)
    ]
    assert traces[0] == traces[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"players": 99}, r"players must be one of 2, 3, 4, 5, not 99"),
        ({"seat": 4}, r"seat must be random or 0 to 3, not 4"),
        ({"seat": -1}, r"seat must be random or 0 to 3, not -1"),
        ({"seat": True}, r"seat must be random or 0 to 3, not True"),
        ({"seat": "first"}, r"seat must be random or 0 to 3, not 'first'"),
        ({"reward": "money"}, r"reward must be one of win, rank, score, not 'money'"),
        ({"render_mode": "3d"}, r"render_mode must be None or one of ansi, .*, not '3d'"),
        ({"opponents": ["random"]}, r"opponents must be one policy or 3, not 1"),
        ({"opponents": "strong"}, r"unknown policy 'strong': allowed are random, heuristic"),
        ({"opponent_mode": "best"}, r"mode must be sample, greedy or a temperature > 0"),
        ({"colour": 1}, r"pumafiosi has no option 'colour' \(options: items, games\)"),
        ({"games": 2}, r"pumafiosi: option games must be one of 3, 1, not 2"),
    ],
)
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_bad_settings_are_refused(make, settings, message):
    kwargs = {"render_mode": None} | settings
    if kwargs["render_mode"] and make is gymnasium.make:
        make = SeatEnv  # gymnasium.make warns of it first
    name = "pumafiosi" if make is SeatEnv else "emberdeck/pumafiosi-v0"
    with pytest.raises(ValueError, match=message):
        make(name, **kwargs)
