from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import torch as th
from stable_baselines3.common.env_util import make_vec_env

from emberdeck.policies.policy import Decisions
from emberdeck.training.ppo import SelfPlayPPO

from ..policies.policy_helpers import standings
from .selfplay_helpers import MIXED, Hooks, Log, make_env, make_model


def columns(model: SelfPlayPPO, *names: str) -> list[np.ndarray]:
    """Columns of the window's samples."""
    buffer = model.rollout_buffer
    return [buffer.columns[name][buffer.samples] for name in names]


@pytest.mark.parametrize("weights", [{"self": 1.0}, MIXED])
def test_every_decision_is_a_sample_once(weights: dict[str, float]) -> None:
    env = make_env(players=3, num_games=6, weights=weights)
    model = make_model(env, n_steps=11, n_epochs=1)
    made: dict[tuple, list] = defaultdict(list)  # by game and seat, in order
    trained: dict[tuple, list] = defaultdict(list)
    windows = []
    advance = env.advance

    def spy(actions: np.ndarray) -> Any:
        for game in np.flatnonzero(env.learner):
            decision = env.vector.observation[game].tobytes(), actions[game]
            made[game, env.vector.seat[game]].append(decision)
        return advance(actions)

    def collect(_: Hooks) -> None:
        for game, seat, observation, action in zip(
            *columns(model, "game", "seat", "observation", "action"), strict=True
        ):
            trained[game, seat].append((observation.tobytes(), action))
        windows.append(len(model.rollout_buffer.samples))
        assert windows[-1] == model.rollout_buffer.num_closed

    env.advance = spy  # type: ignore[method-assign]
    hooks = Hooks(end=collect)
    model.learn(900, hooks)
    total = sum(map(len, made.values()))
    still_open = int((model.rollout_buffer.open_row >= 0).sum())
    assert model.num_timesteps == total
    assert hooks.steps == 11 * len(windows)
    assert sum(windows) + still_open == total
    assert still_open <= 6 * 3
    for key, decisions in made.items():
        waiting = model.rollout_buffer.open_row[key] >= 0
        assert trained[key] == decisions[: len(decisions) - waiting]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_returns__are_the_final_rewards(players: int) -> None:
    env = make_env(players=players, num_games=6, weights=MIXED)
    model = make_model(env, n_steps=400, gamma=1.0, gae_lambda=1.0, n_epochs=1)
    with th.no_grad():
        model.policy.value_net.weight.zero_()
    ends: dict[Any, list[tuple[int, np.ndarray]]] = defaultdict(list)  # by game
    advance, settle = env.advance, model.rollout_buffer.settle

    def spy(reward: np.ndarray, done: np.ndarray) -> None:
        for game in np.flatnonzero(done):
            ends[game].append((model.rollout_buffer.pos, reward[game].copy()))
        settle(reward, done)

    def check(_: Hooks) -> None:
        checked = 0
        samples = model.rollout_buffer.samples
        buffer_columns = model.rollout_buffer.columns
        for row, game, seat, value in zip(
            samples, *columns(model, "game", "seat"), model.rollout_buffer.returns, strict=True
        ):
            rewards = [reward for position, reward in ends[game] if position > row]
            if rewards:  # else the game is still running: its return is the bootstrap
                assert value == pytest.approx(rewards[0][seat])
                checked += 1
            else:
                bootstrap = model.rollout_buffer.open_row[game, seat]
                assert value == pytest.approx(buffer_columns["standing"][bootstrap])
        assert checked > 100

    model.rollout_buffer.settle = spy  # type: ignore[method-assign]
    assert env.advance == advance
    model.learn(1, Hooks(end=check))


def test_the_value_head_learns_what_is_added_to_the_standing() -> None:
    env = make_env(players=3, num_games=6)
    model = make_model(env, n_steps=120)
    buffer, decide = model.rollout_buffer, env.decide
    checked = []

    def spy(actions: np.ndarray) -> None:
        now = Decisions.of(env.vector, np.arange(6))
        rows = buffer.columns["standing"][buffer.pos - 6 : buffer.pos]
        assert rows == pytest.approx(standings(now))
        decide(actions)

    def check(_: Hooks) -> None:
        (standing,) = columns(model, "standing")
        (batch,) = buffer.get()
        targets = buffer.returns - standing
        assert np.sort(batch.returns.numpy()) == pytest.approx(np.sort(targets), abs=1e-6)
        checked.append(np.count_nonzero(standing))

    env.decide = spy  # type: ignore[method-assign]
    model.learn(700, Hooks(end=check))
    assert checked[0] > 100


def test_o9__ratio_is_one_for_the_windows_own_decisions() -> None:
    env = make_env(players=3, num_games=16, weights=MIXED)
    model = make_model(env, n_steps=40, n_epochs=1, batch_size=100_000, learning_rate=1e-2)
    log = Log(model)
    carried: dict[str, np.ndarray] = {}

    def before(hooks: Hooks) -> None:
        position = model.rollout_buffer.pos
        assert position == 0 or hooks.steps
        carried.update({n: c[:position].copy() for n, c in model.rollout_buffer.columns.items()})

    def check(_: Hooks) -> None:
        buffer = model.rollout_buffer
        first_own = len(carried["game"])
        for name in ("observation", "mask", "action", "value", "log_prob"):  # as they were played
            assert (buffer.columns[name][:first_own] == carried[name]).all()
        observation, mask, action, old = (
            th.from_numpy(column)
            for column in columns(model, "observation", "mask", "action", "log_prob")
        )
        with th.no_grad():
            _, log_prob, _ = model.policy.evaluate_actions(observation, action, action_masks=mask)
        log_ratio = log_prob - old
        own = th.from_numpy(buffer.samples >= first_own)
        assert own.sum() > 100
        ratio = log_ratio[own].exp()
        assert (ratio - 1).abs().max() < 1e-5
        assert ((ratio - 1) - log_ratio[own]).mean().abs() < 1e-6
        if first_own:
            assert 0 < log_ratio[~own].abs().max() < 1  # played before the last update

    model.learn(4000, Hooks(before, check))
    assert len(log.dumps) > 3
    assert log.dumps[1]["train/clip_fraction"] == 0  # the first window: nothing carried over
    assert log.dumps[1]["train/approx_kl"] < 1e-6


def test_logs__rewards_against_opponents_and_lengths_of_all_games() -> None:
    env = make_env(players=2, num_games=16, weights=MIXED)
    model = make_model(env, n_steps=150, stats_window_size=1000)
    log = Log(model)
    episodes, successes = [], []
    advance = env.advance

    def spy(actions: np.ndarray) -> Any:
        result = advance(actions)
        for info in (info for info in result[3] if info):
            episodes.append(info["episode"])
            successes.extend([info["is_success"]] if "is_success" in info else [])
        return result

    env.advance = spy  # type: ignore[method-assign]
    model.learn(3000)
    assert len(episodes) > len(successes) > 10
    last = log.dumps[-1]
    against = [episode["r"] for episode in episodes if episode["opponent"]]
    assert last["rollout/ep_rew_mean"] == pytest.approx(np.mean(against))
    assert last["rollout/ep_len_mean"] == pytest.approx(np.mean([e["l"] for e in episodes]))
    assert last["rollout/success_rate"] == pytest.approx(np.mean(successes))
    assert last["selfplay/pool_size"] == 0
    assert last["selfplay/opponent_mode"] == "sample"
    assert {"selfplay/win_share/random", "selfplay/win_share/heuristic"} <= last.keys()
    assert {"selfplay/game_length", "selfplay/score", "time/fps"} <= last.keys()
    assert {"time/engine", "time/inference"} <= log.dumps[0].keys()
    assert "time/update" in log.dumps[1]


def test_logs__pure_self_play() -> None:
    model = make_model(make_env(num_games=16), n_steps=150)
    log = Log(model)
    model.learn(1)
    assert log.dumps[0]["rollout/ep_rew_mean"] == pytest.approx(0)
    assert "rollout/success_rate" not in log.dumps[0]


def test_window__goes_on_until_there_are_two_samples() -> None:
    model = make_model(make_env(players=4, num_games=1, weights={"random": 1}), n_steps=1)
    sizes = []
    model.learn(30, Hooks(end=lambda _: sizes.append(len(model.rollout_buffer.samples))))
    assert len(sizes) > 3
    assert min(sizes) == 2
    assert all(th.isfinite(parameter).all() for parameter in model.policy.parameters())


def test_callback__may_stop_the_training_and_go_on() -> None:
    env = make_env(weights=MIXED)
    model = make_model(env, n_steps=30)
    hooks = Hooks()
    hooks.stop = True
    model.learn(1000, hooks)
    assert hooks.steps == 1
    assert model._n_updates == 0
    model.learn(500, reset_num_timesteps=False)
    assert model._n_updates > 0
    open_rows = model.rollout_buffer.open_row >= 0
    assert open_rows.any()
    model.learn(1)  # from the start: nothing of the old games is left
    assert model.num_timesteps < 500


def test_model__needs_our_environment() -> None:
    with pytest.raises(ValueError, match="SelfPlayVecEnv"):
        SelfPlayPPO("MlpPolicy", make_vec_env("CartPole-v1"))
