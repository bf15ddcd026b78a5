"""Pumafiosi's observation against a plain reading of its table (12), block by block."""

import random
from itertools import product

import pytest

from ..contract_helpers import games, positions
from .observation_helpers import assert_blocks, rule_rows
from .pumafiosi_documents import GAME, KINDS, VALUES

SETUPS = list(product(GAME.players, (False, True), (1, 3)))


def one_hot(index, length):
    return [float(place == index) for place in range(length)]


def clipped(score):
    return max(-1, min(1, score / 100))


def strength(lying):
    return int(lying["card"]) + 10.5 * lying["gun"]


def expected_blocks(view, seat):
    """Return every block by name, from the view of `seat` alone."""
    v, players = view, view["players"]
    seats = [(seat + k) % players for k in range(players)]
    absent = 5 - players
    cards = [str(number) for number in range(1, 56)]
    hand = v["hands"][seat]
    played = [*v["played"], v["tony_played"]]
    unseen = set(cards) - set(hand) - {card for by in played for card in by}
    tony = {"card": v["tony_card"], "gun": False} if v["tony_card"] else None
    table = [*(v["table"][s] for s in seats), *[None] * absent, tony]
    strengths = [strength(lying) for lying in table if lying]
    entries = [(step, e) for step, there in enumerate(v["hierarchy"]) for e in there]

    def by_seat(value):
        return [value(s) for s in seats] + [0] * absent

    def place(owner):
        return 5 if owner is None else (owner - seat) % players

    def of(s, entry):
        return s in (entry["owner"], entry["co_owner"])

    def above(bar):
        return sum(value > bar for value in strengths) / 5

    def hand_rank(card):
        number = int(card)
        higher = sum(int(other) > number for other in unseen)
        share = higher / len(unseen) if unseen else 0
        return [1, number / 55, above(number), above(number + 10.5), share]

    def pending():
        if v["phase"] != "place":
            return [0] * 10
        number = int(v["table"][v["to_act"]]["card"])
        lower = [all(int(e["card"]) < number for e in there) for there in v["hierarchy"][:8]]
        return [number / 55, *lower, True]

    def ring():
        if v["phase"] != "ring":
            return [0] * 10
        (step,) = [step for step, e in entries if e["card"] == v["ring_target"]]
        return [int(v["ring_target"]) / 55, *one_hot(step, 9)]

    def step_row(there):
        if not there:
            return [0] * 16
        (e,) = there
        co_owner = [0] * 5 if e["co_owner"] is None else one_hot(place(e["co_owner"]), 5)
        items = [float(e["item"] == kind) for kind in KINDS[1:]]
        return [1, int(e["card"]) / 55, *one_hot(place(e["owner"]), 6), *co_owner, *items]

    def projected(s):
        if v["over"]:
            return clipped(v["scores"][s])
        mine = [VALUES[i] * (1 + (e["item"] == "notebook")) for i, e in entries if of(s, e)]
        return clipped(v["scores"][s] + (sum(mine) if mine else -10))

    last = v["hierarchy"][8]
    return {
        "players": one_hot(players - 2, 4),
        "options": [v["options"]["items"], v["options"]["games"] == 3],
        "phase": one_hot(["play", "place", "ring", "over"].index(v["phase"]), 4),
        "to_act": by_seat(lambda s: s == v["to_act"]),
        "game": [
            *one_hot(v["game_number"] - 1, 3),
            (v["options"]["games"] - v["game_number"]) / 2,
        ],
        "round": one_hot(v["round"] - 1, 10),
        "lead": by_seat(lambda s: s == v["start_seat"]),
        "yet_to_play": by_seat(lambda s: v["phase"] == "play" and v["table"][s] is None),
        "age": by_seat(lambda s: v["age_order"].index(s) / 4),
        "hand_size": by_seat(lambda s: len(v["hands"][s]) / 3),
        "pile_size": by_seat(lambda s: len(v["piles"][s]) / 7),
        "hand": [card in hand for card in cards],
        "unseen": [card in unseen for card in cards],
        "played": [
            card in by
            for by in [*(v["played"][s] for s in seats), *[[]] * absent, v["tony_played"]]
            for card in cards
        ],
        "table": [
            value
            for lying in table
            for value in (
                [1, int(lying["card"]) / 55, lying["gun"], strength(lying) / 65.5]
                if lying
                else [0] * 4
            )
        ],
        "hand_rank": [
            *(value for card in hand for value in hand_rank(card)),
            *[0] * 5 * (3 - len(hand)),
        ],
        "pending": pending(),
        "ring": ring(),
        "steps": [value for there in v["hierarchy"][:8] for value in step_row(there)],
        "casualty": [
            *by_seat(lambda s: sum(of(s, e) for e in last) / 10),
            *by_seat(lambda s: any(of(s, e) and e["item"] == "notebook" for e in last)),
            sum(e["owner"] is None for e in last) / 10,
        ],
        "represented": by_seat(lambda s: any(of(s, e) for _, e in entries)),
        "score": by_seat(lambda s: clipped(v["scores"][s])),
        "projected": by_seat(projected),
        "items": [
            value
            for s in [*seats, *[None] * absent]
            for value in [s is not None and kind in v["items"][s] for kind in KINDS]
        ],
    }


@pytest.mark.parametrize(("players", "items", "matches"), SETUPS)
def test_every_block_of_random_games_is_what_the_table_says(players, items, matches):
    for seed in range(games(1, 20)):
        rng = random.Random(seed)
        options = {"items": items, "games": matches}
        for state in positions(GAME.new(players, options, seed), seed):
            assert_blocks(state, rng.randrange(players), expected_blocks)


def test_rules_page_lists_the_actions():
    names = []
    for ids, name, *_ in rule_rows(GAME, 7):
        name = name.strip("`")
        first, _, last = ids.partition("-")
        count = int(last or first) - int(first) + 1
        assert int(first) == len(names)
        if " N" in name:
            names += [name.replace(" N", f" {number}") for number in range(1, count + 1)]
        elif " V" in name:
            names += [name.replace(" V", f" {value}") for value in VALUES]
        else:
            names.append(name)
    assert tuple(names) == GAME.action_names
