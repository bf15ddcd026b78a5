"""Rewrite the tables in docs/environments that come from the code: `make docs`.

Between `<!-- NAME: generated -->` and `<!-- end -->` a page holds the table NAME of its game.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from emberdeck.envs import GAMES, Block, Game

PAGES = Path(__file__).parent / "environments"
GENERATED = re.compile(r"(<!-- (\w+): generated -->\n).*?(?=<!-- end -->)", re.DOTALL)


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
    """Return the action table, one row for neighbouring ids whose names differ in a word only."""
    rows, first = [], 0
    while first < game.num_actions:
        words = game.action_names[first].split()
        values: list[str] = []
        place, last = None, first
        while last + 1 < game.num_actions:
            following = game.action_names[last + 1].split()
            changed = differing_word(words, following)
            if changed is None or place not in (None, changed):
                break
            place, last = changed, last + 1
            values.append(following[place])
        if place is None:
            rows.append((str(first), f"`{game.action_names[first]}`", ""))
        else:
            pattern = " ".join([*words[:place], "N", *words[place + 1 :]])
            values.insert(0, words[place])
            short = values if len(values) <= 16 else [values[0], values[1], "...", values[-1]]
            rows.append((f"{first} to {last}", f"`{pattern}`", ", ".join(short)))
        first = last + 1
    return table(("ids", "name", "N, in the order of the ids"), rows)


def differing_word(one: list[str], two: list[str]) -> int | None:
    """Return the place of the only word in which two names differ, None for any other pair.

    The first word says what is done: names that differ in it stand for themselves.
    """
    if len(one) != len(two):
        return None
    places = [place for place, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1]]
    return places[0] if len(places) == 1 and places[0] > 0 else None


def observation(game: Game) -> str:
    """Return the table of the observation's blocks."""
    rows = [
        (f"`{block.name}`", str(block.offset), str(block.length), block.meaning + told(block))
        for block in game.observation_blocks
    ]
    return table(("block", "offset", "length", "meaning"), rows)


def told(block: Block) -> str:
    """Return which actions a block is a hint for, if any."""
    if block.action is None:
        return ""
    last = block.action + block.length - 1
    ids = f"s {block.action} to {last}" if block.length > 1 else f" {last}"
    return f"; hint for action{ids}"


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
