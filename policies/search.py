"""Players that search: `search:400`, `search:50ms`, `flat:400`. They need no training.

`search` is information-set Monte Carlo tree search (policies/tree.py), `flat` plays the same number
of simulations out after each legal action. Both see what their seat may know, nothing else.
"""

import math
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ..envs import Game
from ..envs.compiled import records
from ..envs.game import REWARDS, RewardKind, reward_code
from ..envs.rng import GENERATOR, seed_bits
from .policy import NO_ACTION, Batch
from .tree import MAX_DEPTH, NODE, simulate

Rollout = Literal["random", "heuristic"]
FORMS = "search:N, search:Nms or flat:N (N simulations or milliseconds a move)"
MAX_SIMULATIONS = 1_000_000
NODES_A_SIMULATION = 2  # a forced move adds a node without ending the walk down the tree
MAX_NODES = 2_000_000  # 28 bytes each; a full tree only gains visits
CHUNK = 16  # simulations between two looks at the clock


@dataclass(frozen=True)
class Settings:
    """How a search plays games out and weighs what it found.

    `exploration` is the constant of the upper confidence bound, for rewards in [-1, 1]; `reward`
    the kind of reward that each seat is taken to want.
    """

    rollout: Rollout = "random"
    exploration: float = 0.7
    reward: RewardKind = "score"

    def __post_init__(self) -> None:
        if self.rollout not in get_args(Rollout):
            raise ValueError(f"rollout must be random or heuristic, not {self.rollout!r}")
        if not 0 <= self.exploration < math.inf:
            raise ValueError(f"exploration must be a number >= 0, not {self.exploration!r}")
        if self.reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {self.reward!r}")


TUNED: dict[str, Settings] = {}
"""Settings by game, found by matches between them."""


@dataclass(frozen=True)
class Found:
    """What one search found: `visits` int64[A] and mean reward `values` float64[A] an action.

    0 for actions that were not tried. `nodes` is the size of the tree, its root included.
    """

    visits: np.ndarray
    values: np.ndarray
    simulations: int
    nodes: int

    @property
    def action(self) -> int:
        """The action visited most often; of several, the one with the highest mean reward."""
        return int(np.lexsort((self.values, self.visits))[-1])


class SearchPolicy:
    """A player that searches anew at each decision, for `simulations` or `milliseconds` a move.

    `flat` looks one decision ahead only. With a number of simulations its moves follow from the
    view and `rng`, with a time limit from the machine too. The decisions of a batch are spread over
    threads.
    """

    def __init__(
        self,
        game: Game | None = None,
        simulations: int | None = None,
        milliseconds: float | None = None,
        flat: bool = False,
        settings: Settings | None = None,
        seed: int = 0,
    ) -> None:
        if (simulations is None) == (milliseconds is None):
            raise ValueError("a search takes either a number of simulations or milliseconds")
        limit, unit = simulations, "simulations"
        if limit is None:
            limit, unit = milliseconds, "ms"
        if not limit or not 1 <= limit <= MAX_SIMULATIONS:
            raise ValueError(f"a search takes 1 to {MAX_SIMULATIONS} {unit}, not {limit}")
        self.game = game
        self.simulations = simulations
        self.milliseconds = milliseconds
        self.flat = flat
        self.settings = settings
        self.name = f"{'flat' if flat else 'search'}:{simulations or f'{milliseconds:g}ms'}"
        self.rng = np.random.default_rng(seed_bits(seed))

    def act(self, batch: Batch) -> np.ndarray:
        """Return a legal action for each decision, int64[B]."""
        counts = batch.mask.sum(1, dtype=np.int64)
        if not counts.all():
            raise ValueError(NO_ACTION)
        actions = batch.mask.argmax(1).astype(np.int64)
        open_rows = np.flatnonzero(counts > 1)
        actions[open_rows] = [found.action for found in self.search(batch, open_rows)]
        return actions

    def search(self, batch: Batch, rows: np.ndarray | None = None) -> list[Found]:
        """Search the decisions of `rows` (int array; None: all) of a batch."""
        rows = np.arange(len(batch.seat)) if rows is None else rows
        seeds = self.rng.integers(2**64, size=len(rows), dtype=np.uint64)
        tasks = [
            (batch.game, batch.states[row], seed) for row, seed in zip(rows, seeds, strict=True)
        ]
        threads = min(usable_cores(), len(tasks))
        if threads <= 1:
            return [self._search(*task) for task in tasks]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda task: self._search(*task), tasks))

    def _search(self, game: Game, record: np.ndarray, seed: np.uint64) -> Found:
        settings = self.settings or TUNED.get(game.name, Settings())
        state, scratch = (game.wrap(record).array for _ in range(2))
        generator = records(np.zeros(1, GENERATOR))
        generator["rng"] = seed
        capacity = 1 + NODES_A_SIMULATION * (self.simulations or MAX_NODES)
        nodes = records(np.zeros(min(capacity, MAX_NODES), NODE))
        mask = np.zeros(game.num_actions, np.int8)
        exploration = 1e6 if self.flat else settings.exploration  # all actions equally often
        arguments = (
            1 if self.flat else MAX_DEPTH,
            exploration,
            settings.rollout == "heuristic",
            reward_code(settings.reward),
            game.score_scale,
            mask,
        )
        used, done = 1, 0
        started = time.monotonic()
        while not self._enough(done, started):
            chunk = self.simulations or CHUNK
            used = simulate(state, 0, scratch, generator, nodes, used, chunk, *arguments)
            done += chunk
        return _found(nodes, used, game.num_actions)

    def _enough(self, done: int, started: float) -> bool:
        if self.simulations is not None:
            return done >= self.simulations
        assert self.milliseconds is not None
        return done > 0 and 1000 * (time.monotonic() - started) >= self.milliseconds


def _found(nodes: np.ndarray, used: int, num_actions: int) -> Found:
    visits, values = np.zeros(num_actions, np.int64), np.zeros(num_actions)
    child = nodes["child"][0]
    while child:
        action = nodes["action"][child]
        visits[action] = nodes["visits"][child]
        values[action] = nodes["total"][child] / visits[action]
        child = nodes["sibling"][child]
    return Found(visits, values, int(nodes["visits"][0]), used)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_search(name: str, game: Game | None, seed: int) -> SearchPolicy:
    """Return the player of a name such as `search:400:rollout=heuristic`.

    After the budget come settings, each `key=value`, where the tuned ones do not suit. ValueError
    on anything else.
    """
    kind, _, rest = name.partition(":")
    budget, *parts = rest.split(":")
    match = re.fullmatch(r"(\d+)(ms)?", budget)
    if not match or (kind == "flat" and match[2]):
        raise ValueError(f"policy {name!r}: a search is named {FORMS}")
    settings = None
    if parts:
        settings = TUNED.get(game.name, Settings()) if game else Settings()
        for part in parts:
            settings = _changed(settings, name, part)
    number = int(match[1])
    limits = {"milliseconds": number} if match[2] else {"simulations": number}
    try:
        policy = SearchPolicy(game, flat=kind == "flat", settings=settings, seed=seed, **limits)
    except ValueError as error:
        raise ValueError(f"policy {name!r}: {error}") from None
    policy.name = name
    return policy


def _changed(settings: Settings, name: str, part: str) -> Settings:
    key, equals, value = part.partition("=")
    if not equals or key not in settings.__dataclass_fields__:
        keys = ", ".join(settings.__dataclass_fields__)
        raise ValueError(f"policy {name!r}: {part!r} is no setting; KEY=VALUE with {keys}")
    try:
        typed = float(value) if key == "exploration" else value
        return replace(settings, **{key: typed})
    except ValueError as error:
        raise ValueError(f"policy {name!r}: {error}") from None
