"""What the tests of all games' observations share: the rules page's tables, block by block."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from emberdeck.envs import Game, State

RULES = Path(__file__).parents[2] / "docs" / "rules"


def rule_rows(game: Game, section: int) -> list[list[str]]:
    """Return the cells of the table rows in a section of the rules page, without backticks."""
    text = (RULES / f"{game.name}.md").read_text("utf-8")
    text = text.split(f"\n## {section}.")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines][1:]


def assert_blocks(
    state: State, seat: int, expected_blocks: Callable[[dict, int], dict[str, Any]]
) -> None:
    """Check every block of a seat's observation against what follows from its view."""
    observation = state.observation(seat)
    expected = expected_blocks(state.view(seat), seat)
    assert list(expected) == [block.name for block in state.game.observation_blocks]
    for block in state.game.observation_blocks:
        found = observation[block.offset : block.offset + block.length]
        wanted = np.array(expected[block.name], np.float32)
        assert found.shape == wanted.shape, block.name
        assert np.allclose(found, wanted, rtol=0, atol=1e-6), block.name
