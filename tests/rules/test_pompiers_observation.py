"""Pompiers!'s observation against a plain reading of its table (12), block by block."""

import random
from itertools import product

import pytest

from ..contract_helpers import games, positions
from .observation_helpers import assert_blocks, rule_rows
from .pompiers_documents import BASES, CARDS, COLOURS, GAME, TILES, after, deck, tiles_of
from .pompiers_model import LAST, cards_won, longest_run, pairs, rank, trick_numbers, voids_of

SETUPS = list(product(GAME.players, ("off", "on")))


def one_hot(value, values):
    return [float(value == one) for one in values]


def members(some, every):
    return [float(one in some) for one in every]


def best_of(trick, trump_card):
    trumps = [card for card in trick if card[0] == trump_card[0]]
    return max(trumps or [card for card in trick if card[0] == trick[0][0]], key=rank)


def expected_blocks(view, seat):
    """Return every block by name, from the view of `seat` alone."""
    v, players = view, view["players"]
    seats = [(seat + k) % players for k in range(players)]
    absent = 5 - players
    hand, trump = v["hands"][seat], v["trump_card"]
    played = {other: [] for other in seats}
    for trick in [*v["tricks"], {"leader": v["leader"], "cards": v["trick"]}]:
        for turn, card in enumerate(trick["cards"]):
            played[(trick["leader"] + turn) % players].append(card)
    mine = [v["placed"][seat], trump, *(v["drawn"] if v["chooser"] == seat else [])]
    known_out = [card for card in mine if card]
    seen = {*hand, *known_out, *(card for cards in played.values() for card in cards)}
    best = best_of(v["trick"], trump) if v["trick"] else None
    rooms = {other: trick_numbers(v, other) for other in seats}
    void = voids_of(v)
    last = v["tricks"][-1]["winner"] if v["tricks"] else None
    tiles = {v["slot_tile"], *v["emergency"], *v["set_aside"]}
    tiles |= {tile for own in v["acquired"] for tile in own}

    def by_seat(value):
        return [float(value(other)) for other in seats] + [0.0] * absent

    def rows(width, row):
        return [one for other in seats for one in row(other)] + [0.0] * (absent * width)

    def run_now(other):
        length = 0
        while len(v["tricks"]) - length in rooms[other]:
            length += 1
        return length / 10

    def has_placed(other):
        return v["phase"] == "place" and (other - v["dealer"]) % players < len(v["pile"])

    return {
        "hand": members(hand, CARDS),
        "unseen": [float(card in deck(players) and card not in seen) for card in CARDS],
        "known_out": members(known_out, CARDS),
        "table": members(v["trick"], CARDS),
        "played_by": rows(60, lambda other: members(played[other], CARDS)),
        "best_card": one_hot(best, CARDS),
        "best_seat": by_seat(lambda other: best in played[other]),
        "in_trick": by_seat(lambda other: any(card in v["trick"] for card in played[other])),
        "led": one_hot(v["trick"][0][0] if v["trick"] else "", COLOURS),
        "trump": one_hot(trump[0] if trump else "", COLOURS),
        "room_owner": [
            float(k < players and number in rooms[seats[k]])
            for number in range(1, 11)
            for k in range(5)
        ],
        "trick_number": [
            float(v["phase"] == "play" and len(v["tricks"]) == number) for number in range(10)
        ],
        "collected": rows(
            4,
            lambda other: [
                sum(card[0] == colour for card in cards_won(v, other)) / 15 for colour in COLOURS
            ],
        ),
        "taken": by_seat(lambda other: len(rooms[other]) / 10),
        "pairs": by_seat(lambda other: pairs(rooms[other]) / 5),
        "run_best": by_seat(lambda other: longest_run(rooms[other]) / 10),
        "run_now": by_seat(lambda other: run_now(other) if other == last else 0),
        "void": rows(4, lambda other: members(void[other], COLOURS)),
        "hand_size": by_seat(lambda other: len(v["hands"][other]) / 11),
        "placed_done": by_seat(has_placed),
        "chips": rows(5, lambda other: map(float, v["chips"][other])),
        "unachieved": by_seat(lambda other: v["chips"][other].count(False) / 5),
        "slot_tile": one_hot(v["slot_tile"], TILES),
        "emergency": members(v["emergency"], TILES),
        "set_aside": members(v["set_aside"], TILES),
        "acquired": rows(14, lambda other: members(v["acquired"][other], TILES)),
        "to_come": [float(tile in tiles_of(players) and tile not in tiles) for tile in TILES],
        "scores": by_seat(lambda other: v["scores"][other] / 70),
        "dealer": by_seat(lambda other: other == v["dealer"]),
        "leader": by_seat(lambda other: other == v["leader"]),
        "to_act": by_seat(lambda other: other == v["to_act"]),
        "chooser": by_seat(lambda other: other == v["chooser"]),
        "round": one_hot(v["round"], range(1, 6)),
        "rounds_left": [(LAST[players] - v["round"]) / 4],
        "phase": one_hot(v["phase"], ("place", "trump", "play")),
        "players": one_hot(players, (3, 4, 5)),
        "eleven": [float(v["options"]["eleven_cards"] == "on")],
    }


@pytest.mark.parametrize(("players", "eleven"), SETUPS)
def test_every_block_of_random_games_is_what_the_table_says(players, eleven):
    for seed in range(games(1, 10)):
        rng = random.Random(seed)
        for state in positions(GAME.new(players, {"eleven_cards": eleven}, seed), seed):
            assert_blocks(state, rng.randrange(players), expected_blocks)


@pytest.mark.plain
@pytest.mark.parametrize("name", BASES)
def test_every_block_of_the_documents_is_what_the_table_says(name):
    state = GAME.from_dict(BASES[name])
    while not state.over and state.to_dict()["round"] == BASES[name]["round"]:
        assert_blocks(state, state.to_act, expected_blocks)
        assert_blocks(state, 0, expected_blocks)
        state.apply(state.legal_actions()[0])
    assert_blocks(state, 0, expected_blocks)


def test_length_is_942():
    assert GAME.observation_size == 942


def test_all_values_of_a_full_game_lie_between_0_and_1():
    # The largest numbers there can be: all tricks by one seat, all chips, all tiles.
    chips = [[True] * 5, *[[False] * 5] * 3]
    tiles = [tile for tile in TILES if tile != "most_yellow"]
    own = [tiles, [], [], []]
    points = [25 + 40, 0, 0, 0]
    document = BASES["F4"] | {"chips": chips, "acquired": own, "emergency": [], "scores": points}
    observation = after(document, "A").observation(0)
    assert 0 <= observation.min() <= observation.max() <= 1


def test_rules_page_lists_the_actions():
    names = []
    for ids, name, *_ in rule_rows(GAME, 7):
        first, last = map(int, ids.split("-"))
        assert first == len(names)
        assert last == first + 59
        names += [name.strip("`").replace("CARD", card) for card in CARDS]
    assert tuple(names) == GAME.action_names
