"""Fire Bulls' observation against a plain reading of its table (12), block by block."""

import random
from collections import Counter
from itertools import product

import pytest

from ..contract_helpers import games
from .fire_bulls_documents import BASES, COLOURS, COPIES, DIRECTIONS, GAME, LINES, QI, YEN
from .fire_bulls_model import limit, next_cards
from .observation_helpers import assert_blocks, rule_rows

SETUPS = list(product(GAME.players, ("graded", "strict", "free")))


def one_hot(value, values):
    return [float(value == one) for one in values]


def qi_counts(cards):
    count = Counter(cards)
    return [count[kind] / (4 if kind == "*" else 10) for kind in QI]


def yen_counts(cards):
    count = Counter(cards)
    return [count[card] / COPIES[card] for card in YEN]


def flat(rows):
    return [value for row in rows for value in row]


def expected_blocks(view, seat):
    """Return every block by name, from the view of `seat` alone."""
    v, players = view, view["players"]
    seats = [(seat + k) % players for k in range(players)]
    absent = 5 - players
    attack = v["attack"]
    hand = v["hands"][seat]

    def by_seat(value, length=1):
        rows = [value(s) for s in seats] + [[0] * length] * absent
        return flat(row if isinstance(row, list) else [row] for row in rows)

    def slot(other):
        return [float(k < players and seats[k] == other) for k in range(5)]

    def first(way):
        if way == "general":
            return "G" if v["general"] == "aside" else None
        return next((c for row, place in LINES[way] if (c := v["rows"][row][place])), None)

    def payable(way):
        return bool(first(way) and next_cards(first(way), hand, []))

    def stolen():
        if v["stolen"] is None:
            return [0] * 11
        return [*one_hot(v["stolen"]["cards"][seat], QI), *slot(v["stolen"]["by"])]

    seen = [*flat(v["rows"]), *flat(v["beaten"]), *v["removed"]]
    seen += ["G"] if v["general"] == "aside" else []
    unseen = Counter(COPIES) - Counter(seen)
    warriors = min(attack["warriors"] / 4, 1) if attack else 0
    return {
        "players": one_hot(players, (2, 3, 4, 5)),
        "reach": one_hot(v["options"]["reach"], ("graded", "strict", "free")),
        "phase": one_hot(v["phase"], ("turn", "attack", "reward", "penalty", "discard")),
        "actor": slot(v["to_act"]),
        "hand": qi_counts(hand),
        "hand_sizes": by_seat(lambda s: len(v["hands"][s]) / 9),
        "known": by_seat(lambda s: qi_counts(v["known"][s]), 6),
        "display": qi_counts(v["display"]),
        "discard": qi_counts(v["discard"]),
        "unseen": qi_counts((Counter(v["pool"]) - Counter(v["drawn"][seat])).elements()),
        "pile": [len(v["qi_pile"]) / 54, v["finished"] / 3],
        "swaps": [v["idle"] / (4 * players), *by_seat(lambda s: v["swapped"][s])],
        "rows": flat(one_hot(card, YEN) for row in v["rows"] for card in row),
        "yen_piles": [min(len(pile) / 15, 1) for pile in v["yen_piles"]],
        "yen_unseen": yen_counts(unseen.elements()),
        "general": one_hot(v["general"], ("hidden", "aside", "beaten")),
        "bulls": by_seat(lambda s: one_hot(v["bulls"][s], DIRECTIONS), 5),
        "colors": by_seat(lambda s: one_hot(v["colors"][s], COLOURS), 5),
        "beaten": by_seat(lambda s: yen_counts(v["beaten"][s]), 16),
        "scores": by_seat(lambda s: min(v["scores"][s] / 100, 1)),
        "stolen": stolen(),
        "attack_dir": one_hot(attack and attack["dir"], [*DIRECTIONS, "general"]),
        "attack_nums": (
            [attack["limit"] / 3, len(attack["beaten"]) / 3, warriors] if attack else [0] * 3
        ),
        "attack_paid": qi_counts(attack["paid"] if attack else []),
        "attack_target": one_hot(v["phase"] == "attack" and first(attack["dir"]), YEN),
        "attack_beaten": [(attack["beaten"].count(card) if attack else 0) / 3 for card in YEN],
        "reward": one_hot(v["reward"], ("B", "V", "G")),
        "payable": [payable(way) for way in [*DIRECTIONS, "general"]],
        "my_reach": [limit(v["options"]["reach"], v["bulls"][seat], way) / 3 for way in DIRECTIONS],
    }


@pytest.mark.parametrize(("players", "reach"), SETUPS)
def test_every_block_of_games_is_what_the_table_says(players, reach):
    for seed in range(games(1, 8)):
        rng = random.Random(seed)
        state = GAME.new(players, {"reach": reach}, seed)
        while True:
            assert_blocks(state, rng.randrange(players), expected_blocks)
            if state.over:
                break
            well = rng.random() < 0.6
            state.apply(state.heuristic_action() if well else rng.choice(state.legal_actions()))


@pytest.mark.plain
@pytest.mark.parametrize("base", BASES)
def test_every_block_of_hand_made_positions_is_what_the_table_says(base):
    state = GAME.from_dict(BASES[base])
    for seat in range(state.players):
        assert_blocks(state, seat, expected_blocks)


def test_size():
    assert GAME.observation_size == 457


def test_rules_page_lists_the_actions():
    names = []
    for ids, name, *_ in rule_rows(GAME, 7):
        first, _, last = ids.partition("-")
        assert int(first) == len(names)
        word, kinds = name.split()[0], {"T": QI, "D": [*DIRECTIONS, "general"], "Y": YEN}
        found = [f"{word} {kind}" for kind in kinds.get(name.split()[-1], [])] or [name]
        assert len(found) == int(last or first) - int(first) + 1
        names += found
    assert tuple(names) == GAME.action_names
