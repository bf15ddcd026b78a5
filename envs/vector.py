"""Many games of one kind in lock-step on NumPy arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import kernels
from .compiled import records
from .game import Game, IllegalAction, RewardKind, get_game, illegal_message, reward_code
from .rng import seed_many


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


class VectorGame:
    """`num_games` games of the same seats and options that all wait for one decision each.

    The arrays are read-only and the same at each step; copy what must outlive it:

    - `states` structured[N], `seat` int64[N] (who is to act), `observation` float32[N, OBS] and
      `mask` int8[N, A] of that seat;
    - of the game that took the last action: `done` bool[N]; `reward` float64[N, P], `final_scores`
      int64[N, P] and `place` int64[N, P] (seats ahead after tie-breaks, so winners have 0), all 0
      until it is done; `length` int64[N] (its decisions so far).

    `seed` is an int >= 0 or one per game. Raises ValueError for bad arguments.
    """

    # What users read; the game writes into the arrays with an underscore before the name.
    states: np.ndarray
    seat: np.ndarray
    observation: np.ndarray
    mask: np.ndarray
    reward: np.ndarray
    done: np.ndarray
    final_scores: np.ndarray
    place: np.ndarray
    length: np.ndarray

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | Sequence[int] | np.ndarray = 0,
        reward: RewardKind = "win",
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        self.game = get_game(game)
        self.players, self.options, self._codes = self.game.resolve(players, options)
        self.num_games = num_games
        self.reward_kind = reward
        self._reward_code = reward_code(reward)
        self._states = records(np.zeros(num_games, self.game.state_dtype))
        self._seat = np.zeros(num_games, np.int64)
        self._observation = np.zeros((num_games, self.game.observation_size), np.float32)
        self._mask = np.zeros((num_games, self.game.num_actions), np.int8)
        self._reward = np.zeros((num_games, self.players))
        self._done = np.zeros(num_games, np.bool_)
        self._final_scores = np.zeros((num_games, self.players), np.int64)
        self._place = np.zeros((num_games, self.players), np.int64)
        self._length = np.zeros(num_games, np.int64)
        for index, bits in enumerate(seed_many(seed, num_games)):
            kernels.start(self._states, index, self.players, self._codes, bits)
        self._show()

    def _show(self) -> None:
        """Fill seat, observation and mask, and hand out read-only views of everything."""
        kernels.show_all(self._states, self._seat, self._observation, self._mask)
        for name in VectorGame.__annotations__:
            setattr(self, name, _read_only(getattr(self, f"_{name}")))

    def __getstate__(self) -> dict[str, Any]:
        return {name: v for name, v in vars(self).items() if name not in VectorGame.__annotations__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._states = records(self._states)
        self._show()

    def step(self, actions: np.ndarray) -> None:
        """Apply one action per game, int[N]; a finished game starts anew, seeded by its generator.

        Raises IllegalAction (naming game, seat and action) before anything has changed.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_games,) or actions.dtype.kind not in "iu":
            raise IllegalAction(f"actions must be {self.num_games} ints, one a game")
        actions = actions.astype(np.int64, copy=False)
        wrong = kernels.first_illegal(self._mask, actions)
        if wrong >= 0:
            action, seat = int(actions[wrong]), int(self._seat[wrong])
            message = illegal_message(self.game, action, seat, self._mask[wrong])
            raise IllegalAction(f"game {wrong}: {message}")
        kernels.step_all(
            self._states,
            actions,
            self._codes,
            self._reward_code,
            self.game.score_scale,
            self._seat,
            self._observation,
            self._mask,
            self._reward,
            self._done,
            self._final_scores,
            self._place,
            self._length,
        )

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return copies of all that `restore` needs, as plain arrays."""
        return {
            "states": np.frombuffer(self._states.tobytes(), np.uint8).copy(),
            "reward": self._reward.copy(),
            "done": self._done.copy(),
            "final_scores": self._final_scores.copy(),
            "place": self._place.copy(),
            "length": self._length.copy(),
        }

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a snapshot of a VectorGame with the same arguments."""
        states = np.frombuffer(snapshot["states"].tobytes(), self.game.state_dtype)
        if states.shape != (self.num_games,):
            raise ValueError(f"the snapshot holds {states.size} games, not {self.num_games}")
        self._states[:] = states
        self._reward[:] = snapshot["reward"]
        self._done[:] = snapshot["done"]
        self._final_scores[:] = snapshot["final_scores"]
        self._place[:] = snapshot["place"]
        self._length[:] = snapshot["length"]
        kernels.show_all(self._states, self._seat, self._observation, self._mask)
