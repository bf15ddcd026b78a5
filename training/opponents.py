"""Who sits with the learner: the pool of opponents, and the line-up drawn for every game."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..envs.game import Game, get_game
from ..envs.rng import seed_bits
from ..policies.policy import Policy, load

LEARNER = 0  # in a line-up; the opponents' numbers start at 1
SELF, LATEST, POOL = "self", "latest", "pool"
FLOOR = 0.02  # the lowest priority, so that nobody is forgotten
PRIOR_GAMES = 10  # a new opponent counts as equally strong over so many games
MEMORY_GAMES = 200  # results fade: the learner that got them was another one


@dataclass
class Opponent:
    """A policy that may hold seats, and how its games went: wins of one seat, running means."""

    name: str
    policy: Policy
    own_wins: float
    learner_wins: float
    games: int = 0

    @property
    def beaten(self) -> float:
        """The learner's share of the wins, seat for seat: 0.5 against an equal, 1 if it won all."""
        return self.learner_wins / (self.learner_wins + self.own_wins)

    def record(self, learner_wins: float, own_wins: float) -> None:
        """Count a game by what one seat of the learner's and one of its own won on average."""
        self.games += 1
        rate = 1 / min(self.games + PRIOR_GAMES, MEMORY_GAMES)
        self.learner_wins += rate * (learner_wins - self.learner_wins)
        self.own_wins += rate * (own_wins - self.own_wins)


def priorities(
    beaten: np.ndarray, prioritisation: float | Literal["even"], floor: float = FLOOR
) -> np.ndarray:
    """Return the probabilities of opponents of whom the learner beats the shares x = `beaten`.

    Prioritised fictitious self-play: (1 - x)^p with p = `prioritisation` prefers those who beat the
    learner (0: all alike), `even` is x (1 - x) and prefers those of its own strength.
    """
    even = prioritisation == "even"
    weights = beaten * (1 - beaten) if even else (1 - beaten) ** prioritisation
    weights = np.maximum(weights, floor)
    return weights / weights.sum()


class Lineups:
    """Draws who holds which seat, by weights over kinds of opponents.

    `weights` maps `self` (the learner in every seat), `latest` (its newest checkpoint), `pool` (any
    of the `pool_size` checkpoints kept, by `priorities`) and names that `policies.load` knows to
    their shares of the games. In a game with an opponent it holds 1 to P-1 seats, each number
    equally often, the seats at random. Before the first checkpoint `latest` and `pool` are `self`.
    `mode` is how opponents pick: `sample`, `greedy` or a temperature. Raises ValueError on a weight
    below 0, no weight above 0, or what `policies.load` refuses.
    """

    def __init__(
        self,
        game: Game | str,
        players: int,
        weights: Mapping[str, float],
        pool_size: int = 20,
        prioritisation: float | Literal["even"] = 2.0,
        mode: str | float = "sample",
        seed: int = 0,
    ) -> None:
        self.game = get_game(game)
        self.players = players
        self.pool_size = pool_size
        self.prioritisation: float | Literal["even"] = prioritisation
        self.mode = mode
        self.seed = seed
        self.rng = np.random.default_rng(seed_bits(seed))
        shares = np.array(list(weights.values()), np.float64)
        if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
            raise ValueError(f"weights must be >= 0 and one above 0, not {dict(weights)}")
        self.kinds = [name for name, weight in weights.items() if weight > 0]
        cumulative = np.cumsum(shares[shares > 0])
        self._cumulative = cumulative / cumulative[-1]
        self.opponents: dict[int, Opponent] = {}
        self.pool: list[int] = []  # numbers of the checkpoints that can be drawn, oldest first
        self._next: int = LEARNER + 1
        self._fixed = {
            name: self._add(name) for name in self.kinds if name not in (SELF, LATEST, POOL)
        }

    def draw(self, count: int) -> np.ndarray:
        """Return line-ups of `count` games, int64[count, P]: by seat, 0 or an opponent's number."""
        kinds = np.searchsorted(self._cumulative, self.rng.random(count), side="right")
        holders = np.zeros(count, np.int64)
        for kind in np.unique(kinds):
            games = np.flatnonzero(kinds == kind)
            holders[games] = self._pick(self.kinds[kind], len(games))
        held = self.rng.integers(1, self.players, size=count)
        order = self.rng.random((count, self.players)).argsort(axis=1)
        return np.where(order < held[:, None], holders[:, None], LEARNER)

    def add_checkpoint(self, folder: str | Path, seated: Iterable[int]) -> None:
        """Add a checkpoint to the pool; if it is full, the one with the lowest priority leaves.

        `seated` are the numbers of the opponents in running games: those stay loaded till later.
        """
        self.pool.append(self._add(str(folder)))
        if len(self.pool) > self.pool_size:
            del self.pool[int(np.argmin(self._priorities()[:-1]))]
        keep = {*self._fixed.values(), *self.pool, *(int(number) for number in seated)}
        self.opponents = {n: opponent for n, opponent in self.opponents.items() if n in keep}

    def label(self, number: int) -> str:
        """Return an opponent's name in statistics: checkpoints are only `latest` or `pool`."""
        if number in self._fixed.values():
            return self.opponents[number].name
        return LATEST if number == self.pool[-1] else POOL

    def checkpoints(self) -> list[str]:
        """Return the folders of the checkpoints that a snapshot refers to, oldest first."""
        fixed = self._fixed.values()
        return [o.name for number, o in self.opponents.items() if number not in fixed]

    def snapshot(self) -> dict[str, Any]:
        """Return what `restore` needs, as plain values for JSON; weights stay in their folders."""
        return {
            "rng": self.rng.bit_generator.state,
            "next": self._next,
            "pool": list(self.pool),
            "opponents": [
                {
                    "number": number,
                    "name": opponent.name,
                    "rng": opponent.policy.rng.bit_generator.state,
                    "own_wins": opponent.own_wins,
                    "learner_wins": opponent.learner_wins,
                    "games": opponent.games,
                }
                for number, opponent in self.opponents.items()
            ],
        }

    def restore(self, data: dict[str, Any], folder: str | Path | None = None) -> None:
        """Continue from a snapshot of Lineups with the same weights; checkpoints load anew.

        `folder` is where the run's checkpoints lie now, if not where they lay. Raises ValueError if
        an opponent cannot be loaded.
        """
        fixed = {number: self.opponents[number] for number in self._fixed.values()}
        self.opponents = {}
        for entry in data["opponents"]:
            number, name = entry["number"], entry["name"]
            if number in fixed:
                if fixed[number].name != name:
                    raise ValueError(f"opponent {number} was {name}, not {fixed[number].name}")
                self.opponents[number] = fixed[number]
            else:
                self._add(name if folder is None else str(Path(folder) / Path(name).name), number)
            opponent = self.opponents[number]
            opponent.policy.rng.bit_generator.state = entry["rng"]
            opponent.own_wins, opponent.learner_wins = entry["own_wins"], entry["learner_wins"]
            opponent.games = entry["games"]
        self.rng.bit_generator.state = data["rng"]
        self.pool = list(data["pool"])
        self._next = data["next"]

    def _add(self, name: str, number: int | None = None) -> int:
        """Load a policy as an opponent, under the next number unless one is given."""
        if number is None:
            number = self._next
            self._next += 1
        policy = load(name, self.game, self.mode, seed=seed_bits(self.seed) + number)
        self.opponents[number] = Opponent(name, policy, 1 / self.players, 1 / self.players)
        return number

    def _pick(self, kind: str, count: int) -> np.ndarray | int:
        """Return the opponents' numbers for `count` games of a kind."""
        if kind in self._fixed:
            return self._fixed[kind]
        if kind == SELF or not self.pool:
            return LEARNER
        if kind == LATEST:
            return self.pool[-1]
        return self.rng.choice(self.pool, size=count, p=self._priorities())

    def _priorities(self) -> np.ndarray:
        beaten = np.array([self.opponents[number].beaten for number in self.pool])
        return priorities(beaten, self.prioritisation)
