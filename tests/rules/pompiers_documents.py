"""The documents and worked examples of pompiers_examples.jsonl, and short names for tests.

A line of that file is a base document, a line of play (ten tricks), or an example: take a base,
replace the keys in `set`, play the first `upto` cards of `line`, do the actions `do`; then `expect`
holds.
"""

import json
from copy import deepcopy
from pathlib import Path

from emberdeck.envs import GAMES, State

GAME = GAMES["pompiers"]
COLOURS = "RBYK"
CARDS = [f"{colour}{rank}" for colour in COLOURS for rank in range(1, 16)]
POINTS = {
    "exactly_1": 4,
    "exactly_2": 3,
    "exactly_3": 2,
    "trick_3": 3,
    "trick_7": 3,
    "trick_9": 2,
    "trick_r": 3,
    "trick_r5": 2,
    "most_red": 3,
    "most_blue": 3,
    "most_yellow": 3,
    "no_red": 4,
    "no_yellow": 4,
    "no_black": 4,
}
TILES = list(POINTS)
FILE = Path(__file__).with_name("pompiers_examples.jsonl")
LINES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
EXAMPLES = [line for line in LINES if "n" in line]
PLAYS = {line["line"]: line["cards"].replace("/", " ").split() for line in LINES if "for" in line}
BASES: dict[str, dict] = {}
for line in LINES:
    if "base" in line and "n" not in line:
        BASES[line["base"]] = line.get("doc") or BASES[line["from"]] | line["set"]


def base(name: str, **changes) -> dict:
    """Return a copy of a base document with these keys replaced."""
    return deepcopy(BASES[name] | changes)


def after(document: dict, line: str = "", upto: int = 50, do: tuple = ()) -> State:
    """Return the state after the first `upto` cards of a line of play and then some actions."""
    state = GAME.from_dict(document)
    cards = PLAYS[line][:upto] if line else []
    for name in [*(f"play {card}" for card in cards), *do]:
        state.apply(GAME.action_id(name))
    return state


def legal(state: State) -> list[str]:
    """Return the names of the legal actions by id."""
    return [GAME.action_names[action] for action in state.legal_actions()]


def deck(players: int) -> list[str]:
    """Return the cards in use."""
    return [card for card in CARDS if int(card[1:]) <= {3: 9, 4: 12, 5: 15}[players]]


def tiles_of(players: int) -> list[str]:
    """Return the tiles in use."""
    return [tile for tile in TILES if players > 3 or not tile.startswith("trick_r")]
