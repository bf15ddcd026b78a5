"""Which Pompeji documents are read and which are refused (5), and views that are no views (11)."""

import json

import pytest

from ..contract_helpers import games, positions
from .document_helpers import changed
from .pompeji_documents import CARDS, GAME, full_town, position, run, state_of

pytestmark = pytest.mark.plain

# Documents to break, in every phase.
PLAY = position(
    3,
    "6,6 Fr, 6,7 Gb, 7,6 S, 6,8 Tw",
    "Fo Vv|Go Mw|Mb",
    "volcano Av Ag volcano Ao",
    statues=[1, 0, 1],
    permits=[1, 0, 1],
    scores=[10, -4, 0],
)
CELL = run(PLAY, "play Fo")
STATUE_CELL = run(PLAY, "statue")
BUILDING = run(STATUE_CELL, "cell 5,6")
COLOUR = run(BUILDING, "building A")
DRAW = run(PLAY | {"volcanoes": 1, "stack": ["volcano", "Av", "Ag", "Ao"]}, "play Fo > cell 5,7")
PERMIT = run(PLAY, "play Fo > cell 5,7")
EXTRA = run(PERMIT, "permit")
EXTRA_CELL = run(EXTRA, "play Vv")
OVER = run(DRAW | {"stack": ["Av", "Ag", "Ao", "volcano"]}, "draw")
BASES = {
    "play": PLAY,
    "cell": CELL,
    "statue_cell": STATUE_CELL,
    "building": BUILDING,
    "colour": COLOUR,
    "draw": DRAW,
    "permit": PERMIT,
    "extra": EXTRA,
    "extra_cell": EXTRA_CELL,
    "over": OVER,
}


def town(*items):
    return [[13 * row + column, item] for row, column, item in items]


def discarding(document, *cards):
    """Return the changes that also put these cards among the discards."""
    return {"discards": [c for c in CARDS if c in document["discards"] or c in cards]}


def retown(items):
    """Return changes that lay another town under PLAY, all other cards discarded."""
    laid = {item for _, item in items}
    kept = {card for hand in PLAY["hands"] for card in hand} | {*PLAY["stack"]} | laid
    return {"town": items, "discards": [card for card in CARDS if card not in kept]}


KEPT = (6, 6, "Fr")
TYPES = [  # base, changes, keys of which the error names one
    ("play", {"game": "pumafiosi"}, "game"),
    ("play", {"game": None}, "game"),
    ("play", {"players": 1}, "players"),
    ("play", {"players": 5}, "players"),
    ("play", {"players": 2}, "players scores"),
    ("play", {"players": True}, "players"),
    ("play", {"players": "3"}, "players"),
    ("play", {"players": 3.0}, "players"),
    ("play", {"options": None}, "options"),
    ("play", {"options": {"permits": 1}}, "options values"),
    ("play", {"options": {"permits": 1, "values": "latin", "turbo": 1}}, "options turbo"),
    ("play", {"options.permits": 3}, "options permits"),
    ("play", {"options.permits": "1"}, "options permits"),
    ("play", {"options.permits": None}, "options permits"),
    ("play", {"options.values": "colour"}, "options values"),
    ("play", {"options.values": 0}, "options values"),
    ("play", {"to_act": None}, "to_act"),
    ("play", {"to_act": 1}, "to_act"),
    ("play", {"to_act": 3}, "to_act"),
    ("play", {"to_act": -1}, "to_act"),
    ("play", {"to_act": "0"}, "to_act"),
    ("play", {"to_act": False}, "to_act"),
    ("play", {"phase": "place"}, "phase"),
    ("play", {"phase": None}, "phase"),
    ("play", {"over": True}, "over"),
    ("play", {"over": 0}, "over"),
    ("play", {"scores": [0, 0]}, "scores"),
    ("play", {"scores": None}, "scores"),
    ("play", {"scores.0": "0"}, "scores"),
    ("play", {"scores.0": 1.0}, "scores"),
    ("play", {"scores.0": True}, "scores"),
    ("play", {"scores.0": 10_001}, "scores"),
    ("play", {"scores.0": -10_001}, "scores"),
    ("play", {"turn": 1}, "turn to_act"),
    ("play", {"turn": 3}, "turn"),
    ("play", {"turn": -1}, "turn"),
    ("play", {"turn": None}, "turn"),
    ("over", {"turn": 3}, "turn"),
    ("play", {"extra": 0}, "extra"),
    ("play", {"extra": None}, "extra"),
    ("play", {"card": 3}, "card"),
    ("play", {"card": "volcano"}, "card"),
    ("play", {"cell": "84"}, "cell"),
    ("play", {"cell": 169}, "cell"),
    ("play", {"cell": -1}, "cell"),
    ("play", {"building": "Z"}, "building"),
    ("play", {"building": "AB"}, "building"),
    ("play", {"hands": [["Fo"], ["Go"]]}, "hands"),
    ("play", {"hands": None}, "hands"),
    ("play", {"hands.0": None}, "hands"),
    ("play", {"hands.0": ["Vv", "Fo"]}, "hands"),
    ("play", {"hands.0": ["Fo", None]}, "hands"),
    ("play", {"hands.0": ["Fo", "vV"]}, "hands"),
    ("play", {"hands.0": ["Fo", "Vv "]}, "hands"),
    ("play", {"hands.0": ["Fo", "S"]}, "hands"),
    ("play", {"hands.0": ["Fo", "volcano"]}, "hands"),
    ("play", {"hands.0": [2, 3]}, "hands"),
    ("play", {"stack": None}, "stack"),
    ("play", {"stack.0": None}, "stack"),
    ("play", {"stack.0": "S"}, "stack"),
    ("play", {"stack.0": 5}, "stack"),
    ("play", {"volcanoes": 3}, "volcanoes"),
    ("play", {"volcanoes": -1}, "volcanoes"),
    ("play", {"volcanoes": None}, "volcanoes"),
    ("play", {"volcanoes": False}, "volcanoes"),
    ("play", {"discards": None}, "discards"),
    ("play", {"discards": PLAY["discards"][::-1]}, "discards"),
    ("play", {"discards.0": "S"}, "discards"),
    ("play", {"discards.0": None}, "discards"),
    ("play", {"town": None}, "town"),
    ("play", {"town": PLAY["town"][::-1]}, "town"),
    ("play", {"town.0": [84]}, "town"),
    ("play", {"town.0": [84, "Fr", 1]}, "town"),
    ("play", {"town.0": ["Fr", 84]}, "town"),
    ("play", {"town.0": [84, 85]}, "town"),
    ("play", {"town.0": ["84", "Fr"]}, "town"),
    ("play", {"town.0": [True, "Fr"]}, "town"),
    ("play", {"town.0": [-1, "Fr"]}, "town"),
    ("play", {"town.0": [84, "volcano"]}, "town"),
    ("play", {"town.0": [84, None]}, "town"),
    ("play", {"town.0": (84, "Fr")}, "town"),
    ("play", {"town.0": {"84": "Fr"}}, "town"),
    ("play", {"statues": [1, 0]}, "statues"),
    ("play", {"statues.0": 2}, "statues"),
    ("play", {"statues.0": -1}, "statues"),
    ("play", {"statues.0": True}, "statues"),
    ("play", {"permits": [1, 0]}, "permits"),
    ("play", {"permits.0": 2}, "permits"),
    ("play", {"permits.0": -1}, "permits"),
    ("play", {"permits.0": None}, "permits"),
]
PLACES = "hands stack discards town"  # a card that is there twice, another one nowhere
CARD_COUNTS = [
    ("play", {"hands.0": ["Fo", "Vw"]}, PLACES),
    ("play", {"hands.0": ["Fo", "Fo"]}, PLACES),
    ("play", {"stack.1": "Ar"}, PLACES),
    ("play", {"discards.0": "Ag"}, PLACES),
    ("play", {"town.0": [84, "Vg"]}, PLACES),
    ("play", {"discards": PLAY["discards"][1:]}, PLACES),
    ("play", {"discards": [*PLAY["discards"][:1], *PLAY["discards"]]}, PLACES),
    ("play", {"hands.0": [], **discarding(PLAY, "Fo", "Vv")}, "hands"),
    ("play", {"hands.2": [], **discarding(PLAY, "Mb")}, "hands"),
    ("play", {"stack": ["volcano", "volcano", "volcano", "Ag", "Av", "Ao"]}, "stack volcanoes"),
    ("play", {"volcanoes": 1}, "volcanoes"),
    ("over", {"stack": [*OVER["stack"], "volcano"]}, "volcanoes"),
    ("over", {"volcanoes": 1}, "volcanoes"),
    ("over", {"volcanoes": 0}, "volcanoes"),
    ("draw", {"volcanoes": 0}, "volcanoes"),
    ("draw", {"hands.0": ["Vv", "Vw", "Vy"]}, "hands stack"),
]  # fmt: skip
TOWNS = [
    ("play", retown([]), "town"),
    ("play", retown(town(KEPT, (6, 7, "Fb"))), "town"),
    ("play", retown(town(KEPT, (6, 7, "Gr"))), "town"),
    ("play", retown(town(KEPT, (7, 6, "Fb"))), "town"),
    ("play", retown(town(KEPT, (7, 6, "Gr"))), "town"),
    ("play", retown(town((5, 6, "Gb"))), "town"),
    ("play", retown(town((6, 5, "Gb"))), "town"),
    ("play", retown(town((0, 6, "Gb"), (7, 6, "Fr"))), "town"),
    ("play", retown(town((6, 0, "Gb"), (6, 7, "Fr"))), "town"),
    ("play", retown(town(KEPT, (6, 6, "Gb"))), "town"),
    ("play", retown(town(KEPT, (6, 7, "S"), (6, 8, "S"), (6, 9, "S"))), "town statues"),
]
TURNS = [
    ("play", {"extra": True}, "to_act extra"),
    ("extra", {"extra": False}, "to_act extra"),
    ("extra", {"to_act": 1}, "to_act"),
    ("permit", {"extra": True}, "extra"),
    ("permit", {"to_act": 1}, "to_act"),
    ("permit", {"permits": [0, 0, 0]}, "permits"),
    ("permit", {"turn": 0}, "to_act"),
    ("permit", {"phase": "play"}, "to_act"),
    ("play", {"phase": "draw"}, "volcanoes"),
    ("over", {"to_act": 0}, "to_act"),
    ("over", {"over": False}, "over"),
    ("over", {"phase": "play"}, "over"),
    ("over", {"phase": "play", "over": False, "to_act": 0}, "volcanoes"),
    ("play", {"phase": "over", "over": True}, "volcanoes"),
]
CHOICES = [
    ("play", {"card": "Fo"}, "card"),
    ("play", {"cell": 70}, "cell"),
    ("play", {"building": "A"}, "building"),
    ("permit", {"card": "Vv"}, "card"),
    ("draw", {"card": "Vv"}, "card"),
    ("over", {"card": "Vv"}, "card"),
    ("over", {"cell": 70}, "cell"),
    ("cell", {"card": None}, "card"),
    ("cell", {"cell": 70}, "cell"),
    ("cell", {"building": "A"}, "building"),
    ("cell", {"card": "Go"}, "card"),
    ("cell", {"card": "Ar"}, "card"),
    ("statue_cell", {"statues.0": 0}, "card"),
    ("building", {"card": None}, "card"),
    ("building", {"card": "Fo"}, "card"),
    ("building", {"cell": None}, "cell"),
    ("building", {"cell": 84}, "cell"),
    ("building", {"cell": 57}, "cell"),
    ("building", {"cell": 0}, "cell"),
    ("building", {"cell": 168}, "cell"),
    ("building", {"building": "A"}, "building"),
    ("building", {"statues.0": 0}, "card"),
    ("colour", {"building": None}, "building"),
    ("colour", {"building": "F"}, "building"),
    ("colour", {"statues.0": 0}, "card"),
    ("colour", {"card": "Vv"}, "card"),
]
BROKEN = [*TYPES, *CARD_COUNTS, *TOWNS, *TURNS, *CHOICES]


@pytest.mark.parametrize("base", BASES.values(), ids=list(BASES))
def test_documents_that_are_to_be_broken_are_whole(base):
    assert state_of(base).to_dict() == base
    assert state_of(json.loads(json.dumps(base))).to_dict() == base


@pytest.mark.parametrize(("base", "changes", "keys"), BROKEN)
def test_inconsistent_document_is_refused_by_key(base, changes, keys):
    document = changed(BASES[base], changes)
    assert repr(document) != repr(BASES[base])
    with pytest.raises(ValueError, match=r"^.") as error:
        state_of(document)
    key = str(error.value).split(":")[0]
    assert {*key.split(".")} & {*keys.split()}, error.value


def test_card_that_fits_nowhere_cannot_be_chosen():
    d = position(2, "6,6 Fr", "Fo Gb|Ao", "Tw", phase="cell", card="Gb")
    assert state_of(d).to_dict() == d
    with pytest.raises(ValueError, match=r"^card"):
        state_of(d | {"card": "Fo"})


def test_seats_in_a_window_and_in_extra_turns_must_be_able():
    for phase, extra in (("permit", False), ("play", True)):
        d = position(2, "6,6 Fr", "Fo|Go", "Tw", phase=phase, extra=extra, turn=1, act=0)
        d["permits"] = [1, 0]
        with pytest.raises(ValueError, match=r"^hands"):
            state_of(d)
        d["statues"] = [1, 0]
        assert state_of(d).to_dict() == d


def test_small_documents_are_read():
    for d in (
        position(2, "6,6 S", "Ar|Ao", "", statues=[1, 1]),
        position(2, "5,6 Fr, 6,5 Gb", "Ar|Ao", "Tw"),  # (6,6) is empty
        position(2, "3,6 Fr, 6,9 Gb", "Ar|Ao", "Tw"),  # not connected
        position(2, "6,6 Fr", "|", "Tw", volcanoes=2),
        position(2, full_town("6,7 ."), "Fv|", "", volcanoes=2),
        position(2, "6,6 Fr", "Ar|Ao", "volcano Tw volcano"),
        position(2, "6,6 S", "|", " ".join(CARDS), volcanoes=2),
        position(2, "6,6 S", "Ar|Ao", " ".join([*CARDS[2:], "volcano", "volcano"])),
        position(2, "6,6 Fr", "Ar|Ao", "Tw volcano", scores=[-10_000, 10_000]),
    ):
        assert state_of(d).to_dict() == d


def test_cells_at_the_ends_of_rows_are_no_neighbours():
    # 6,0 stands before 5,12 in the numbering, and a 13 x 13 town would be needed for both.
    d = position(2, "6,6 Fr, 5,12 Gb, 6,12 S", "Ar|Ao", "Tw")
    assert state_of(d).to_dict() == d


# Views


def test_views_lead_to_states_in_every_phase():
    for base in BASES.values():
        state = state_of(base)
        for seat in range(3):
            view = state.view(seat)
            for seed in range(5):
                assert GAME.from_view(view, seat, seed).view(seat) == view


def test_views_of_random_games_lead_to_states():
    for seed in range(games(1, 50)):
        for state in positions(GAME.new(2 + seed % 3, seed=seed), seed):
            for seat in range(state.players):
                view = state.view(seat)
                assert GAME.from_view(view, seat, seed).view(seat) == view


@pytest.mark.parametrize(
    ("base", "seat", "changes", "key"),
    [
        ("play", 0, {"hands.0.0": None}, "hands"),
        ("over", 1, {"hands.0": [None, "Vv"]}, "hands"),
        ("play", 0, {"stack": []}, "stack"),
        ("play", 0, {"stack": [None] * 40}, "volcanoes"),
        ("play", 0, {"hands.1": [None] * 4}, "hands"),
        ("cell", 0, {"card": None}, "card"),
        ("colour", 0, {"cell": None}, "cell"),
        ("colour", 0, {"building": None}, "building"),
        ("play", 0, {"to_act": 7}, "to_act"),
        ("play", 0, {"turn": 7}, "turn"),
        ("play", 0, {"town": []}, "town"),
        ("play", 0, {"discards": [*PLAY["discards"], "S"]}, "discards"),
        ("play", 0, {"game": "chess"}, "game"),
    ],
)
def test_what_is_no_view_is_refused_by_key(base, seat, changes, key):
    view = changed(state_of(BASES[base]).view(seat), changes)
    with pytest.raises(ValueError, match=rf"^{key}"):
        GAME.from_view(view, seat)


def hiding(document, hand):
    """Return the document with the hand of seat 0, of which `hand` cards, and the stack hidden."""
    return document | {"hands": [[None] * hand, *document["hands"][1:]], "card": None, "cell": None}


def test_views_that_nothing_fits_are_refused():
    # Unseen are only Fb and Fo, which do not fit beside Fr.
    d = position(2, "6,6 Fr", "Fo|Go", "Fb", phase="permit", turn=1, act=0, permits=[1, 0])
    view = hiding(d, 1) | {"stack": [None]}
    with pytest.raises(ValueError, match=r"^hands"):
        GAME.from_view(view, 1)
    with pytest.raises(ValueError, match=r"^card"):
        GAME.from_view(view | {"phase": "cell", "turn": 0}, 1)


def test_views_with_a_hidden_statue():
    for gaps, fits in ((["3,5 .", "3,6 ."], True), (["3,5 S", "3,6 S"], False)):
        d = position(2, full_town(*gaps), "|", "", statues=[1, 0], volcanoes=1)
        unseen = d["discards"][:2]
        d |= {"hands": [unseen[:1], unseen[1:]], "discards": [], "phase": "building"}
        view = hiding(d, 1)
        if fits:
            assert GAME.from_view(view, 1).view(1) == view
        else:
            with pytest.raises(ValueError, match=r"^c(ard|ell)"):
                GAME.from_view(view, 1)
