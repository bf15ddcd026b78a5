"""Imitation: at first a teacher decides for the learner, which learns its moves."""

import numpy as np
import pytest
import torch as th

from emberdeck.policies.policy import Decisions, load
from emberdeck.policies.scripted import HeuristicPolicy

from .selfplay_helpers import GAME, Hooks, make_env, make_model


def agreement(model) -> float:
    """Return how often the network's likeliest action is the scripted player's."""
    env = make_env(players=2, num_games=64)
    teacher, equal = HeuristicPolicy(), []
    for _ in range(40):
        moves = teacher.act(Decisions.of(env.vector, np.arange(64)))
        observation, mask = env.vector.observation, env.vector.mask.astype(np.bool_)
        with th.no_grad():
            actions, _, _ = model.policy(th.from_numpy(observation.copy()), True, mask)
        equal.append((actions.numpy() == moves).mean())
        env.vector.step(moves)
    return float(np.mean(equal))


@pytest.mark.parametrize("name", ["heuristic", "search:3"])
def test_the_windows_actions_are_the_teachers_and_then_the_learners(name: str) -> None:
    env = make_env(players=3, num_games=6)
    model = make_model(env, imitation=200, teacher=load(name, GAME, seed=2))
    teacher, imitated = load(name, GAME, seed=2), []
    decide = env.decide

    def spy(actions: np.ndarray) -> None:
        moves = teacher.act(Decisions.of(env.vector, np.arange(6)))
        imitated.append((model.num_timesteps, bool((actions == moves).all())))
        decide(actions)

    env.decide = spy  # type: ignore[method-assign]
    model.learn(600)
    window = 6 * 12  # decisions between two updates: a window is imitated as a whole or not at all
    assert all(equal for step, equal in imitated if step < 200 // window * window + window)
    assert not all(equal for step, equal in imitated if step >= 200 // window * window + window)


def test_the_network_learns_the_scripted_players_moves() -> None:
    model = make_model(make_env(players=2, num_games=64), imitation=10**9, learning_rate=3e-3)
    before = agreement(model)
    model.learn(64 * 12 * 40)
    assert agreement(model) > before + 0.25


def test_the_value_head_learns_what_the_moves_bring() -> None:
    model = make_model(make_env(players=2, num_games=64), imitation=10**9, learning_rate=3e-3)
    windows: list[np.ndarray] = []

    def note(_: Hooks) -> None:
        buffer = model.rollout_buffer
        windows.append(np.stack([buffer.returns, buffer.returns - buffer.values]))

    model.learn(64 * 12 * 60, Hooks(end=note))
    returns, errors = np.concatenate(windows[-30:], axis=1)
    assert np.var(errors) < 0.7 * np.var(returns)


@pytest.mark.parametrize("imitation", [0, 300])
def test_an_imitating_run_is_repeatable(imitation: int) -> None:
    weights = []
    for _ in range(2):
        model = make_model(make_env(players=2), imitation=imitation)
        model.learn(500)
        weights.append([p.detach().numpy().copy() for p in model.policy.parameters()])
    assert all(np.array_equal(a, b) for a, b in zip(*weights, strict=True))
