from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from emberdeck.training.buffer import OPEN, OVER, SelfPlayBuffer, sweep

OBSERVATION = spaces.Box(-np.inf, np.inf, (3,), np.float32)
ACTION = spaces.Discrete(4)


def make_buffer(steps: int = 8, games: int = 2, seats: int = 2, **arguments: Any) -> SelfPlayBuffer:
    sizes = {"n_envs": games, "seats": seats, "seed": 1}
    return SelfPlayBuffer(steps, OBSERVATION, ACTION, "cpu", **sizes, **arguments)


class Table:
    """Feeds a buffer by hand: `decide` is one seat's decision, `pay` what a step gave."""

    def __init__(self, buffer: SelfPlayBuffer) -> None:
        self.buffer = buffer
        self.games, self.seats = buffer.open_row.shape
        self.count = 0

    def decide(self, game: int, seat: int, value: float = 0.0) -> None:
        self.count += 1
        vector: Any = SimpleNamespace(
            seat=np.full(self.games, seat),
            observation=np.full((self.games, 3), self.count, np.float32),
            mask=np.ones((self.games, 4), np.int8),
        )
        rows = self.buffer.add(vector, np.array([game]))
        columns = self.buffer.columns
        columns["value"][rows], columns["log_prob"][rows] = value, -self.count
        columns["action"][rows] = self.count % 4

    def pay(self, game: int, *reward: float, over: bool = False) -> None:
        rewards = np.zeros((self.games, self.seats))
        rewards[game] = reward
        done = np.zeros(self.games, np.bool_)
        done[game] = over
        self.buffer.settle(rewards, done)


def test_sweep__plain_arithmetic() -> None:
    # rows 0, 2, 4: one seat, its game ends; rows 1, 3: another, still waiting after row 3
    reward = np.array([0.0, 1.0, 0.5, 0.0, 2.0], np.float32)
    value = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)
    following = np.array([2, 3, 4, OPEN, OVER])
    advantage = np.empty(5, np.float32)
    sweep(reward, value, following, 0.5, 0.5, advantage)
    last = 2 - 5
    middle = (0.5 + 0.5 * 5 - 3) + 0.25 * last
    first = (0 + 0.5 * 3 - 1) + 0.25 * middle
    other = 1 + 0.5 * 4 - 2
    np.testing.assert_allclose(advantage, [first, other, middle, 0, last])


def test_sweep__is_the_definition_for_each_seat() -> None:
    rng = np.random.default_rng(0)
    size, seats, gamma, gae_lambda = 400, 7, 0.9, 0.8
    owner = rng.integers(seats, size=size)
    reward, value = rng.normal(size=(2, size)).astype(np.float32)
    following = np.full(size, OPEN)
    for seat in range(seats):
        rows = np.flatnonzero(owner == seat)
        following[rows[:-1]] = np.where(rng.random(len(rows) - 1) < 0.1, OVER, rows[1:])
    advantage = np.empty(size, np.float32)
    sweep(reward, value, following, gamma, gae_lambda, advantage)
    for row in range(size):
        total, factor, at = 0.0, 1.0, row
        while following[at] != OPEN:
            after = following[at]
            total += factor * (reward[at] - value[at] + (gamma * value[after] if after >= 0 else 0))
            factor *= gamma * gae_lambda
            if after == OVER:
                break
            at = after
        assert advantage[row] == pytest.approx(total, abs=1e-4)


def test_window__rewards_between_own_decisions_and_bootstrap() -> None:
    buffer = make_buffer(gamma=0.5, gae_lambda=1.0)
    table = Table(buffer)
    table.decide(0, seat=0, value=1)
    table.pay(0, 0, 0)
    table.decide(0, seat=1, value=2)
    table.pay(0, 0.25, 0)  # seat 1's move pays seat 0
    table.decide(0, seat=0, value=3)
    table.pay(0, 0, 0.5)
    table.decide(1, seat=1, value=4)
    table.pay(1, 0, 0)
    table.decide(0, seat=1, value=5)  # ends the game for both
    table.pay(0, -1, 1, over=True)
    buffer.compute_returns_and_advantage()
    assert buffer.samples.tolist() == [0, 1, 2, 4]  # row 3 is game 1's open decision
    last_0, last_1 = -1, 1
    np.testing.assert_allclose(
        buffer.returns, [0.25 + 0.5 * last_0, 0.5 + 0.5 * last_1, last_0, last_1]
    )
    assert buffer.values.tolist() == [1, 2, 3, 5]
    assert buffer.num_closed == 4


def test_window__open_decisions_move_to_the_next_one() -> None:
    buffer = make_buffer(gamma=1.0, gae_lambda=0.0)
    table = Table(buffer)
    table.decide(0, seat=0, value=1)
    table.decide(1, seat=1, value=2)
    table.decide(0, seat=1, value=3)
    table.pay(0, 0.5, 0)
    table.decide(0, seat=0, value=4)
    buffer.compute_returns_and_advantage()
    assert buffer.samples.tolist() == [0]
    assert buffer.returns.tolist() == [0.5 + 4]
    for _ in range(2):  # twice is the same as once
        buffer.reset()
        assert buffer.pos == 3
        assert buffer.num_closed == 0
        columns = {name: column[:3].tolist() for name, column in buffer.columns.items()}
        assert columns["value"] == [2, 3, 4]
        assert columns["log_prob"] == [-2, -3, -4]
        assert columns["action"] == [2, 3, 0]
        assert columns["observation"] == [[2] * 3, [3] * 3, [4] * 3]
        assert list(zip(columns["game"], columns["seat"], strict=True)) == [(1, 1), (0, 1), (0, 0)]
    table.decide(0, seat=1, value=7)
    table.pay(0, -1, 1, over=True)
    buffer.compute_returns_and_advantage()
    assert buffer.samples.tolist() == [1, 2, 3]
    assert buffer.returns.tolist() == [7, -1, 1]
    buffer.clear()
    buffer.reset()
    assert buffer.pos == 0


def test_window__reward_before_the_end_of_the_window_is_kept() -> None:
    buffer = make_buffer(gamma=1.0, gae_lambda=1.0)
    table = Table(buffer)
    table.decide(0, seat=0)
    table.pay(0, 0.5, 0)
    buffer.reset()
    table.decide(0, seat=0)
    table.pay(0, 1, 0, over=True)
    buffer.compute_returns_and_advantage()
    assert buffer.returns.tolist() == [1.5, 1]


def test_columns__grow() -> None:
    buffer = make_buffer(steps=1, games=1)
    table = Table(buffer)
    for count in range(50):
        table.decide(0, seat=count % 2, value=count)
    assert buffer.columns["value"][:50].tolist() == list(range(50))
    assert buffer.num_closed == 48


@pytest.mark.parametrize(
    ("samples", "batch_size", "sizes"),
    [
        (10, 4, [3, 3, 4]),
        (8, 4, [4, 4]),
        (9, 4, [3, 3, 3]),
        (5, 4, [2, 3]),
        (3, 2, [3]),  # not 2 and a single one
        (2, 1, [2]),
        (7, None, [7]),
        (7, 100, [7]),
    ],
)
def test_minibatches__sizes(samples: int, batch_size: int | None, sizes: list[int]) -> None:
    buffer = make_buffer(steps=20)
    table = Table(buffer)
    for _ in range(samples):
        table.decide(0, seat=0)
        table.pay(0, 0, 0, over=True)
    buffer.compute_returns_and_advantage()
    orders = []
    for _ in range(3):
        seen = [minibatch.old_log_prob.tolist() for minibatch in buffer.get(batch_size)]
        assert sorted(map(len, seen)) == sizes
        orders.append([number for minibatch in seen for number in minibatch])
        assert sorted(orders[-1], reverse=True) == [-float(i + 1) for i in range(samples)]
    assert samples < 5 or orders[0] != orders[1]


def test_minibatches__rows_belong_together() -> None:
    buffer = make_buffer(steps=20)
    table = Table(buffer)
    for count in range(10):
        table.decide(0, seat=count % 2, value=count)
        table.pay(0, count, 0, over=True)
    buffer.compute_returns_and_advantage()
    for minibatch in buffer.get(4):
        number = -minibatch.old_log_prob
        assert (minibatch.observations == number[:, None]).all()
        assert (minibatch.actions == number % 4).all()
        assert (minibatch.old_values == number - 1).all()
        assert (minibatch.returns == minibatch.advantages + minibatch.old_values).all()
        assert minibatch.action_masks.all()


def test_minibatches__own_generator() -> None:
    orders = []
    for _ in range(2):
        buffer = make_buffer()
        table = Table(buffer)
        for _ in range(8):
            table.decide(0, seat=0)
            table.pay(0, 0, 0, over=True)
        buffer.compute_returns_and_advantage()
        state = str(np.random.get_state())  # noqa: NPY002 - it must stay untouched
        orders.append([m.old_log_prob.tolist() for m in buffer.get(4)])
        assert str(np.random.get_state()) == state  # noqa: NPY002
        np.random.seed()  # noqa: NPY002
    assert orders[0] == orders[1]
