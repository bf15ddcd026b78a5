"""The JavaScript client encodes what the engine observes, bit for bit, and plays exported bots."""

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from emberdeck.envs import Game, State
from emberdeck.policies.export import export

from .contract_helpers import every_setup, games
from .policies.policy_helpers import write_checkpoint
from .test_conformance import every_game

CLIENT = Path(__file__).parent.parent / "clients" / "js"
NODE = shutil.which("node") or ""

pytestmark = pytest.mark.skipif(not NODE, reason="needs Node 20 or newer (nodejs.org): no `node`")


def run_node(*arguments: object, stdin: bytes = b"", **environment: str) -> bytes:
    """Run Node in the client's folder; return what it printed."""
    installed = CLIENT / "node_modules" / "onnxruntime-node"
    assert installed.is_dir(), "run `npm ci` in clients/js (`make test` does)"
    done = subprocess.run(
        [NODE, *map(str, arguments)],
        cwd=CLIENT,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout[-5000:] + done.stderr[-5000:]).decode()
    return done.stdout


def run_tests(*files: Path, **environment: str) -> int:
    """Run the tests in these files and return how many there are; none may be skipped."""
    report = run_node("--test", "--test-reporter=tap", *files, **environment).decode()
    passed, skipped = (int(re.search(rf"^# {key} (\d+)", report, re.MULTILINE)[1])
                       for key in ("pass", "skipped"))  # fmt: skip
    assert skipped == 0
    return passed


def test_the_bot():
    assert run_tests(CLIENT / "tests" / "bot.test.js") >= 12


@every_game
def test_golden_vectors(game, tmp_path):
    checkpoint = write_checkpoint(tmp_path / "checkpoint", game, hidden=(16,))
    export(str(checkpoint), tmp_path / "bot")
    golden = CLIENT / "tests" / "golden.test.js"
    assert run_tests(golden, EMBERDECK_BOT=str(tmp_path / "bot")) == 1


def telling_states(game: Game, num_games: int) -> Iterator[tuple[State, int]]:
    """Yield states of random games of every setup, and a seat that observes each of them.

    Those in which an element of the observation is not 0 for the first time, and some others.
    """
    rng = random.Random(0)
    told = np.zeros(game.observation_size, bool)
    for setup in every_setup():
        for seed in range(num_games if setup.game is game else 0):
            state = setup.new(seed)
            scripted = 0.8 if seed % 3 == 2 else 0.0  # the share of the scripted player's moves
            while True:
                seat = rng.randrange(state.players)
                shown = state.observation(seat) != 0
                if rng.random() < 0.02 or (shown & ~told).any():
                    told |= shown
                    yield state, seat
                if state.over:
                    break
                by_script = rng.random() < scripted
                state.apply(
                    state.heuristic_action() if by_script else rng.choice(state.legal_actions())
                )


@every_game
def test_observations_are_those_of_the_engine(game, tmp_path):
    """Every block, from the view alone, without a tolerance."""
    lines, expected = [], []
    for state, seat in telling_states(game, games(8, 400)):
        lines.append(json.dumps({"seat": seat, "view": state.view(seat)}))
        expected.append(state.observation(seat))
    assert len(lines) >= 300
    card = {"game": game.name, "game_version": game.version, "players": list(game.players)}
    card["blocks"] = [asdict(block) for block in game.observation_blocks]
    (tmp_path / "bot.json").write_text(json.dumps(card))
    encoder = CLIENT / "tests" / "encode.js"
    written = run_node(encoder, tmp_path / "bot.json", stdin="\n".join(lines).encode())
    wanted = np.array(expected)
    found = np.frombuffer(written, "<f4").reshape(wanted.shape)
    for block in game.observation_blocks:
        part = np.s_[:, block.offset : block.offset + block.length]
        assert wanted[part].any(), f"no state shows {block.name}"
        assert not (wanted[part] == wanted[part][0]).all(), f"{block.name} never changes"
        wrong = (wanted[part].view("u4") != found[part].view("u4")).any(axis=1)
        assert not wrong.any(), f"{block.name} of {lines[wrong.argmax()]}"
