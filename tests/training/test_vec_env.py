from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from emberdeck.envs import GAMES, IllegalAction
from emberdeck.envs.vector import VectorGame
from emberdeck.policies.policy import Decisions
from emberdeck.training.opponents import LEARNER, Lineups
from emberdeck.training.vec_env import SelfPlayVecEnv

from .selfplay_helpers import GAME, MIXED, make_checkpoint, make_env, make_policy


def play(env: SelfPlayVecEnv, steps: int, seed: int = 0) -> Iterator[tuple]:
    """Random legal actions through the public interface; yields what `step` returns."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        mask = get_action_masks(env)
        yield env.step((rng.random(mask.shape) * mask).argmax(axis=1))


def test_env__is_a_vec_env() -> None:
    env = make_env(players=3, num_games=4, weights=MIXED)
    observation = env.reset()
    assert env.num_envs == 4
    assert observation.shape == (4, GAMES[GAME].observation_size)
    assert observation.dtype == env.observation_space.dtype == np.float32
    assert all(env.observation_space.contains(row) for row in observation)
    assert env.action_space.n == GAMES[GAME].num_actions
    assert is_masking_supported(env)
    assert (get_action_masks(env) == env.vector.mask).all()
    assert [mask.shape for mask in env.env_method("action_masks", indices=[1, 3])] == 2 * [(139,)]
    assert env.get_attr("render_mode") == 4 * [None]
    assert env.get_attr("lineups", indices=2) == [env.lineups]
    env.set_attr("nickname", "table")
    assert env.get_attr("nickname") == 4 * ["table"]
    assert env.env_is_wrapped(VecMonitor) == 4 * [False]
    with pytest.raises(AttributeError, match="action_masks"):
        env.env_method("walk")
    env.close()


def test_step__returns_arrays_of_its_own() -> None:
    env = make_env(num_games=3)
    first = env.reset()
    before = first.copy()
    old = None
    for observation, rewards, dones, infos in play(env, 30):
        assert (first == before).all()
        assert old is None or (old[0] == old[1]).all()
        old = observation, observation.copy()
        assert rewards.shape == dones.shape == (3,)
        assert (rewards.dtype, dones.dtype) == (np.float32, np.bool_)
        assert [("episode" in info) for info in infos] == dones.tolist()


def test_step__refuses_an_illegal_action_of_the_learner() -> None:
    env = make_env(num_games=3)
    env.reset()
    illegal = env.vector.mask.argmin(axis=1)
    with pytest.raises(IllegalAction):
        env.step(illegal)


def test_seed__gives_the_same_games() -> None:
    def trace(env: SelfPlayVecEnv) -> list[np.ndarray]:
        return [observation for observation, *_ in play(env, 40)]

    envs = [make_env(players=3, weights=MIXED) for _ in range(2)]
    assert (envs[0].reset() == envs[1].reset()).all()
    for one, other in zip(*map(trace, envs), strict=True):
        assert (one == other).all()
    fresh = envs[0].reset()  # without a seed: other games
    envs[0].seed(12)
    again = envs[0].reset()
    envs[1].seed(12)
    assert (again == envs[1].reset()).all()
    assert (again == VectorGame(GAME, 8, 3, seed=range(12, 20)).observation).all()
    assert (fresh != again).any()


def test_opponents__decide_in_one_batch_each(tmp_path: Path) -> None:
    env = make_env(players=4, num_games=32, weights={**MIXED, "latest": 1, "pool": 1})
    for i in range(3):
        env.add_checkpoint(make_checkpoint(tmp_path / f"step_{i}", make_policy((8,)), (8,)))
    env.reset()
    asked: list[tuple[int, Decisions, np.ndarray]] = []
    for number, opponent in env.lineups.opponents.items():

        def act(batch: Decisions, number: int = number, plain=opponent.policy.act) -> np.ndarray:
            actions = plain(batch)
            asked.append((number, batch, actions))
            return actions

        opponent.policy.act = act  # type: ignore[method-assign]
    applied: list[np.ndarray] = []
    step = env.vector.step
    env.vector.step = lambda actions: (applied.append(actions.copy()), step(actions))  # type: ignore[assignment, return-value]
    rng = np.random.default_rng(0)
    for _ in range(150):
        asked.clear()
        holder = env.lineup[np.arange(32), env.vector.seat]
        assert (env.learner == (holder == LEARNER)).all()
        observation = env.vector.observation.copy()
        mine = (rng.random(env.vector.mask.shape) * env.vector.mask).argmax(axis=1)
        lineup = env.lineup.copy()
        _, _, dones, _ = env.step(np.where(env.learner, mine, -1))
        assert (applied[-1][holder == LEARNER] == mine[holder == LEARNER]).all()
        assert [number for number, *_ in asked] == sorted(set(holder) - {LEARNER})
        for number, batch, actions in asked:
            rows = holder == number
            assert (batch.observation == observation[rows]).all()
            assert (applied[-1][rows] == actions).all()
        assert (env.lineup[~dones] == lineup[~dones]).all()  # fixed for the length of a game


@pytest.mark.parametrize(("players", "reward"), [(2, "win"), (4, "win"), (3, "rank")])
def test_results__of_finished_games(players: int, reward: str) -> None:
    lineups = Lineups(GAME, players, MIXED, seed=3)
    env = SelfPlayVecEnv(GAME, 8, players, None, reward, 5, lineups)
    env.reset()
    shares: dict[str, list[float]] = {}
    lengths, scores, counts = [], [], np.zeros(8, np.int64)
    for _ in range(players * 60):
        lineup = env.lineup.copy()
        *_, dones, infos = next(play(env, 1, seed=int(counts.sum())))
        counts += 1
        for game in np.flatnonzero(dones):
            rewards = env.vector.reward[game]
            learner = lineup[game] == LEARNER
            episode = infos[game]["episode"]
            assert episode["r"] == pytest.approx(rewards[learner].mean())
            assert episode["l"] == counts[game]
            wins = (rewards == rewards.max()) / np.sum(rewards == rewards.max())
            lengths.append(counts[game])
            scores.append(env.vector.final_scores[game][learner].mean())
            if learner.all():
                assert episode["opponent"] is None
                assert "is_success" not in infos[game]
                assert rewards.sum() == pytest.approx(0)
            else:
                name = lineups.opponents[lineup[game].max()].name
                assert episode["opponent"] == name
                assert infos[game]["is_success"] == pytest.approx(wins[learner].mean())
                shares.setdefault(name, []).append(wins[learner].mean())
            counts[game] = 0
    statistics = env.statistics()
    assert set(shares) == {"random", "heuristic"}
    assert set(statistics) == {"game_length", "score", *(f"win_share/{name}" for name in shares)}
    assert statistics["game_length"] == pytest.approx(np.mean(lengths))
    assert statistics["score"] == pytest.approx(np.mean(scores))
    for opponent in lineups.opponents.values():
        assert statistics[f"win_share/{opponent.name}"] == pytest.approx(
            np.mean(shares[opponent.name])
        )
        assert opponent.games == len(shares[opponent.name])
    assert env.statistics() == {}


def test_env__line_ups_must_fit() -> None:
    with pytest.raises(ValueError, match="3 of 2 seats"):
        SelfPlayVecEnv(GAME, 4, 2, None, "win", 0, Lineups(GAME, 3, {"self": 1}))


def test_snapshot__continues_the_games() -> None:
    one, other = (make_env(players=3, weights=MIXED) for _ in range(2))
    one.reset()
    for _ in play(one, 50):
        pass
    other.restore(*one.snapshot())
    assert (one.vector.observation == other.vector.observation).all()
    for mine, theirs in zip(play(one, 60), play(other, 60), strict=True):
        assert (mine[0] == theirs[0]).all()
        assert (one.lineup == other.lineup).all()
        assert mine[3] == theirs[3]
    assert (one.reset() == other.reset()).all()


def test_o40__cloudpickle(tmp_path: Path) -> None:
    env = make_env(players=3, weights={**MIXED, "latest": 1})
    env.add_checkpoint(make_checkpoint(tmp_path / "step_0", make_policy((8,)), (8,)))
    env.reset()
    for _ in play(env, 10):
        pass
    copy = cloudpickle.loads(cloudpickle.dumps(env))
    for mine, theirs in zip(play(env, 30), play(copy, 30), strict=True):
        assert (mine[0] == theirs[0]).all()
    factory = cloudpickle.loads(cloudpickle.dumps(lambda: make_env(players=3, weights=MIXED)))
    assert (factory().reset() == make_env(players=3, weights=MIXED).reset()).all()


def test_env__other_algorithms_run_on_it() -> None:
    env = make_env(players=2, num_games=4)
    MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, device="cpu").learn(64)
