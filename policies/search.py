"""Players that search: `search:400`, `search:50ms`, `flat:400`. They need no training.

`search` is information-set Monte Carlo tree search (policies/tree.py), `flat` plays the same number
of simulations out after each legal action. Both see what their seat may know, nothing else.
"""

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import yaml

from ..envs import Game
from ..envs.compiled import records
from ..envs.game import REWARDS, RewardKind, reward_code
from ..envs.rng import GENERATOR, seed_bits
from .checkpoint import CheckpointPolicy, load_checkpoint
from .guided import Network, simulate_guided
from .policy import NO_ACTION, Batch, checkpoint_folder
from .tree import MAX_DEPTH, NODE, simulate

Rollout = Literal["random", "heuristic"]
FORMS = "search:N, search:Nms or flat:N (N simulations or milliseconds a move)"
MAX_SIMULATIONS = 1_000_000
NODES_A_SIMULATION = 2  # a forced move adds a node without ending the walk down the tree
MAX_NODES = 2_000_000  # 28 bytes each; a full tree only gains visits
MAX_PRIORS = 2**26  # probabilities that a search led by a network keeps, 4 bytes each
EQUALLY = 1e6  # an exploration that tries all actions equally often
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


@cache
def usual_settings(game: str, guided: bool) -> Mapping[str, Any]:
    """Return what a search plays the game with, from policies/search.yaml; empty for a new game."""
    tuned = yaml.safe_load(Path(__file__).with_name("search.yaml").read_text())
    return tuned.get(game, {}).get("guided" if guided else "search", {})


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

    `flat` looks one decision ahead only. `guide` is a checkpoint whose network says what is likely
    and what a position is worth, so that nothing is played out (policies/guided.py). `settings` go
    before the game's usual ones. With a number of simulations the moves follow from the view and
    `rng`, with a time limit from the machine too. The decisions of a batch are spread over threads.
    """

    def __init__(
        self,
        game: Game | None = None,
        simulations: int | None = None,
        milliseconds: float | None = None,
        flat: bool = False,
        settings: Mapping[str, Any] | None = None,
        guide: CheckpointPolicy | None = None,
        seed: int = 0,
    ) -> None:
        if (simulations is None) == (milliseconds is None):
            raise ValueError("a search takes either a number of simulations or milliseconds")
        limit, unit = simulations, "simulations"
        if limit is None:
            limit, unit = milliseconds, "ms"
        if not limit or not 1 <= limit <= MAX_SIMULATIONS:
            raise ValueError(f"a search takes 1 to {MAX_SIMULATIONS} {unit}, not {limit}")
        self.game = guide.game if guide else game
        self.network = Network.of(guide) if guide else None
        self.simulations = simulations
        self.milliseconds = milliseconds
        self.flat = flat
        self._changed = dict(settings or {})
        Settings(**self._changed)  # ValueError for what is no setting's value
        self.name = f"{'flat' if flat else 'search'}:{simulations or f'{milliseconds:g}ms'}"
        self.rng = np.random.default_rng(seed_bits(seed))

    def settings(self, game: Game) -> Settings:
        """Return the settings that it plays a game with."""
        usual = usual_settings(game.name, self.network is not None)
        return Settings(**{**usual, **self._changed})

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
        state, scratch = (game.wrap(record).array for _ in range(2))
        generator = records(np.zeros(1, GENERATOR))
        generator["rng"] = seed
        capacity = min(1 + NODES_A_SIMULATION * (self.simulations or MAX_NODES), MAX_NODES)
        if self.network:
            capacity = min(capacity, MAX_PRIORS // game.num_actions)
        nodes = records(np.zeros(capacity, NODE))
        run = self._unguided(game)
        if self.network:
            run = self._guided(game, self.network, capacity)
        used, done = 1, 0
        started = time.monotonic()
        while not self._enough(done, started):
            chunk = self.simulations or CHUNK
            used = run(state, 0, scratch, generator, nodes, used, chunk)
            done += chunk
        return _found(nodes, used, game.num_actions)

    def _unguided(self, game: Game) -> Callable[..., int]:
        settings = self.settings(game)
        return partial(
            simulate,
            depth_limit=1 if self.flat else MAX_DEPTH,
            exploration=EQUALLY if self.flat else settings.exploration,
            scripted=settings.rollout == "heuristic",
            kind=reward_code(settings.reward),
            scale=game.score_scale,
            mask=np.zeros(game.num_actions, np.int8),
        )

    def _guided(self, game: Game, network: Network, capacity: int) -> Callable[..., int]:
        settings = self.settings(game)
        return partial(
            simulate_guided,
            exploration=settings.exploration,
            kind=reward_code(settings.reward),
            scale=game.score_scale,
            network=network,
            priors=np.empty((capacity, game.num_actions), np.float32),
            values=np.empty(capacity),
            evaluated=np.zeros(capacity, np.bool_),
            observation=np.empty(game.observation_size, np.float32),
            mask=np.zeros(game.num_actions, np.int8),
        )

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
    """Return the player of a name such as `search:400` or `search:400:RUN@best:exploration=2`.

    After the budget come, in any order, a checkpoint that leads the search and settings that
    replace the game's usual ones. ValueError on anything else.
    """
    kind, _, rest = name.partition(":")
    budget, *parts = rest.split(":")
    match = re.fullmatch(r"(\d+)(ms)?", budget)
    if not match or (kind == "flat" and match[2]):
        raise ValueError(f"policy {name!r}: a search is named {FORMS}")
    number, flat = int(match[1]), kind == "flat"
    limits = {"milliseconds": number} if match[2] else {"simulations": number}
    try:
        sources = [part for part in parts if "=" not in part]
        if len(sources) > 1 or (flat and sources):
            raise ValueError(f"{sources[-1]!r} is no setting and not the only checkpoint")
        guide = load_checkpoint(checkpoint_folder(sources[0])) if sources else None
        settings = dict(_setting(*part.split("=", 1)) for part in parts if part not in sources)
        policy = SearchPolicy(game, **limits, flat=flat, settings=settings, guide=guide, seed=seed)
    except ValueError as error:
        raise ValueError(f"policy {name!r}: {error}") from None
    policy.name = name
    return policy


def _setting(key: str, value: str) -> tuple[str, str | float]:
    if key not in Settings.__dataclass_fields__:
        keys = ", ".join(Settings.__dataclass_fields__)
        raise ValueError(f"{key!r} is no setting (settings: {keys})")
    return key, float(value) if key == "exploration" else value
