"""What `emberdeck benchmark` measures of engine, environments and policies, in CPU time.

All of it runs in one thread; CPU time leaves out what other programs on the machine take.
"""

import contextlib
import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from .. import __version__
from ..envs import aec
from ..envs.game import get_game
from ..envs.kernels import playouts
from ..envs.rng import GENERATOR
from ..envs.vector import VectorGame
from ..policies.checkpoint import load_checkpoint, save_checkpoint
from ..policies.policy import Decisions
from ..policies.scripted import RandomPolicy
from ..policies.search import SearchPolicy

REPEATS = 5
HIDDEN = (256, 256)


def median_rate(work: Callable[[], int]) -> float:
    """Return the median of what `work` does in a second: it returns how much it has done."""
    work()  # warm
    rates = []
    for _ in range(REPEATS):
        started = time.process_time()
        amount = work()
        rates.append(amount / (time.process_time() - started))
    return median(rates)


def random_playouts(game: str) -> float:
    """Return decisions a second in random games, nothing but rules."""
    start = VectorGame(game, 2000).states
    generator = np.zeros(1, GENERATOR)
    mask = np.zeros(get_game(game).num_actions, np.int8)
    return median_rate(lambda: playouts(start.copy(), generator, mask))


def search(game: str) -> float:
    """Return the decisions a second in a search's simulations, as a share of random playouts'."""
    start, generator = VectorGame(game, 500).states, np.zeros(1, GENERATOR)
    mask = np.zeros(get_game(game).num_actions, np.int8)
    length = playouts(start.copy(), generator, mask) / len(start)
    policy = SearchPolicy(get_game(game), simulations=1000)
    decision = Decisions.single(get_game(game).new(seed=1))
    rate = median_rate(lambda: sum(found.simulations for found in policy.search(decision)))
    return rate * length / random_playouts(game)


def batch_step(game: str) -> float:
    """Return decisions a second in `VectorGame.step`; picking the actions is not counted."""
    vector = VectorGame(game, 1024)
    policy = RandomPolicy()
    rates = []
    for _ in range(REPEATS + 1):
        spent = 0.0
        for _ in range(100):
            actions = policy.act(vector)
            started = time.process_time()
            vector.step(actions)
            spent += time.process_time() - started
        rates.append(100 * vector.num_games / spent)
    return median(rates[1:])


def aec_loop(env: Any, decisions: int) -> Callable[[], int]:
    """Return a function that makes `decisions` random decisions in an AEC environment."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def work() -> int:
        for _ in range(decisions):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[rng.integers(len(legal))]))
        return decisions

    return work


def raw_env(game: str) -> float:
    """Return decisions a second through `last` and `step` of the bare AEC environment."""
    return median_rate(aec_loop(aec.raw_env(get_game(game)), 10_000))


def wrapped_env(game: str) -> float:
    """Return the same through PettingZoo's wrappers, as a multiple of its connect_four."""
    from pettingzoo.classic import connect_four_v3

    ours = aec_loop(aec.env(get_game(game)), 5000)
    theirs = aec_loop(connect_four_v3.env(), 5000)
    return median(compare(ours, theirs))


def compare(ours: Callable[[], int], theirs: Callable[[], int]) -> list[float]:
    """Return the ratios of two rates, measured in turns."""
    for warm in (ours, theirs):
        warm()
    ratios = []
    for _ in range(REPEATS):
        started = time.process_time()
        first = ours()
        between = time.process_time()
        second = theirs()
        ended = time.process_time()
        ratios.append(first / (between - started) / (second / (ended - between)))
    return ratios


def handle(game: str) -> float:
    """Return decisions a second with `legal_actions`, `apply` and `observation` of a state."""
    handle = get_game(game)
    picks = np.random.default_rng(0).random(10_000).tolist()

    def work() -> int:
        state = handle.new(seed=1)
        for pick in picks:
            legal = state.legal_actions()
            state.apply(legal[int(pick * len(legal))])
            seat = state.to_act
            if seat is None:
                state = handle.new(seed=2)
            else:
                state.observation(seat)
        return len(picks)

    return median_rate(work)


def save_random(folder: Path, name: str) -> None:
    """Write a checkpoint with random weights of the default size."""
    game, rng = get_game(name), np.random.default_rng(0)
    sizes = [game.observation_size, *HIDDEN]
    layers = {f"trunk.{i}": pair for i, pair in enumerate(zip(sizes, HIDDEN, strict=False))}
    layers |= {"action": (HIDDEN[-1], game.num_actions), "value": (HIDDEN[-1], 1)}
    weights = {}
    for layer, (inputs, outputs) in layers.items():
        weights[f"{layer}.weight"] = rng.normal(0, 0.05, (outputs, inputs)).astype(np.float32)
        weights[f"{layer}.bias"] = np.zeros(outputs, np.float32)
    card = {
        "game": game.name,
        "game_version": game.version,
        "layout_hash": game.layout_hash,
        "players": game.default_players,
        "options": {},
        "network": {"hidden": list(HIDDEN), "activation": "relu"},
        "step": 0,
        "metrics": {},
        "emberdeck_version": __version__,
    }
    save_checkpoint(folder, weights, card)


def checkpoint_decision(game: str) -> float:
    """Return the microseconds for one decision of a checkpoint at batch 1."""
    with tempfile.TemporaryDirectory() as folder:
        save_random(Path(folder) / "bot", game)
        policy = load_checkpoint(Path(folder) / "bot")
    vector = VectorGame(game, 256)
    decisions = [Decisions.of(vector, np.array([row])) for row in range(256)]

    def work() -> int:
        for decision in decisions:
            policy.act(decision)
        return len(decisions)

    return 1e6 / median_rate(work)


def checkpoint_load(game: str) -> float:
    """Return the milliseconds to load a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        save_random(Path(folder) / "bot", game)

        def work() -> int:
            load_checkpoint(Path(folder) / "bot")
            return 1

        return 1e3 / median_rate(work)


def child_seconds(code: str) -> float:
    """Return the median of what `code` prints in new processes: seconds of CPU time."""
    package = __name__.partition(".")[0]
    lines = "import sys, time\nstart = time.process_time\n" + code.format(package=package)
    command = [sys.executable, "-c", lines]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(6)]
    return median(float(run.stdout) for run in runs[1:])  # the first fills the cache


def import_time(game: str) -> float:
    """Return the CPU seconds of `import emberdeck` in a new process."""
    del game
    return child_seconds(
        "begun = start(); import {package}; print(start() - begun)\n"
        "assert 'numba' not in sys.modules"
    )


def first_decision(game: str) -> float:
    """Return the CPU seconds from the import to a new process's first decision, cache warm."""
    return child_seconds(
        "import {package}; begun = start(); from {package}.envs import GAMES\n"
        f"state = GAMES[{game!r}].new(seed=1)\n"
        "state.apply(state.legal_actions()[0]); state.observation(state.to_act)\n"
        "print(start() - begun)"
    )


def turns_per_second(env: Any) -> float:
    """Run PettingZoo's own benchmark, which prints its figure."""
    from pettingzoo.test import performance_benchmark

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        performance_benchmark(env)
    found = re.search(r"([\d.]+) turns per second", printed.getvalue())
    assert found
    return float(found[1])


def pettingzoo_raw(game: str) -> float:
    """Return turns a second of the bare AEC environment in PettingZoo's benchmark."""
    return turns_per_second(aec.raw_env(get_game(game)))


def pettingzoo_ratio(game: str) -> float:
    """Return the same as a multiple of PettingZoo's connect_four."""
    from pettingzoo.classic import connect_four_v3

    return pettingzoo_raw(game) / turns_per_second(connect_four_v3.raw_env())
