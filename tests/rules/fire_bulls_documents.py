"""Fire Bulls documents made by hand, and what follows from actions on them."""

import json
from collections import Counter
from copy import deepcopy
from itertools import chain
from pathlib import Path

from emberdeck.envs import GAMES

GAME = GAMES["fire_bulls"]
COLOURS = "gyrbn"
QI = [*COLOURS, "*"]
ALL_QI = Counter(dict.fromkeys(COLOURS, 10) | {"*": 4})
COPIES = {f"S{c}": 3 for c in COLOURS} | {f"W{c}": 2 for c in COLOURS}
COPIES |= {"W0": 2, "X": 9, "B": 6, "V": 3, "G": 1, "K": 8}
YEN = list(COPIES)
ALL_YEN = Counter(COPIES)
POINTS = {name: 1 if name[0] == "S" else 2 for name in YEN[:11]}
POINTS |= {"X": 3, "B": 6, "V": 8, "G": 12, "K": 0}
COST = {name: 1 if name[0] == "S" else 2 for name in YEN[:11]}
COST |= {"X": 3, "B": 5, "V": 5, "G": 7, "K": 1}
DIRECTIONS = ["DL", "L", "M", "R", "DR"]
LINES = {
    "L": [(0, 0), (0, 1), (0, 2)],
    "M": [(1, 0), (1, 1), (1, 2)],
    "R": [(2, 0), (2, 1), (2, 2)],
    "DL": [(0, 0), (1, 1), (2, 2)],
    "DR": [(2, 0), (1, 1), (0, 2)],
}
EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parent / "fire_bulls_examples.jsonl").read_text().splitlines()
]


def spread(cards, names=QI):
    """Return a multiset as a list in canonical order."""
    return [name for name in names for _ in range(cards[name])]


def minus(cards, *taken):
    left = Counter(cards)
    left.subtract(Counter(card for part in taken for card in part))
    assert min(left.values(), default=0) >= 0
    return left


def score(cards, colour):
    return sum(POINTS[c] + (c == "B" or c[1:] == colour) for c in cards)


def complete(given):
    """Return a whole document: `given` overrides its keys, the other cards go where they may.

    Of the Qi cards not named `qi_top` lies on the pile and the rest in `rest` (pile, discard or
    display); of the Yen cards `yen_top` on the piles and the rest in `yen_rest` (piles, removed).
    """
    given = deepcopy(given)
    players = given.pop("players", 3)
    qi_top, rest = given.pop("qi_top", []), given.pop("rest", "pile")
    yen_top, yen_rest = given.pop("yen_top", [[], [], []]), given.pop("yen_rest", "piles")
    d = {
        "game": "fire_bulls",
        "players": players,
        "options": {"reach": "graded"},
        "to_act": 0,
        "phase": "turn",
        "over": False,
        "end": None,
        "scores": [],
        "start": 0,
        "colors": list(COLOURS),
        "bulls": DIRECTIONS[:players],
        "hands": [[] for _ in range(players)],
        "display": ["g", "y", "r"],
        "qi_pile": [],
        "discard": [],
        "finished": 0,
        "idle": 0,
        "swapped": [False] * players,
        "pool": [],
        "drawn": [],
        "known": [[] for _ in range(players)],
        "yen_piles": [[], [], []],
        "rows": [["Sg", "Sy", "Sr"], ["Sb", "Sn", "Wg"], ["Wy", "Wr", "Wb"]],
        "general": "hidden",
        "beaten": [[] for _ in range(players)],
        "removed": [],
        "attack": None,
        "reward": None,
        "stolen": None,
        **given,
    }
    d["colors"] = d["colors"][:players]
    left = spread(minus(ALL_QI, d["display"], d["discard"], qi_top, *d["hands"]))
    d["qi_pile"] = (left if rest == "pile" else []) + qi_top
    if rest != "pile":
        d[rest] = spread(Counter(d[rest] + left))
    d["drawn"] = [
        spread(minus(hand, known)) for hand, known in zip(d["hands"], d["known"], strict=True)
    ]
    d["pool"] = spread(Counter(chain(d["qi_pile"], *d["drawn"])))
    rows = [card for row in d["rows"] for card in row if card]
    aside = ["G"] if d["general"] == "aside" else []
    left = minus(ALL_YEN, rows, d["removed"], aside, *d["beaten"], *yen_top)
    left = spread(left, YEN)
    if yen_rest == "piles":
        d["yen_piles"] = [left[i::3] + yen_top[i] for i in range(3)]
    else:
        d["yen_piles"] = yen_top
        d["removed"] = spread(Counter(d["removed"] + left), YEN)
    d["scores"] = [score(cards, own) for cards, own in zip(d["beaten"], d["colors"], strict=True)]
    return d


def example(number):
    """Return the document that a worked example ends with."""
    found = EXAMPLES[number - 1]
    assert found["id"] == number
    return run(complete(found["given"]), *found["do"])


def started(number):
    """Return the document that a worked example starts from."""
    return complete(EXAMPLES[number - 1]["given"])


def played(document, *names, seed=0):
    """Return the state after actions by name."""
    state = GAME.from_dict(document, seed)
    for name in names:
        state.apply(GAME.action_id(name))
    return state


def run(document, *names, seed=0):
    """Return the document after actions by name."""
    return played(document, *names, seed=seed).to_dict()


def legal(state):
    return {GAME.action_names[action] for action in state.legal_actions()}


TURN = complete(
    {
        "hands": [["g", "y", "y"], ["r", "r", "*"], ["b"]],
        "known": [["y"], ["r"], []],
        "beaten": [["Sg", "B"], ["X", "K"], []],
        "swapped": [False, True, False],
        "idle": 1,
        "removed": ["V"],
        "discard": ["n", "n"],
        "finished": 1,
        "start": 2,
    }
)
ATTACK = example(17)  # two of three cards for the X are laid
MORE = example(15)  # one card is beaten, the next may be
WITHOUT_REWARD = complete(EXAMPLES[23]["given"])
BO_REWARD = run(WITHOUT_REWARD, *EXAMPLES[23]["do"][:-1])
VICE_REWARD = run(complete(EXAMPLES[25]["given"]), *EXAMPLES[25]["do"][:-1])
GENERAL_REWARD = run(complete(EXAMPLES[21]["given"]), *EXAMPLES[21]["do"][:-1])
GENERAL_ATTACK = run(complete(EXAMPLES[21]["given"]), *EXAMPLES[21]["do"][:3])
PENALTY = example(28)
DISCARD = run(complete(EXAMPLES[4]["given"]), "draw stay")
STOLEN = example(22)
ESCAPE, GENERAL_END, STALL = example(34), example(35), example(46)
BASES = {
    "turn": TURN,
    "attack": ATTACK,
    "more": MORE,
    "bo": BO_REWARD,
    "vice": VICE_REWARD,
    "general": GENERAL_REWARD,
    "general_attack": GENERAL_ATTACK,
    "penalty": PENALTY,
    "discard": DISCARD,
    "stolen": STOLEN,
    "escape": ESCAPE,
    "general_end": GENERAL_END,
    "stall": STALL,
}
