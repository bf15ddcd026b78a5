"""Rewrite the tables in docs/environments that come from the code: `make docs`.

Between `<!-- NAME: generated -->` and `<!-- end -->` a page holds the table NAME of its game.
"""

import re
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from emberdeck.envs import GAMES, Game

PAGES = Path(__file__).parent / "environments"
GENERATED = re.compile(r"(<!-- (\w+): generated -->\n).*?(?=<!-- end -->)", re.DOTALL)
NUMBER = re.compile(r"-?\d+")


def spaces(game: Game) -> str:
    """Return what a program needs to know of the game's sizes and names."""
    observation = f"`Box(-1, 1, ({game.observation_size},), float32)`"
    return table(
        ("what", "value"),
        [
            ("id", f"`emberdeck/{game.name}-v{game.version}`"),
            ("seats", f"{code(game.players)}; default `{game.default_players}`"),
            ("agents", "`player_0`, `player_1`, ... in turn order"),
            ('`["observation"]`', f"{observation}, table below"),
            ('`["action_mask"]`', f"`Box(0, 1, ({game.num_actions},), int8)`, 1 = legal"),
            ("action", f"`Discrete({game.num_actions})`, table below"),
        ],
    )


def options(game: Game) -> str:
    """Return the table of the game's options."""
    rows = [
        (f"`{name}`", code(option.values), f"`{option.default}`", option.meaning)
        for name, option in game.options.items()
    ]
    return table(("option", "values", "default", "meaning"), rows)


def actions(game: Game) -> str:
    """Return the action table, one row for neighbouring ids whose names differ in a number only."""
    rows = []
    numbered = list(enumerate(game.action_names))
    for pattern, group in groupby(numbered, key=lambda row: NUMBER.sub("N", row[1])):
        ids, names = zip(*group, strict=True)
        if len(ids) == 1:
            rows.append((str(ids[0]), f"`{names[0]}`", ""))
            continue
        values = [found[0] for name in names if (found := NUMBER.search(name))]
        short = values if len(values) <= 12 else [values[0], values[1], "...", values[-1]]
        rows.append((f"{ids[0]} to {ids[-1]}", f"`{pattern}`", ", ".join(short)))
    return table(("ids", "name", "N, in the order of the ids"), rows)


def observation(game: Game) -> str:
    """Return the table of the observation's blocks."""
    rows = [
        (f"`{block.name}`", str(block.offset), str(block.length), block.meaning)
        for block in game.observation_blocks
    ]
    return table(("block", "offset", "length", "meaning"), rows)


def code(values: Iterable[object]) -> str:
    """Return values as a list of code words."""
    return ", ".join(f"`{value}`" for value in values)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    header = tuple(header)
    lines = (header, ("---",) * len(header), *rows)
    return "".join("| " + " | ".join(cells).replace("  ", " ") + " |\n" for cells in lines)


TABLES = {table.__name__: table for table in (spaces, options, actions, observation)}


def rewrite(page: str, game: Game) -> str:
    """Return the text of a game's page with every generated table as the code has it now."""
    return GENERATED.sub(lambda found: found[1] + TABLES[found[2]](game), page)


if __name__ == "__main__":
    for name, game in GAMES.items():
        path = PAGES / f"{name}.md"
        path.write_text(rewrite(path.read_text(), game))
