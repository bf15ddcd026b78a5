"""The rollout buffer of self-play: one row a decision, advantages per game and seat."""

from collections.abc import Iterator

import numpy as np
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.buffers import BaseBuffer

from ..envs.compiled import njit
from ..envs.rng import seed_bits
from ..envs.vector import VectorGame

NO_ROW = -1  # of a seat that has no open decision
OPEN, OVER = -1, -2  # instead of the seat's next row: not decided yet; none, the game is over


@njit
def sweep(
    reward: np.ndarray,
    value: np.ndarray,
    following: np.ndarray,
    gamma: float,
    gae_lambda: float,
    advantage: np.ndarray,
) -> None:
    """Fill `advantage` float32[N] for rows in time order.

    `following` int64[N] is the later row with the same seat's next decision, `OPEN` or `OVER`;
    `reward` float32[N] is what the seat got in between, `value` float32[N] what it expected. An
    open row is only its predecessor's bootstrap: its own advantage is 0.
    """
    for row in range(len(reward) - 1, -1, -1):
        after = following[row]
        advantage[row] = 0.0 if after == OPEN else reward[row] - value[row]
        if after >= 0:
            advantage[row] += gamma * (value[after] + gae_lambda * advantage[after])


class SelfPlayBuffer(BaseBuffer):
    """The learner's decisions in time order, a row each, of as many games and seats as there are.

    A row is closed when its seat decides again or its game ends: its reward is what the seat got in
    between. Closed rows are the samples of an update; `reset` moves the others, at most one a seat,
    to the front of the next window, with the value and log-probability that they were played with.
    `buffer_size` is the expected number of steps in a window; the columns grow if it gets longer.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        device: th.device | str = "auto",
        gae_lambda: float = 1.0,
        gamma: float = 0.99,
        n_envs: int = 1,
        seats: int = 2,
        seed: int | None = None,
    ) -> None:
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        self.gae_lambda = gae_lambda
        self.gamma = gamma
        self.rng = np.random.default_rng(None if seed is None else seed_bits(seed))
        capacity = (buffer_size + seats) * n_envs
        self.columns = {
            "observation": np.zeros((capacity, *self.obs_shape), np.float32),
            "mask": np.zeros((capacity, int(action_space.n)), np.bool_),
            "action": np.zeros(capacity, np.int64),
            "value": np.zeros(capacity, np.float32),
            "standing": np.zeros(capacity, np.float32),
            "log_prob": np.zeros(capacity, np.float32),
            "reward": np.zeros(capacity, np.float32),
            "game": np.zeros(capacity, np.int64),
            "seat": np.zeros(capacity, np.int64),
            "following": np.zeros(capacity, np.int64),  # the seat's next row, OPEN or OVER
        }
        self.open_row = np.full((n_envs, seats), NO_ROW)
        self.samples = np.zeros(0, np.int64)  # closed rows, once the window is complete
        self._minibatch: dict[str, th.Tensor] = {}

    def clear(self) -> None:
        """Forget all rows: the games have begun anew."""
        self.pos = 0
        self.open_row[:] = NO_ROW

    def reset(self) -> None:
        """Begin a window: only the open rows stay. Doing it twice is the same as once."""
        rows = np.sort(self.open_row[self.open_row != NO_ROW])
        self.pos = len(rows)
        for column in self.columns.values():
            column[: self.pos] = column[rows]
        games, seats = self.columns["game"][: self.pos], self.columns["seat"][: self.pos]
        self.open_row[games, seats] = np.arange(self.pos)

    def add(self, vector: VectorGame, games: np.ndarray) -> slice:
        """Open a row for the acting seat of each of `games`; returns which rows these are.

        The caller fills in `action`, `log_prob`, `standing` and `value`: the whole reward that is
        expected, which is the standing and what the network adds to it.
        """
        rows = slice(self.pos, self.pos + len(games))
        if rows.stop > len(self.columns["value"]):
            for name, column in self.columns.items():
                self.columns[name] = np.concatenate([column, np.zeros_like(column)])
        self.pos = rows.stop
        numbers, seats = np.arange(rows.start, rows.stop), vector.seat[games]
        before = self.open_row[games, seats]
        had_row = before != NO_ROW
        self.columns["following"][before[had_row]] = numbers[had_row]
        self.open_row[games, seats] = numbers
        columns = {name: column[rows] for name, column in self.columns.items()}
        np.take(vector.observation, games, axis=0, out=columns["observation"], mode="clip")
        np.take(vector.mask.view(np.bool_), games, axis=0, out=columns["mask"], mode="clip")
        columns["game"][:], columns["seat"][:] = games, seats
        columns["reward"][:], columns["standing"][:], columns["following"][:] = 0, 0, OPEN
        return rows

    def settle(self, reward: np.ndarray, done: np.ndarray) -> None:
        """Add every seat's `reward` float[G, P] to its open row; close those of finished games."""
        waiting = self.open_row != NO_ROW
        self.columns["reward"][self.open_row[waiting]] += reward[waiting]
        self.columns["following"][self.open_row[waiting & done[:, None]]] = OVER
        self.open_row[done] = NO_ROW

    @property
    def num_closed(self) -> int:
        """Number of rows of this window that an update can use so far."""
        return self.pos - int(np.count_nonzero(self.open_row != NO_ROW))

    def compute_returns_and_advantage(self) -> None:
        """Complete the window: find its samples and estimate their advantages.

        The network's target is what its value adds to the standing.
        """
        window = {name: column[: self.pos] for name, column in self.columns.items()}
        value, following = window["value"], window["following"]
        advantage = np.empty(self.pos, np.float32)
        sweep(window["reward"], value, following, self.gamma, self.gae_lambda, advantage)
        window["advantage"], window["target"] = advantage, advantage + value - window["standing"]
        self.samples = np.flatnonzero(following != OPEN)
        self.values = value[self.samples]
        self.returns = (advantage + value)[self.samples]
        self._window = {name: th.from_numpy(a).to(self.device) for name, a in window.items()}

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:
        """Yield all samples once, in random order, in minibatches whose sizes differ by at most 1.

        They have at most `batch_size` samples, and 2 or more. A minibatch is valid until the next.
        """
        order = self.rng.permutation(self.samples)
        parts = -(-len(order) // (batch_size or len(order)))
        for rows in np.array_split(order, max(1, min(parts, len(order) // 2))):
            yield self._get_samples(rows)

    def _get_samples(
        self, batch_inds: np.ndarray, env: None = None
    ) -> MaskableRolloutBufferSamples:
        del env  # nothing is normalised
        rows = th.from_numpy(batch_inds).to(self.device)
        names = ("observation", "action", "value", "log_prob", "advantage", "target", "mask")
        return MaskableRolloutBufferSamples(*(self._gather(name, rows) for name in names))

    def _gather(self, name: str, rows: th.Tensor) -> th.Tensor:
        """Return some rows of a column, in memory that every minibatch uses again.

        Fresh memory of this size costs more than the copy.
        """
        column, out = self._window[name], self._minibatch.get(name)
        if out is None or len(out) < len(rows):
            out = self._minibatch[name] = column.new_empty((len(rows), *column.shape[1:]))
        return th.index_select(column, 0, rows, out=out[: len(rows)])

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the open rows."""
        self.reset()
        return {name: column[: self.pos].copy() for name, column in self.columns.items()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue with the open rows of a snapshot."""
        self.clear()
        self.pos = len(arrays["game"])
        for name, column in self.columns.items():
            column[: self.pos] = arrays[name]
        self.open_row[arrays["game"], arrays["seat"]] = np.arange(self.pos)
