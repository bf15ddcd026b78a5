"""The JavaScript client encodes what the engine observes, bit for bit, and plays exported bots."""

import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from emberdeck.envs import GAMES, Game, State

from .contract_helpers import every_setup, games
from .policies.policy_helpers import write_bot
from .rules import fire_bulls_documents, pompeji_documents
from .test_conformance import every_game

CLIENT = Path(__file__).parent.parent / "clients" / "js"
NODE = shutil.which("node") or ""
# Documents with scores, gains, Warriors and a stack beyond what an observation shows.
EXTREMES = {
    "fire_bulls": [
        fire_bulls_documents.complete(
            {
                "phase": "penalty",
                "hands": [["g"], [], []],
                "rows": [[None, None, "Sg"], [None, None, "Wy"], ["K", None, None]],
                "beaten": [["X"] * 9 + ["B"] * 6 + ["V"] * 3 + ["G"], [], []],
                "yen_top": [["K"] * 7 + ["Sy", "Sr", "Sb", "Sn"] * 3, [], []],
                "general": "beaten",
                "attack": {
                    "dir": "DL",
                    "limit": 3,
                    "beaten": ["X", "X"],
                    "paid": [],
                    "warriors": 5,
                },
            }
        )
    ],
    "pompeji": [
        pompeji_documents.position(
            2,
            "6,6 Ar",
            "Ao | Ay",
            " ".join([*pompeji_documents.CARDS[3:], "volcano", "volcano"]),
            scores=[700, -700],
        ),
        pompeji_documents.position(
            2,
            [
                "3,6 Tr",
                "4,4 Gr",
                "4,6 Vg",
                "row 5 from 5: Vv Fo Ar",
                "row 6 from 3: Mr Vo Ay . Bg Vy Tb",
                "row 7 from 6: Gy Vw",
                "8,6 Vb",
                "9,6 Mo",
            ],
            "Vr | Fg",
            "Fr",
            values="building",
        ),
    ],
    "pumafiosi": [
        GAMES["pumafiosi"].new(2).to_dict()
        | {"wealth": [150, 0], "penalty": [0, 150], "scores": [150, -150]}
    ],
}

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
    bot = write_bot(tmp_path / "bot", game)
    assert run_tests(CLIENT / "tests" / "golden.test.js", EMBERDECK_BOT=str(bot)) == 1


def test_the_readme_runs_as_pasted(tmp_path):
    """Its first example, but for where the bot is."""
    bot = write_bot(tmp_path / "bot", GAMES["pumafiosi"])
    code = re.search(r"^```js\n(.*?)^```", (CLIENT / "README.md").read_text(), re.M | re.S)[1]
    code = code.replace('"bot', f'"{bot.as_posix()}')
    printed = run_node("--input-type=module", "--eval", code).decode()
    assert re.fullmatch(r"play \d+ -?[\d.]+\n", printed)


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


def extreme_states(game: Game) -> Iterator[tuple[State, int]]:
    """Yield the states of EXTREMES, each with every seat."""
    for document in EXTREMES.get(game.name, []):
        state = game.from_dict(document)
        yield from ((state, seat) for seat in range(state.players))


@every_game
def test_observations_are_those_of_the_engine(game, tmp_path):
    """Every block, without a tolerance; also from a whole document, whose secrets it passes by."""
    lines, expected = [], []
    for state, seat in chain(telling_states(game, games(8, 400)), extreme_states(game)):
        document = state.to_dict() if len(lines) % 3 == 0 else state.view(seat)
        lines.append(json.dumps({"seat": seat, "view": document}))
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
