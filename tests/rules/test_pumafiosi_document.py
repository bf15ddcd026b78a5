"""Which Pumafiosi documents are read and which are refused (5)."""

import json

import pytest

from .document_helpers import assert_refused, changed, name_of, swapped
from .pumafiosi_documents import GAME, KINDS, position, run

COLUMN = "10:44/0/vest 8:33/1/ring/2 7:28/2 -3:12/1 -3:11/0/notebook"
ITEMS = ["machine_gun ring", "machine_gun vest ring", "machine_gun vest notebook"]

# Documents to break, in every phase and for every number of players that has rules of its own.
PLAY = position(3, ["10 30 50", "20 40 45", "5 35 55"], COLUMN, items=ITEMS, games=3, game=2)
PLAY = run(PLAY, "play 30", "play 40 with machine gun")  # seat 2 is yet to play
PLACE = run(PLAY, "play 35")  # 30, 50.5, 35: seat 2 won
TWO = position(
    2, ["20 1 2", "40 3 4"], "10:33/0/vest 8:28/T 7:15/1/ring", tony="30", items=["", "vest"]
)
TWO_PLACE = run(TWO, "play 20", "play 4")  # Tony's 30 is the highest, the 20 wins
RING = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/1 8:20/0", items=["ring", "all", "all"])
RING = run(RING, "play 40", "play 3", "play 50", "place at 10")  # the 30 lies at 8, the 20 at 7
FULL = "10:42/0 8:41/1 7:43/2 6:44/0 5:45/1 3:46/2 2:47/0 1:48/1 -3:4/0"
OVER = run(position(3, ["30", "31", "32"], FULL), "play 30", "play 31", "play 32", "place at -3")
PLAIN = run(position(3, ["30", "31", "32"], FULL), "play 30")  # without items
BASES = {
    "play": PLAY,
    "place": PLACE,
    "two": TWO,
    "two_place": TWO_PLACE,
    "ring": RING,
    "over": OVER,
    "plain": PLAIN,
}


def entry(card, owner, item=None, co_owner=None):
    return {"card": card, "owner": owner, "item": item, "co_owner": co_owner}


TYPES = [  # base, changes, keys of which the error names one
    ("play", {"game": "pompeji"}, "game"),
    ("play", {"game": None}, "game"),
    ("play", {"players": 4}, "players scores"),
    ("play", {"players": 6}, "players"),
    ("play", {"players": True}, "players"),
    ("play", {"players": "3"}, "players"),
    ("play", {"players": 3.0}, "players"),
    ("play", {"options": None}, "options"),
    ("play", {"options": {"items": True}}, "options games"),
    ("play", {"options": {"items": True, "games": 3, "turbo": True}}, "options turbo"),
    ("play", {"options.items": 1}, "options items"),
    ("play", {"options.items": None}, "options items"),
    ("play", {"options.games": 2}, "options games"),
    ("play", {"options.games": "3"}, "options games"),
    ("play", {"to_act": True}, "to_act"),
    ("play", {"to_act": "2"}, "to_act"),
    ("play", {"to_act": 2.0}, "to_act"),
    ("play", {"to_act": 3}, "to_act"),
    ("play", {"to_act": -1}, "to_act"),
    ("play", {"to_act": None}, "to_act"),
    ("play", {"phase": "draw"}, "phase"),
    ("play", {"phase": None}, "phase"),
    ("play", {"phase": ["play"]}, "phase"),
    ("play", {"over": 0}, "over"),
    ("play", {"over": None}, "over"),
    ("play", {"scores": [0, 0]}, "scores"),
    ("play", {"scores": None}, "scores"),
    ("play", {"scores.0": "0"}, "scores"),
    ("play", {"scores.0": False}, "scores"),
    ("play", {"wealth": [0, 0, 0, 0]}, "wealth"),
    ("play", {"wealth.0": False}, "wealth"),
    ("play", {"wealth.0": 0.0}, "wealth"),
    ("play", {"wealth": {}}, "wealth"),
    ("play", {"penalty": [0, 0]}, "penalty"),
    ("play", {"penalty.1": None}, "penalty"),
    ("play", {"items": [[], []]}, "items"),
    ("play", {"items.0": "ring"}, "items"),
    ("play", {"items.0": ["ring", "machine_gun"]}, "items"),
    ("play", {"items.0": ["machine_gun", "machine_gun"]}, "items"),
    ("play", {"items.0": ["pistol"]}, "items"),
    ("play", {"items.0": [None]}, "items"),
    ("play", {"age_order": [0, 1]}, "age_order"),
    ("play", {"age_order": [0, 1, 1]}, "age_order"),
    ("play", {"age_order": [0, 1, 3]}, "age_order"),
    ("play", {"age_order": [False, True, 2]}, "age_order"),
    ("play", {"age_order": "012"}, "age_order"),
    ("play", {"game_number": 0}, "game_number"),
    ("play", {"game_number": 4}, "game_number"),
    ("play", {"game_number": "2"}, "game_number"),
    ("play", {"game_number": 1}, "game_number future_decks"),
    ("ring", {"game_number": True}, "game_number"),
    ("play", {"round": 0}, "round"),
    ("play", {"round": 11}, "round"),
    ("play", {"round": "6"}, "round"),
    ("play", {"start_seat": 3}, "start_seat"),
    ("play", {"start_seat": None}, "start_seat"),
    ("play", {"start_seat": False}, "start_seat"),
    ("play", {"hands": [[], []]}, "hands"),
    ("play", {"hands.0": None}, "hands"),
    ("play", {"hands.2": ["35", "5", "55"]}, "hands"),
    ("play", {"hands.2": [5, 35, 55]}, "hands"),
    ("play", {"hands.2": ["05", "35", "55"]}, "hands"),
    ("play", {"hands.2": ["5", "35", "56"]}, "hands"),
    ("play", {"hands.2": ["0", "35", "55"]}, "hands"),
    ("play", {"hands.2": ["5", "35", " 55"]}, "hands"),
    ("play", {"hands.2": ["5", "35", "٣"]}, "hands"),
    ("play", {"hands.2": ["5", "35", None]}, "hands"),
    ("play", {"piles": None}, "piles"),
    ("play", {"piles.0": "1"}, "piles"),
    ("play", {"deck": None}, "deck"),
    ("play", {"deck.0": None}, "deck"),
    ("play", {"deck.0": 1}, "deck"),
    ("play", {"future_decks": []}, "future_decks"),
    ("play", {"future_decks.0": None}, "future_decks"),
    ("play", {"future_decks.0.0": "1"}, "future_decks"),
    ("play", {"future_decks.0": ["1"]}, "future_decks"),
    ("play", {"table": [None, None]}, "table"),
    ("play", {"table.0": "30"}, "table"),
    ("play", {"table.0": {"card": "30"}}, "table gun"),
    ("play", {"table.0": {"card": "30", "gun": 0}}, "table gun"),
    ("play", {"table.0": {"card": 30, "gun": False}}, "table card"),
    ("play", {"table.0": {"card": "30", "gun": False, "seat": 0}}, "table seat"),
    ("play", {"tony_card": "1"}, "tony_card"),
    ("two", {"tony_card": 30}, "tony_card"),
    ("play", {"played": None}, "played"),
    ("play", {"played.0.0": None}, "played"),
    ("play", {"tony_played": None}, "tony_played"),
    ("play", {"hierarchy": [[]] * 8}, "hierarchy"),
    ("play", {"hierarchy": [*PLAY["hierarchy"], []]}, "hierarchy"),
    ("play", {"hierarchy": [*PLAY["hierarchy"][:3], *PLAY["hierarchy"][4:]]}, "hierarchy"),
    ("play", {"hierarchy": None}, "hierarchy"),
    ("play", {"hierarchy.0": None}, "hierarchy"),
    ("play", {"hierarchy.0.0": None}, "hierarchy"),
    ("play", {"hierarchy.0.0": {"card": "44", "owner": 0, "item": None}}, "hierarchy co_owner"),
    ("play", {"hierarchy.0.0": entry("44", 0) | {"step": 0}}, "hierarchy step"),
    ("play", {"hierarchy.0.0.card": 44}, "hierarchy card"),
    ("play", {"hierarchy.0.0.owner": 3}, "hierarchy owner"),
    ("play", {"hierarchy.0.0.owner": False}, "hierarchy owner"),
    ("play", {"hierarchy.0.0.item": "machine_gun"}, "hierarchy item"),
    ("play", {"hierarchy.0.0.item": 1}, "hierarchy item"),
    ("play", {"hierarchy.1.0.co_owner": 3}, "hierarchy co_owner"),
    ("play", {"hierarchy.1.0.co_owner": "2"}, "hierarchy co_owner"),
    ("ring", {"ring_target": 30}, "ring_target"),
    ("ring", {"ring_target": "56"}, "ring_target"),
]

PLACES = "hands piles deck played tony_played"  # a card that is there twice, another one nowhere
CARDS = [
    ("play", {"hands.2": ["5", "35", "50"]}, PLACES),
    ("play", {"piles.0.0": "55"}, PLACES),
    ("play", {"deck.0": "55"}, PLACES),
    ("play", {"played.0.1": "55"}, PLACES),
    ("two", {"tony_played.2": "1"}, PLACES),
    ("play", {"future_decks.0.0": "54"}, "future_decks"),
]

COUNTS = [
    ("play", {"round": 5}, "round played hierarchy"),
    ("play", {"round": 7}, "round played hierarchy"),
    ("play", {"played.1": PLAY["played"][1][1:], "deck": [PLAY["played"][1][0], *PLAY["deck"]]},
     "played"),
    ("play", {"hands.0": PLAY["hands"][0][1:], "deck": [PLAY["hands"][0][0], *PLAY["deck"]]},
     "hands"),
    ("play", {"hands.0": sorted([*PLAY["hands"][0], PLAY["deck"][0]], key=int),
              "deck": PLAY["deck"][1:]}, "hands"),
    ("play", {"piles.0": [*PLAY["piles"][0], PLAY["deck"][0]], "deck": PLAY["deck"][1:]}, "piles"),
    ("play", {"piles.0": PLAY["piles"][0][1:], "deck": [PLAY["piles"][0][0], *PLAY["deck"]]},
     "piles"),
    ("play", {"tony_played": [PLAY["deck"][0]], "deck": PLAY["deck"][1:]}, "tony_played"),
    ("two", {"tony_played": TWO["tony_played"][1:], "deck": [TWO["tony_played"][0], *TWO["deck"]]},
     "tony_played hierarchy"),
    ("two", {"tony_played": [TWO["deck"][0], *TWO["tony_played"]], "deck": TWO["deck"][1:]},
     "tony_played"),
]  # fmt: skip

TABLE = [
    ("play", {"table.1": None}, "table to_act played"),
    ("play", {"table.0": None}, "table to_act played"),
    ("play", {"to_act": 1}, "to_act table"),
    ("play", {"start_seat": 1}, "start_seat to_act table"),
    ("play", {"table.2": {"card": "5", "gun": False}}, "table to_act played"),
    ("play", {"table.0.card": "50"}, "table played"),
    ("play", swapped(PLAY, "played.0.0", "played.0.5"), "table played hierarchy"),
    ("play", {"items.1": ["machine_gun", "vest", "ring"]}, "table gun items"),
    ("plain", {"table.0.gun": True}, "table gun items options"),
    ("place", {"table.0": None}, "table"),
    ("place", {"to_act": 0}, "to_act"),
    ("place", {"to_act": 1}, "to_act"),
    ("two", {"tony_card": None}, "tony_card"),
    ("two", {"tony_card": "5"}, "tony_card tony_played"),
    ("two_place", {"tony_card": None}, "tony_card"),
    ("two_place", {"to_act": 1}, "to_act"),
    ("ring", {"table.0": {"card": "40", "gun": False}}, "table"),
    ("over", {"table.0": {"card": "30", "gun": False}}, "table"),
    ("over", {"tony_card": "1"}, "tony_card"),
    ("place", {"phase": "play"}, "phase to_act table hierarchy"),
    ("play", {"phase": "place"}, "phase to_act table played"),
]

HIERARCHY = [
    ("play", {"hierarchy.2": []}, "hierarchy"),
    ("play", {"hierarchy.3": [entry("10", 0)]}, "hierarchy"),
    ("ring", {"hierarchy.2": []}, "hierarchy"),
    ("play", {"hierarchy.2": [], "hierarchy.0": [*PLAY["hierarchy"][0], *PLAY["hierarchy"][2]]},
     "hierarchy"),
    ("play", {"hierarchy.2.0": entry("12", 1)}, "hierarchy"),  # twice
    ("play", {"hierarchy.2.0": entry("30", 0)}, "hierarchy table"),  # on the table
    ("two", {"hierarchy.1.0.card": "30"}, "hierarchy tony_card"),
    ("play", {"hierarchy.0.0.owner": 1}, "hierarchy owner played"),
    ("play", {"hierarchy.2.0.owner": None}, "hierarchy owner"),
    ("play", {"hierarchy.2.0.card": PLAY["deck"][0]}, "hierarchy played"),
    ("play", {"hierarchy.1.0.co_owner": 1}, "hierarchy co_owner"),
    ("play", {"hierarchy.1.0.co_owner": None}, "hierarchy co_owner"),
    ("play", {"hierarchy.1.0.item": None}, "hierarchy co_owner item"),
    ("play", {"hierarchy.1.0.item": "vest"}, "hierarchy co_owner item"),
    ("play", {"hierarchy.2.0.co_owner": 0}, "hierarchy co_owner item"),
    ("two", {"hierarchy.1.0.item": "vest"}, "hierarchy item owner"),
    ("two", {"hierarchy.1.0.item": "ring"}, "hierarchy item owner"),
    ("two", {"hierarchy.1.0.owner": 0}, "hierarchy item owner"),
    ("two", {"hierarchy.1.0.owner": 0, "hierarchy.1.0.item": "vest"}, "hierarchy item owner"),
    ("two", {"hierarchy.1.0": entry("28", 0, "ring", 1)}, "hierarchy co_owner"),
    ("two", {"hierarchy.1.0": entry("28", None, "ring", 1)}, "hierarchy co_owner item owner"),
    ("two", {"hierarchy.0.0": entry("33", None)}, "hierarchy owner"),
]  # fmt: skip

ITEMS_RULES = [
    ("play", {"options.items": False}, "items options hierarchy table"),
    ("play", {"options.items": False, "items": [[], [], []]}, "items options hierarchy table"),
    ("over", {"items.0": ["ring"]}, "items options"),
    ("over", {"hierarchy.0.0.item": "vest"}, "items options hierarchy"),
    ("play", {"hierarchy.8.1.item": "vest"}, "items hierarchy item"),  # seat 0's vest twice
    ("play", {"items.0": ["machine_gun", "vest", "ring"]}, "items hierarchy"),
    ("play", {"items.0": ["machine_gun", "notebook", "ring"]}, "items hierarchy"),
    ("play", {"items.2": KINDS}, "items hierarchy"),  # the ring of the co-owner
    ("two", {"items.1": ["vest", "ring"]}, "items hierarchy"),  # the owner of Tony's card
    ("two", {"hierarchy.1.0": entry("28", 1, "ring")}, "items hierarchy item"),  # its ring twice
]

HIGHER = {  # the target, now the 45, has a higher number than the 40 above it
    "ring_target": "45",
    "hierarchy.1.0.card": "45",
    f"played.1.{RING['played'][1].index('30')}": "45",
    f"deck.{RING['deck'].index('45')}": "30",
}
RING_RULES = [
    ("ring", {"ring_target": None}, "ring_target"),
    ("ring", {"ring_target": "44"}, "ring_target"),
    ("ring", {"ring_target": "20"}, "ring_target"),  # own card
    ("ring", {"ring_target": "40"}, "ring_target"),  # the winner's card itself
    ("ring", HIGHER, "ring_target hierarchy"),
    ("ring", {"to_act": 1}, "to_act ring_target hierarchy items"),
    ("ring", {"to_act": 2}, "to_act ring_target hierarchy items"),
    ("ring", {"items.0": []}, "items ring_target to_act"),
    ("ring", {"hierarchy.1.0.item": "vest", "items.1": ["machine_gun", "notebook", "ring"]},
     "ring_target hierarchy item"),
    ("ring", swapped(RING, "hierarchy.0", "hierarchy.1"), "ring_target hierarchy"),  # further up
    ("play", {"ring_target": "44"}, "ring_target"),
    ("place", {"ring_target": "44"}, "ring_target"),
    ("over", {"ring_target": "44"}, "ring_target"),
]  # fmt: skip

END = [
    ("over", {"over": False}, "over phase to_act"),
    ("over", {"phase": "play"}, "over phase to_act"),
    ("over", {"to_act": 0}, "over phase to_act"),
    ("play", {"over": True}, "over phase to_act"),
    ("play", {"phase": "over"}, "over phase to_act table hierarchy"),
    ("over", {"wealth.0": OVER["wealth"][0] + 3, "penalty.0": OVER["penalty"][0] + 3},
     "wealth penalty over"),
    ("over", {"options.games": 3, "game_number": 1, "future_decks": [RING["deck"], RING["deck"]]},
     "game_number over phase future_decks"),
    ("over", {"options.games": 3, "future_decks": PLAY["future_decks"] * 2},
     "game_number over phase"),
    ("ring", {"over": True, "phase": "over", "to_act": None, "ring_target": None},
     "round over phase"),
    ("over", {"round": 9}, "round over phase hierarchy played"),
]  # fmt: skip

POINTS = [
    ("play", {"scores.0": 1}, "scores"),
    ("play", {"wealth.0": 1}, "scores wealth"),
    ("play", {"penalty.0": 1}, "scores penalty"),
    ("play", {"wealth.0": -1, "scores.0": -1}, "wealth"),
    ("play", {"penalty.0": -1, "scores.0": 1}, "penalty"),
    ("play", {"wealth.0": 1001, "scores.0": 1001}, "wealth"),
    ("play", {"penalty.0": 1001, "scores.0": -1001}, "penalty"),
    ("play", {"wealth.0": 2**70, "penalty.0": 2**70}, "wealth penalty"),
]

BROKEN = TYPES + CARDS + COUNTS + TABLE + HIERARCHY + ITEMS_RULES + RING_RULES + END + POINTS


@pytest.mark.parametrize(("base", "changes", "keys"), BROKEN, ids=map(name_of, BROKEN))
def test_inconsistent_document_is_refused_with_the_key(base, changes, keys):
    assert_refused(GAME, BASES[base], changes, keys)


@pytest.mark.parametrize("base", BASES)
def test_document_is_read_and_left_alone(base):
    before = json.dumps(BASES[base])
    assert GAME.from_dict(BASES[base]).to_dict() == BASES[base]
    assert json.dumps(BASES[base]) == before


def test_documented_example_is_read():
    rest = [
        n
        for n in range(1, 56)
        if n not in (8, 30, 52, 3, 21, 36, 50, 44, 12, 41, 49, 2, 55, 17, 7, 29)
    ]
    rest = list(map(str, rest))
    example = {
        "game": "pumafiosi",
        "players": 2,
        "options": {"items": True, "games": 1},
        "to_act": 1,
        "phase": "play",
        "over": False,
        "scores": [0, 0],
        "wealth": [0, 0],
        "penalty": [0, 0],
        "items": [["machine_gun", "vest", "notebook", "ring"], ["machine_gun", "notebook", "ring"]],
        "age_order": [1, 0],
        "game_number": 1,
        "round": 2,
        "start_seat": 1,
        "hands": [["8", "30", "52"], ["3", "21", "36"]],
        "piles": [["49", *rest[:4], "2"], ["55", *rest[4:8], "17"]],
        "deck": ["7", "29", *rest[8:]],
        "future_decks": [],
        "table": [None, None],
        "tony_card": "41",
        "played": [["50"], ["44"]],
        "tony_played": ["12", "41"],
        "hierarchy": [[], [entry("44", 1, "vest")], [], [], [], [], [], [], []],
        "ring_target": None,
    }
    state = GAME.from_dict(example)
    assert state.to_dict() == example
    assert state.to_act == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"wealth.0": 1000, "penalty.0": 1000},
        {"wealth.0": 7, "scores.0": 7},
        {"items": [[], [], []]},  # where used items went is not checked
        {"age_order": [2, 1, 0]},
        {"hierarchy.0": PLAY["hierarchy"][2], "hierarchy.2": PLAY["hierarchy"][0]},
        {"hierarchy.8": PLAY["hierarchy"][8][::-1]},
        swapped(PLAY, "deck.0", "piles.1.0"),
    ],
    ids=lambda changes: ",".join(changes),
)
def test_how_a_position_came_about_is_not_checked(changes):
    document = changed(PLAY, changes)
    assert GAME.from_dict(document).to_dict() == document


# Views


def test_view_of_another_seat_is_refused():
    with pytest.raises(ValueError, match="hands"):
        GAME.from_view(GAME.from_dict(PLAY).view(1), 0)


@pytest.mark.parametrize("key", ["to_act", "scores", "wealth", "played", "table", "hierarchy"])
def test_view_with_nulls_where_all_is_public_is_refused(key):
    view = GAME.from_dict(PLAY).view(0)
    with pytest.raises(ValueError, match=key):
        GAME.from_view(view | {key: None}, 0)


def test_view_with_too_many_hidden_cards_is_refused():
    view = GAME.from_dict(PLAY).view(0)
    for key in ("deck", "hands", "piles"):
        more = [*view[key], None] if key == "deck" else [view[key][0], [None] * 8, view[key][2]]
        with pytest.raises(ValueError, match=r"deck|hands|piles"):
            GAME.from_view(view | {key: more}, 0)


def test_inconsistent_view_is_refused():
    view = GAME.from_dict(PLAY).view(0)
    with pytest.raises(ValueError, match="scores"):
        GAME.from_view(view | {"scores": [5, 0, 0]}, 0)


def test_view_is_left_alone():
    view = GAME.from_dict(PLAY).view(0)
    before = json.dumps(view)
    GAME.from_view(view, 0)
    assert json.dumps(view) == before


def test_whole_document_is_a_view_too():
    # Somebody who knows more than its seat may: the sampled state shows the same view.
    state = GAME.from_dict(PLAY)
    sampled = GAME.from_view(state.to_dict(), 0)
    assert sampled.view(0) == state.view(0)
