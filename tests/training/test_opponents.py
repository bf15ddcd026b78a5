import json
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from scipy.stats import chisquare

from emberdeck.envs.vector import VectorGame
from emberdeck.policies.policy import Decisions
from emberdeck.training.opponents import LEARNER, Lineups, priorities

from .selfplay_helpers import GAME, make_checkpoint, make_policy


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return [make_checkpoint(folder / f"step_{i}", make_policy((8,)), (8,)) for i in range(6)]


def decisions(count: int) -> Decisions:
    """`count` times the same decision, with many legal actions."""
    vector = VectorGame(GAME, 1, 2, seed=1)
    assert vector.mask.sum() > 2
    return Decisions.of(vector, np.zeros(count, np.int64))


@pytest.mark.parametrize(
    ("prioritisation", "weights"),
    [
        (1.0, [1.0, 0.75, 0.5, 0.25, 0.1]),  # 1 - x
        (2.0, [1.0, 0.5625, 0.25, 0.1, 0.1]),  # (1 - x)^2
        (0.0, [1.0, 1.0, 1.0, 1.0, 1.0]),
        ("even", [0.1, 0.1875, 0.25, 0.1875, 0.1]),  # x (1 - x)
    ],
)
def test_o31__priorities(prioritisation: float, weights: list[float]) -> None:
    beaten = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    expected = np.array(weights) / sum(weights)
    np.testing.assert_allclose(priorities(beaten, prioritisation, floor=0.1), expected)


def test_o30__draws_match_the_weights(checkpoints: list[Path]) -> None:
    weights = {
        "self": 0.3,
        "latest": 0.2,
        "pool": 0.25,
        "random": 0.1,
        "heuristic": 0.05,
        str(checkpoints[5]): 0.1,
    }
    lineups = Lineups(GAME, 4, weights, seed=11)
    for folder in checkpoints[:4]:
        lineups.add_checkpoint(folder, [])
    for number, (own, learner) in zip(lineups.pool, [(3, 1), (1, 3), (1, 1), (0, 1)], strict=True):
        opponent = lineups.opponents[number]
        opponent.own_wins, opponent.learner_wins = own / 4, learner / 4
    share = priorities(np.array([0.25, 0.75, 0.5, 1.0]), 2.0)
    expected = {0: 0.3, **dict(zip(lineups.pool, 0.25 * share, strict=True))}
    expected[lineups.pool[-1]] += 0.2
    for number, opponent in lineups.opponents.items():
        expected.setdefault(number, weights.get(opponent.name, 0))
    holders = lineups.draw(2000).max(axis=1)
    numbers = sorted(expected)
    seen = [np.count_nonzero(holders == number) for number in numbers]
    assert sum(seen) == 2000
    assert chisquare(seen, [2000 * expected[number] for number in numbers]).pvalue > 0.01


@pytest.mark.parametrize("players", [2, 3, 5])
def test_draw__one_opponent_in_random_seats(players: int) -> None:
    lineup = Lineups(GAME, players, {"random": 1}, seed=5).draw(2000)
    assert set(np.unique(lineup)) == {LEARNER, 1}
    held = np.bincount((lineup != LEARNER).sum(axis=1))
    assert held[0] == 0
    assert len(held) == players  # 1 to P-1 seats, equally often
    assert players == 2 or chisquare(held[1:]).pvalue > 0.01
    seats = (lineup != LEARNER).sum(axis=0)
    assert chisquare(seats).pvalue > 0.01


def test_draw__checkpoints_fall_back_to_self_play(checkpoints: list[Path]) -> None:
    lineups = Lineups(GAME, 2, {"latest": 1, "pool": 1, "self": 0})
    assert (lineups.draw(100) == LEARNER).all()
    lineups.add_checkpoint(checkpoints[0], [])
    assert (lineups.draw(100).max(axis=1) == lineups.pool[0]).all()


def test_draw__is_seeded() -> None:
    draws = [Lineups(GAME, 3, {"self": 1, "random": 1}, seed=s).draw(50) for s in (4, 4, 5)]
    assert (draws[0] == draws[1]).all()
    assert (draws[0] != draws[2]).any()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"self": 0}, "weights"),
        ({}, "weights"),
        ({"self": 1, "random": -1}, "weights"),
        ({"self": float("nan")}, "weights"),
        ({"nobody": 1}, "nobody"),
    ],
)
def test_lineups__refuses(weights: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Lineups(GAME, 2, weights)


def test_pool__the_lowest_priority_leaves(checkpoints: list[Path]) -> None:
    lineups = Lineups(GAME, 2, {"pool": 1, "random": 1}, pool_size=2)
    lineups.add_checkpoint(checkpoints[0], [])
    lineups.add_checkpoint(checkpoints[1], [])
    first, second = lineups.pool
    for _ in range(30):
        lineups.opponents[second].record(learner_wins=1, own_wins=0)
    lineups.add_checkpoint(checkpoints[2], seated=[LEARNER, second])
    assert lineups.pool == [first, second + 1]
    assert lineups.label(second) == "pool"
    assert lineups.label(second + 1) == "latest"
    assert second in lineups.opponents  # it still sits somewhere
    assert lineups.checkpoints() == [str(folder) for folder in checkpoints[:3]]
    lineups.add_checkpoint(checkpoints[3], seated=[])
    assert second not in lineups.opponents
    assert set(lineups.opponents) == {1, *lineups.pool}
    assert lineups.pool[-1] == second + 2  # the newest never leaves


def test_opponent__running_means() -> None:
    opponent = Lineups(GAME, 4, {"random": 1}).opponents[1]
    assert opponent.beaten == 0.5
    opponent.record(learner_wins=1.0, own_wins=0.0)
    assert opponent.games == 1
    assert opponent.learner_wins == pytest.approx(0.25 + 0.75 / 11)  # 10 games of prior
    assert opponent.own_wins == pytest.approx(0.25 - 0.25 / 11)
    for _ in range(5000):
        opponent.record(learner_wins=0.1, own_wins=0.3)
    assert opponent.beaten == pytest.approx(0.25, abs=1e-3)


def test_o29__mode_of_the_opponents(checkpoints: list[Path]) -> None:
    weights = {str(checkpoints[0]): 1.0}
    for mode, least, most in (("sample", 2, 200), (0.5, 2, 200), ("greedy", 1, 1)):
        lineups = Lineups(GAME, 2, weights, mode=mode)
        lineups.add_checkpoint(checkpoints[1], [])
        for opponent in lineups.opponents.values():
            assert least <= len(np.unique(opponent.policy.act(decisions(200)))) <= most


def test_snapshot__continues_with_the_same_draws_and_actions(
    checkpoints: list[Path], tmp_path: Path
) -> None:
    def lineups() -> Lineups:
        weights = {"self": 1, "pool": 2, "latest": 1, "random": 1}
        return Lineups(GAME, 3, weights, pool_size=2, seed=9)

    one, other = lineups(), lineups()
    for folder in checkpoints[:4]:
        one.add_checkpoint(folder, seated=[3])
        one.draw(10)
        for opponent in one.opponents.values():
            opponent.policy.act(decisions(3))
            opponent.record(0.2, 0.4)
    moved = tmp_path / "moved"
    moved.symlink_to(checkpoints[0].parent)
    other.restore(json.loads(json.dumps(one.snapshot())), moved)
    assert other.pool == one.pool
    assert (other.draw(200) == one.draw(200)).all()
    for number, opponent in one.opponents.items():
        restored = other.opponents[number]
        assert (restored.own_wins, restored.games) == (opponent.own_wins, opponent.games)
        assert restored.beaten == opponent.beaten
        assert (restored.policy.act(decisions(20)) == opponent.policy.act(decisions(20))).all()
    assert [Path(name).parent for name in other.checkpoints()] == 3 * [moved]
    one.add_checkpoint(checkpoints[4], [])
    other.add_checkpoint(checkpoints[4], [])
    assert other.pool == one.pool


def test_snapshot__of_other_opponents_is_refused() -> None:
    data = Lineups(GAME, 2, {"random": 1}).snapshot()
    with pytest.raises(ValueError, match="was random, not heuristic"):
        Lineups(GAME, 2, {"heuristic": 1}).restore(data)


def test_o40__cloudpickle(checkpoints: list[Path]) -> None:
    lineups = Lineups(GAME, 3, {"self": 1, "pool": 1, "random": 1, "heuristic": 1})
    lineups.add_checkpoint(checkpoints[0], [])
    copy = cloudpickle.loads(cloudpickle.dumps(lineups))
    assert (copy.draw(100) == lineups.draw(100)).all()
    assert (
        copy.opponents[3].policy.act(decisions(9)) == lineups.opponents[3].policy.act(decisions(9))
    ).all()
