"""What several test files share: setups, how many games to play, random play, records of games.

Imports nothing of the tests, so that new processes can run this file too (`runpy`).
"""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path

import numpy as np

from emberdeck.envs import GAMES, Game, Option, State
from emberdeck.envs.compiled import JIT
from emberdeck.envs.game import AUTO
from emberdeck.envs.vector import VectorGame

SOAK = os.environ.get("EMBERDECK_SOAK") == "1"
THIS_FILE = Path(__file__).resolve()


def games(small: int, large: int) -> int:
    """Return how much of something to test: `small`, or `large` under EMBERDECK_SOAK=1.

    As plain Python, a hundred times as slow, tests run once more for their coverage alone: there a
    twentieth of `large` is enough.
    """
    if not SOAK:
        return small
    return large if JIT else max(small, large // 20)


@dataclass(frozen=True)
class Setup:
    """A game, a number of players and a value for every option."""

    game: Game
    players: int
    options: dict

    @property
    def label(self) -> str:
        """A name that fits a file, such as `pumafiosi-2-items_true-games_3`."""
        values = [f"{name}_{value}".lower() for name, value in self.options.items()]
        return "-".join([self.game.name, str(self.players), *values])

    def new(self, seed: int) -> State:
        """Start a game of this setup."""
        return self.game.new(self.players, self.options, seed)


def every_setup() -> list[Setup]:
    """Return every game with every number of players and combination of plain option values."""
    return [
        Setup(game, players, dict(zip(game.options, values, strict=True)))
        for game in GAMES.values()
        for players in game.players
        for values in product(*(plain_values(option) for option in game.options.values()))
    ]


def setups_of_every_size() -> list[Setup]:
    """Return one setup a game and number of players, its options in turn; in soak runs every one.

    The golden games of tests/playthroughs go through every setup in quick runs too.
    """
    sizes = groupby(every_setup(), lambda setup: (setup.game.name, setup.players))
    turns = ((players, list(setups)) for (_, players), setups in sizes)
    return every_setup() if SOAK else [setups[players % len(setups)] for players, setups in turns]


def plain_values(option: Option) -> list[bool | int | str]:
    """Return the values that a state may have: all but "auto"."""
    return [value for value in option.values if option.automatic is None or value != AUTO]


def positions(state: State, seed: int) -> Iterator[State]:
    """Play `state` at random, in place, and show it at every decision and at the end."""
    rng = random.Random(seed)
    yield state
    while not state.over:
        state.apply(rng.choice(state.legal_actions()))
        yield state


def some_positions(state: State, seed: int, every: int) -> Iterator[tuple[int, State]]:
    """As `positions`, numbered, but only every so many, other ones in each game, and the end."""
    for count, now in enumerate(positions(state, seed)):
        if (count + seed) % every == 0 or now.over:
            yield count, now


def random_positions(setup: Setup, small: int, large: int) -> Iterator[State]:
    """Show the positions of that many random games, each time the game's own state.

    In a quick run the first ones, then every eleventh and the last.
    """
    for seed in range(games(small, large)):
        for count, state in enumerate(positions(setup.new(seed), seed)):
            if SOAK or count < 12 or count % 11 == 0 or state.over:
                yield state


def play_out(state: State, seed: int) -> list[bytes]:
    """Play `state` at random to its end, in place, and return its bytes at every decision."""
    return [position.array.tobytes() for position in positions(state, seed)]


def without_generator(state: State) -> bytes:
    """Return the bytes of the state with its generator set to zero."""
    array = np.array(state.array)
    array["rng"] = 0
    return array.tobytes()


def canonical(document: dict) -> str:
    """Return the document as one string; NumPy numbers are an error."""
    return json.dumps(document, sort_keys=True)


def playthrough(setup: Setup, seed: int = 0) -> str:
    """Return the record of a random game as text: its setup, every decision, how it ended.

    Each decision shows the seat, the action's name and a checksum of what follows from it: the
    whole document and every seat's observation.
    """
    state = setup.new(seed)
    rng = random.Random(seed)
    lines = [
        f"{setup.game.name} v{setup.game.version}, {setup.players} players, seed {seed}",
        f"options {json.dumps(setup.options)}",
        canonical(state.to_dict()),
    ]
    while not state.over:
        seat, action = state.to_act, rng.choice(state.legal_actions())
        state.apply(action)
        digest = hashlib.sha256(canonical(state.to_dict()).encode())
        for observer in range(setup.players):
            digest.update(state.observation(observer).astype("<f4").tobytes())
        lines.append(f"{digest.hexdigest()[:8]} {seat}: {setup.game.action_names[action]}")
    lines += [canonical(state.to_dict()), f"winners {state.winners()}"]
    return "\n".join(lines) + "\n"


def fingerprint(setup: Setup, seed: int) -> str:
    """Return a hash of all that the engine computes in one random game, bit for bit.

    At every decision the state's bytes, its mask and the observations; the scripted player's action
    and a determinized state at every fifth one, as they are slow in plain Python.
    """
    digest = hashlib.sha256()
    for count, state in enumerate(positions(setup.new(seed), seed)):
        digest.update(state.array.tobytes() + state.mask().tobytes())
        for seat in range(setup.players):
            digest.update(state.observation(seat).tobytes())
        if count % 5 == 0 and not state.over:
            seat = count % setup.players
            digest.update(state.determinize(seat, count).array.tobytes())
            digest.update(str(state.heuristic_action()).encode())
        if state.over:
            outcome = [state.scores(), state.winners()]
            outcome += [state.rewards(kind) for kind in ("win", "rank", "score")]
            digest.update(repr(outcome).encode())
    return digest.hexdigest()


def batch_fingerprint(setup: Setup, seed: int) -> str:
    """Return a hash of all arrays of a few games in lock-step, over the end of some of them."""
    digest = hashlib.sha256()
    vector = VectorGame(setup.game, 3, setup.players, setup.options, seed)
    rng = random.Random(seed)
    for _ in range(80):
        vector.step(np.array([rng.choice(np.flatnonzero(row)) for row in vector.mask]))
        for name in ("states", "seat", "observation", "mask", "reward", "done", "final_scores"):
            digest.update(getattr(vector, name).tobytes())
        digest.update(vector.length.tobytes())
    return digest.hexdigest()


def fingerprints(seed: int = 0) -> dict[str, str]:
    """Return hashes of one game and one batch of games, of one setup a game (soak: of all)."""
    hashes = {}
    for game in GAMES.values():
        setups = [setup for setup in every_setup() if setup.game is game]
        for setup in setups if SOAK else setups[-1:]:
            hashes[setup.label] = fingerprint(setup, seed)
            hashes[f"{setup.label} batch"] = batch_fingerprint(setup, seed)
    return hashes


def run_python(code: str, **environment: str) -> str:
    """Run `code` in a new process with `environment` added; return what it printed.

    The names of this file are there as attributes of `helpers`.
    """
    prologue = (
        "import runpy, types\n"
        f"helpers = types.SimpleNamespace(**runpy.run_path({str(THIS_FILE)!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", prologue + code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
