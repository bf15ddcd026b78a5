from pathlib import Path

import pytest

from ..contract_helpers import Setup, every_setup, playthrough

FOLDER = Path(__file__).parent
SETUPS = {setup.label: setup for setup in every_setup()}
HINT = "the game changed: if it was meant to, run python tests/playthroughs/regenerate.py"


def test_every_setup_has_a_golden_game_and_nothing_else_has():
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(SETUPS)


@pytest.mark.parametrize("setup", SETUPS.values(), ids=list(SETUPS))
def test_golden_game_is_played_again(setup: Setup):
    golden = (FOLDER / f"{setup.label}.txt").read_text("utf-8").splitlines()
    assert playthrough(setup).splitlines() == golden, HINT
