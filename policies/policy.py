"""What a policy is, and how a name becomes one.

A policy is named by a string everywhere (commands, configs, opponents), and `load` reads it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from ..envs import Game, State, get_game
from ..envs.vector import VectorGame

NAMES = (
    "random, heuristic, search:N, search:Nms, flat:N, "
    "the path of a checkpoint folder or an exported bot, RUN@latest, RUN@best"
)
RUNS = Path("runs")  # where a RUN that is no path is looked for
POINTERS = ("latest", "best")
NO_ACTION = "a decision has no legal action: its mask is all zero"


@dataclass(frozen=True)
class Decisions:
    """B decisions of one game, each of its acting seat; a `VectorGame` has the same attributes.

    `observation` is float32[B, OBS], `mask` int8[B, A] with 1 = legal and at least one 1 a row,
    `seat` int64[B], `states` the structured array of the B states.
    """

    game: Game
    observation: np.ndarray
    mask: np.ndarray
    seat: np.ndarray
    states: np.ndarray

    @classmethod
    def of(cls, batch: Batch, rows: np.ndarray) -> Decisions:
        """Return copies of some rows of a batch; `rows` is an int array."""
        arrays = (batch.observation, batch.mask, batch.seat, batch.states)
        return cls(batch.game, *(array[rows] for array in arrays))

    @classmethod
    def single(cls, state: State) -> Decisions:
        """Return the one decision of a state that is not over."""
        seat = state.to_act
        if seat is None:
            raise ValueError("the game is over: there is nothing to decide")
        observation = state.observation(seat)[None]
        return cls(state.game, observation, state.mask()[None], np.array([seat]), state.array)


Batch = Decisions | VectorGame


class Policy(Protocol):
    """Anything that picks a legal action.

    `rng` is its only source of chance: equal decisions and generators give equal actions.
    """

    name: str
    rng: np.random.Generator

    @property
    def game(self) -> Game | None:
        """Return the only game that it plays, None if it plays all."""
        ...

    def act(self, batch: Batch) -> np.ndarray:
        """Return a legal action for each decision, int64[B]."""
        ...


@runtime_checkable
class ProbabilisticPolicy(Policy, Protocol):
    """A policy that knows how likely its actions are and what it expects."""

    def probabilities(self, batch: Batch) -> np.ndarray:
        """Return the probability of every action, float32[B, A]; 0 for illegal ones."""
        ...

    def values(self, batch: Batch) -> np.ndarray:
        """Return the reward that the policy expects for each acting seat, float32[B]."""
        ...


def load(
    name: str, game: Game | str | None = None, mode: str | float = "sample", seed: int = 0
) -> Policy:
    """Return the policy that `name` stands for.

    Names: `random`, `heuristic`, `search:N` and its kin (see policies/search.py), the path of a
    checkpoint folder or an exported bot, `RUN@latest`, `RUN@best`, where RUN is the path of a run
    folder or its name below `runs`. `mode` is how a policy with probabilities picks: `sample`,
    `greedy`, or a temperature > 0 (a number or its string). Raises ValueError on a name, mode or
    folder that does not fit, or one of another game.
    """
    from .checkpoint import load_checkpoint  # here, for these import this module
    from .onnx_bot import is_exported, load_bot
    from .scripted import HeuristicPolicy, RandomPolicy
    from .search import load_search

    game = None if game is None else get_game(game)
    temperature(mode)
    if name == "random":
        return RandomPolicy(game, seed)
    if name == "heuristic":
        return HeuristicPolicy(game, seed)
    if name.startswith(("search:", "flat:")):
        return _of_game(load_search(name, game, seed), game)
    folder = checkpoint_folder(name)
    load_folder = load_bot if is_exported(folder) else load_checkpoint
    policy = load_folder(folder, mode, seed)
    policy.name = name
    return _of_game(policy, game)


def _of_game(policy: Policy, game: Game | None) -> Policy:
    if game and policy.game and policy.game.name != game.name:
        raise ValueError(f"policy {policy.name!r} plays {policy.game.name}, not {game.name}")
    return policy


def temperature(mode: str | float) -> float:
    """Return the temperature that a mode stands for: sample is 1, greedy is 0.

    Raises ValueError on anything but `sample`, `greedy` or a finite number > 0.
    """
    if mode in ("sample", "greedy"):
        return 1.0 if mode == "sample" else 0.0
    try:
        value = float(mode)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"mode must be sample, greedy or a temperature > 0, not {mode!r}")
    return value


def checkpoint_folder(name: str) -> Path:
    """Return the checkpoint folder that `name` means, a path or RUN@latest or RUN@best."""
    run, at, pointer = name.rpartition("@")
    if at and pointer in POINTERS:
        return _pointed_folder(name, run, pointer)
    if name and Path(name).is_dir():
        return Path(name)
    raise ValueError(f"unknown policy {name!r}: allowed are {NAMES}")


def _pointed_folder(name: str, run: str, pointer: str) -> Path:
    for folder in (Path(run), RUNS / run):
        file = folder / f"{pointer}.json"
        if run and file.is_file():
            try:
                checkpoint = json.loads(file.read_text())["checkpoint"]
                return folder / "checkpoints" / checkpoint
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"policy {name!r}: {file} names no checkpoint") from error
    where = f"{Path(run)} and {RUNS / run}" if run else "no run is named"
    raise ValueError(f"policy {name!r}: no {pointer}.json of a run folder ({where})")
