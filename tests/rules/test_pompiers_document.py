"""Which Pompiers! documents are read and which are refused (5)."""

import json

import pytest

from .document_helpers import assert_refused, changed, name_of, swapped
from .pompiers_documents import BASES, GAME, after, base
from .pompiers_model import in_order

pytestmark = pytest.mark.plain

# Documents to break, in every phase and with both values of the option.
PLAY = after(base("F4"), "A", 34).to_dict()  # seat 3 is yet to play to trick 9
OPEN = base("N4")  # nothing played, tiles in every place
TRUMP = base("T4")
PLACE = after(base("V3"), do=("place R1",)).to_dict()
ELEVEN = after(base("F3"), "F", 10).to_dict()
CHOSEN = after(
    base("V3", chooser=2), do=("place R1", "place Y3", "place Y2", "reveal Y3")
).to_dict()
OVER = after(base("F4"), "A").to_dict()
NEXT = after(base("N4"), "A").to_dict()  # round 3 with what happened in round 2
REVEALED = after(NEXT, do=(f"reveal {NEXT['drawn'][0]}",)).to_dict()
DOCUMENTS = {
    "play": PLAY,
    "open": OPEN,
    "trump": TRUMP,
    "place": PLACE,
    "eleven": ELEVEN,
    "chosen": CHOSEN,
    "over": OVER,
    "next": NEXT,
    "revealed": REVEALED,
}

TYPES = [  # base, changes, keys of which the error names one
    ("play", {"game": "pumafiosi"}, "game"),
    ("play", {"game": None}, "game"),
    ("play", {"players": 3}, "players scores"),
    ("play", {"players": 5}, "players scores"),
    ("play", {"players": 2}, "players"),
    ("play", {"players": 6}, "players"),
    ("play", {"players": True}, "players"),
    ("play", {"players": "4"}, "players"),
    ("play", {"players": 4.0}, "players"),
    ("play", {"options": None}, "options"),
    ("play", {"options": {}}, "options eleven_cards"),
    ("play", {"options": {"eleven_cards": "off", "turbo": True}}, "options turbo"),
    ("play", {"options.eleven_cards": "auto"}, "options eleven_cards"),
    ("play", {"options.eleven_cards": False}, "options eleven_cards"),
    ("play", {"phase": "ring"}, "phase"),
    ("play", {"phase": None}, "phase"),
    ("play", {"to_act": True}, "to_act"),
    ("play", {"to_act": "3"}, "to_act"),
    ("play", {"to_act": 4}, "to_act"),
    ("play", {"to_act": -1}, "to_act"),
    ("play", {"to_act": None}, "to_act"),
    ("play", {"over": 0}, "over"),
    ("play", {"over": None}, "over"),
    ("play", {"scores": [0, 0, 0]}, "scores"),
    ("play", {"scores": None}, "scores"),
    ("play", {"scores.0": "4"}, "scores"),
    ("play", {"scores.0": False}, "scores"),
    ("play", {"round": 0}, "round"),
    ("play", {"round": 6}, "round"),
    ("play", {"round": "5"}, "round"),
    ("eleven", {"round": 5}, "round"),
    ("play", {"dealer": 4}, "dealer"),
    ("play", {"dealer": None}, "dealer"),
    ("play", {"dealer": True}, "dealer"),
    ("play", {"slot_tile": "last_trick"}, "slot_tile"),
    ("play", {"slot_tile": None}, "slot_tile"),
    ("play", {"slot_tile": 3}, "slot_tile"),
    ("open", {"mission_pile": None}, "mission_pile"),
    ("open", {"mission_pile.0": None}, "mission_pile"),
    ("open", {"mission_pile.0": "last_trick"}, "mission_pile"),
    ("play", {"emergency": None}, "emergency"),
    ("play", {"emergency.0": None}, "emergency"),
    ("play", {"emergency.0": ["trick_3"]}, "emergency"),
    ("play", {"set_aside": "trick_3"}, "set_aside"),
    ("play", {"acquired": [[], []]}, "acquired"),
    ("play", {"acquired.0": None}, "acquired"),
    ("play", {"acquired.0": ["trick_4"]}, "acquired"),
    ("play", {"chips": [[False] * 5] * 3}, "chips"),
    ("play", {"chips.0": [False] * 4}, "chips"),
    ("play", {"chips.0": [False] * 6}, "chips"),
    ("play", {"chips.0.0": 0}, "chips"),
    ("play", {"chips.0.0": None}, "chips"),
    ("play", {"hands": [[], []]}, "hands"),
    ("play", {"hands.0": None}, "hands"),
    ("play", {"hands.0.0": None}, "hands"),
    ("play", {"hands.0.0": "R0"}, "hands"),
    ("play", {"hands.0.0": "R16"}, "hands"),
    ("play", {"hands.0.0": "R01"}, "hands"),
    ("play", {"hands.0.0": "G1"}, "hands"),
    ("play", {"hands.0.0": "R1\n"}, "hands"),
    ("play", {"hands.0.0": 1}, "hands"),
    ("play", {"pile": None}, "pile"),
    ("play", {"pile.0": None}, "pile"),
    ("play", {"pile.0": "R16"}, "pile"),
    ("play", {"aside": None}, "aside"),
    ("eleven", {"aside.0": None}, "aside"),
    ("play", {"placed": [None] * 3}, "placed"),
    ("play", {"placed": None}, "placed"),
    ("play", {"placed.0": 5}, "placed"),
    ("play", {"chooser": 4}, "chooser"),
    ("play", {"chooser": False}, "chooser"),
    ("play", {"chooser": "0"}, "chooser"),
    ("play", {"drawn": None}, "drawn"),
    ("trump", {"drawn.0": None}, "drawn"),
    ("trump", {"drawn.0": "Y99"}, "drawn"),
    ("play", {"trump_card": None}, "trump_card"),
    ("play", {"trump_card": "K"}, "trump_card"),
    ("play", {"trump_card": 12}, "trump_card"),
    ("play", {"leader": None}, "leader"),
    ("play", {"leader": 7}, "leader"),
    ("play", {"trick": None}, "trick"),
    ("play", {"trick.0": None}, "trick"),
    ("play", {"trick.0": "B16"}, "trick"),
    ("play", {"tricks": None}, "tricks"),
    ("play", {"tricks.0": None}, "tricks"),
    ("play", {"tricks.0": {"leader": 3, "winner": 3}}, "tricks"),
    ("play", {"tricks.0.winner": None}, "tricks"),
    ("play", {"tricks.0.leader": True}, "tricks"),
    ("play", {"tricks.0.number": 1}, "tricks"),
    ("play", {"tricks.0.cards": None}, "tricks"),
    ("play", {"tricks.0.cards.0": 7}, "tricks"),
    ("play", {"last_round": []}, "last_round"),
    ("play", {"last_round": {}}, "last_round"),
    ("next", {"last_round.round": None}, "last_round"),
    ("next", {"last_round.round": 6}, "last_round"),
    ("next", {"last_round.trump_card": None}, "last_round"),
    ("next", {"last_round.basic": None}, "last_round"),
    ("next", {"last_round.basic.0": None}, "last_round"),
    ("next", {"last_round.basic.0.met": [None]}, "last_round"),
    ("next", {"last_round.emergency.0.tile": None}, "last_round"),
    ("next", {"last_round.emergency.0.winner": "2"}, "last_round"),
    ("next", {"last_round.points": 3}, "last_round"),
]

TURN = [
    ("play", {"to_act": 0}, "to_act trick"),
    ("play", {"leader": 0}, "leader"),
    ("play", {"over": True}, "over phase"),
    ("play", {"phase": "over"}, "over phase"),
    ("play", {"phase": "place"}, "phase"),
    ("play", {"phase": "trump"}, "phase chooser"),
    ("open", {"dealer": 0}, "dealer leader"),
    ("open", {"dealer": 0, "leader": 0}, "to_act dealer"),
    ("open", {"phase": "place"}, "phase options"),
    ("open", {"round": 1, "chooser": 2}, "chooser round"),
    ("open", {"chooser": 2}, "chooser drawn"),
    ("trump", {"to_act": 1}, "to_act chooser"),
    ("trump", {"chooser": 1}, "to_act chooser"),
    ("trump", {"chooser": None}, "chooser phase to_act"),
    ("trump", {"round": 1}, "chooser round"),
    ("trump", {"phase": "play", "to_act": 3}, "trump_card phase"),
    ("trump", {"trick": ["R2"]}, "trick"),
    ("trump", {"tricks": OVER["tricks"][:1]}, "tricks leader"),
    ("place", {"to_act": 1}, "to_act"),
    ("place", {"phase": "play", "to_act": 1}, "trump_card phase"),
    ("place", {"trick": ["R2"]}, "trick"),
    ("place", {"dealer": 0, "leader": 0}, "dealer to_act placed"),
    ("over", {"over": False}, "over phase to_act"),
    ("over", {"phase": "play"}, "over phase to_act"),
    ("over", {"to_act": 1}, "to_act"),
    ("over", {"round": 4}, "round"),
    ("over", {"leader": 0}, "leader"),
    ("over", {"emergency": OVER["set_aside"], "set_aside": []}, "emergency"),
    ("over", {"trick": ["R1"]}, "trick"),
    ("over", {"over": False, "phase": "play", "to_act": 1}, "tricks over"),
    ("play", {"trick": ["K5", "B5", "K4", "R7"]}, "trick"),
    ("open", {"over": True, "phase": "over", "to_act": None, "round": 5, "emergency": [],
              "set_aside": ["trick_7", "trick_3", "no_black"]}, "tricks over"),
    ("over", {"tricks": [*OVER["tricks"], OVER["tricks"][0]]}, "tricks"),
]  # fmt: skip

CARDS = [
    ("play", {"hands.1.0": "Y11"}, "hands"),
    ("play", {"pile.0": "Y11"}, "hands pile"),
    ("play", {"trump_card": "Y11"}, "hands trump_card"),
    ("play", {"trick.0": "Y11"}, "hands trick"),
    ("play", {"tricks.0.cards.1": "R13"}, "hands tricks"),
    ("play", {"hands.1": []}, "hands"),
    ("open", {"hands.0": OPEN["hands"][0][1:], "pile": [OPEN["hands"][0][0], *OPEN["pile"]]},
     "hands pile"),
    ("open", {"hands.0": OPEN["hands"][0][::-1]}, "hands"),
    ("open", {"hands.0": OPEN["hands"][0][1:],
              "hands.1": in_order([*OPEN["hands"][1], OPEN["hands"][0][0]])}, "hands"),
    ("open", {"pile": OPEN["pile"][1:], "aside": OPEN["pile"][:1]}, "aside pile"),
    ("eleven", {"aside": ELEVEN["aside"][1:], "pile": [*ELEVEN["pile"], ELEVEN["aside"][0]]},
     "aside pile"),
    ("trump", {"trump_card": "K12", "pile": TRUMP["pile"][:-1]}, "trump_card phase"),
    ("open", {"trump_card": None, "pile": [*OPEN["pile"], "K12"]}, "trump_card phase"),
    ("place", {"hands.1": in_order([*PLACE["hands"][1], "R1"]), "pile": []}, "to_act hands"),
    ("place", {"trump_card": PLACE["aside"][0], "aside": PLACE["aside"][1:]}, "trump_card"),
    ("play", {"tricks": PLAY["tricks"][:-1], "leader": 1, "to_act": 3,
              "pile": [*PLAY["pile"], *PLAY["tricks"][-1]["cards"]]}, "leader hands tricks"),
]  # fmt: skip

TRUMPS = [
    ("trump", {"drawn": []}, "drawn"),
    ("trump", {"drawn": ["Y5", "Y4", "K12"]}, "drawn"),
    ("trump", {"drawn": ["Y4", "Y5"]}, "drawn"),
    ("trump", {"drawn": ["R10", "Y4", "Y5"]}, "drawn"),
    ("trump", swapped(TRUMP, "pile.0", "pile.7"), "drawn"),
    ("open", {"drawn": ["Y4", "Y5", "K12"]}, "drawn"),
    ("place", {"drawn": ["R1"]}, "drawn"),
    ("chosen", {"drawn": []}, "drawn"),
    ("chosen", {"chooser": None}, "drawn chooser"),
    ("chosen", {"drawn": CHOSEN["drawn"][::-1]}, "drawn"),
    ("revealed", swapped(REVEALED, "pile.0", "pile.6"), "drawn"),
]

PLACED = [
    ("play", {"placed.0": "R5"}, "placed"),
    ("place", {"placed": [None, None, "R1"]}, "placed"),
    ("place", {"placed": [None, None, None]}, "placed"),
    ("place", {"placed": [None, "R2", None]}, "placed"),
    ("place", {"placed": ["B4", "R1", None]}, "placed"),
    ("eleven", {"placed.0": None}, "placed"),
    ("eleven", {"placed.0": "B4"}, "placed"),
    ("eleven", {"placed.0": "R1"}, "placed"),
    ("eleven", {"placed": [None] * 3}, "placed"),
]

TRICKS = [
    ("play", {"tricks.0.winner": 0}, "tricks"),
    ("play", {"tricks.0.leader": 0}, "tricks"),
    ("play", {"tricks.7.winner": 0, "leader": 0, "to_act": 2}, "tricks hands"),
    ("play", {"tricks.1.leader": 0}, "tricks"),
    ("play", {"tricks.0.cards": PLAY["tricks"][0]["cards"][:3], "pile": [*PLAY["pile"], "Y7"]},
     "tricks pile"),
    ("play", swapped(PLAY, "tricks.0", "tricks.3"), "tricks"),
    ("play", {"dealer": 0}, "tricks dealer"),
    # Seat 0 did not follow B in trick 8 and holds B10 now.
    ("play", swapped(PLAY, "hands.0.0", "hands.0.1") | swapped(PLAY, "hands.0.0", "trick.1"),
     "hands"),
]  # fmt: skip

TILES = [
    ("open", {"slot_tile": "trick_3"}, "mission_pile"),
    ("open", {"emergency": ["trick_3"]}, "mission_pile"),
    ("open", {"emergency": ["trick_3", "trick_3"]}, "mission_pile"),
    ("open", {"set_aside": ["trick_7", "trick_3"]}, "mission_pile"),
    ("open", {"acquired.0": ["trick_3"]}, "mission_pile"),
    ("eleven", {"emergency": [*ELEVEN["emergency"], "trick_r"]}, "mission_pile"),
    ("eleven", {"slot_tile": "trick_r"}, "mission_pile"),
    ("play", {"scores.0": 5}, "scores"),
    ("play", {"chips.0.0": True}, "scores"),
    ("play", swapped(PLAY, "acquired.0", "acquired.1"), "scores"),
    ("open", {"set_aside": [], "acquired.2": ["trick_7"]}, "scores"),
]

LAST = [
    ("next", {"last_round.round": 1}, "last_round"),
    ("next", {"last_round.round": 3}, "last_round"),
    ("over", {"last_round.round": 4}, "last_round"),
    ("next", {"last_round.tricks": NEXT["last_round"]["tricks"][:9]}, "last_round"),
    ("next", {"last_round.tricks.0.leader": 4}, "last_round"),
    ("next", {"last_round.tricks.0.leader": 0}, "last_round"),
    ("next", {"last_round.tricks.0.winner": 0}, "last_round"),
    ("next", {"last_round.tricks.9.winner": 0}, "last_round"),
    ("next", {"last_round.tricks.0.cards.1": "R13"}, "last_round"),
    ("next", {"last_round.tricks.0.cards.1": "Y7"}, "last_round"),
    ("next", {"last_round.tricks.0.cards": ["Y10"]}, "last_round"),
    ("next", {"last_round.trump_card": "Y7"}, "last_round"),
    ("next", {"last_round.trump_card": "K15"}, "last_round"),
    ("next", {"last_round.basic": NEXT["last_round"]["basic"][:4]}, "last_round"),
    ("next", {"last_round.basic.0.met": [0]}, "last_round"),
    ("next", {"last_round.basic.3.met": [3, 1]}, "last_round"),
    ("next", {"last_round.basic.0.flipped": [0]}, "last_round"),
    ("next", {"last_round.basic.3.flipped": [1]}, "last_round"),
    ("over", {"last_round.basic.0.flipped": [1, 1]}, "last_round"),
    ("next", {"last_round.emergency.0.met": []}, "last_round"),
    ("next", {"last_round.emergency.0.winner": None}, "last_round"),
    ("next", {"last_round.emergency.0.winner": 3}, "last_round"),
    ("next", {"last_round.emergency.0.winner": -1}, "last_round"),
    ("next", {"last_round.emergency": NEXT["last_round"]["emergency"] * 2}, "last_round"),
    ("next", swapped(NEXT, "acquired.2", "set_aside") | {"scores.2": NEXT["scores"][2] - 4},
     "last_round"),
    ("next", {"dealer": 0, "leader": 0}, "dealer last_round"),
    ("next", {"chooser": 2, "to_act": 2}, "chooser last_round"),
    ("over", {"last_round": NEXT["last_round"]}, "last_round"),
    ("over", {"last_round.trump_card": "R5"}, "last_round"),
]  # fmt: skip

BROKEN = TYPES + TURN + CARDS + TRUMPS + PLACED + TRICKS + TILES + LAST


@pytest.mark.parametrize(("name", "changes", "keys"), BROKEN, ids=map(name_of, BROKEN))
def test_inconsistent_document_is_refused_with_the_key(name, changes, keys):
    assert_refused(GAME, DOCUMENTS[name], changes, keys)


def test_a_colour_that_was_not_followed_cannot_be_played_later():
    # Seat 2 holds Y6, Y7, K3 and has played no Y to the Y that was led; now it plays Y6 after all.
    document = after(base("F4"), do=("play Y10", "play Y1", "play Y2", "play Y7")).to_dict()
    trick = document["tricks"][0]
    trick["cards"][3] = "R1"
    document["hands"][2] = in_order([*document["hands"][2][1:], "Y7"])
    with pytest.raises(ValueError, match="hands"):
        GAME.from_dict(document)
    before = PLAY["tricks"]
    wrong = changed(PLAY, swapped(PLAY, "tricks.0.cards.3", "tricks.5.cards.1"))
    assert before[0]["winner"] == wrong["tricks"][0]["winner"]
    with pytest.raises(ValueError, match="tricks"):
        GAME.from_dict(wrong)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_is_read_and_left_alone(name):
    before = json.dumps(DOCUMENTS[name])
    assert GAME.from_dict(DOCUMENTS[name]).to_dict() == DOCUMENTS[name]
    assert json.dumps(DOCUMENTS[name]) == before


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("next", {"last_round": None}),
        ("over", {"last_round": None}),
        ("open", {"mission_pile": [], "set_aside": ["trick_7", *OPEN["mission_pile"]]}),
        ("open", {"round": 1}),
        ("open", {"round": 5}),
        ("open", {"emergency": [], "set_aside": ["trick_7", "no_black", "trick_3"]}),
        ("play", {"emergency": [], "mission_pile": PLAY["emergency"]}),
        ("open", swapped(OPEN, "pile.0", "hands.0.0")),
        ("eleven", swapped(ELEVEN, "aside.0", "aside.1")),
        ("eleven", swapped(ELEVEN, "placed.0", "placed.1")),
        ("trump", swapped(TRUMP, "pile.6", "pile.7")),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else value,
)
def test_consistent_document_is_read(name, changes):
    document = changed(DOCUMENTS[name], changes)
    document["hands"] = [in_order(hand) for hand in document["hands"]]
    assert GAME.from_dict(document).to_dict() == document


# Views


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_view_leads_to_a_state_that_shows_it(name):
    state = GAME.from_dict(DOCUMENTS[name])
    for seat in range(state.players):
        view = state.view(seat)
        for seed in range(3):
            sampled = GAME.from_view(view, seat, seed)
            assert sampled.view(seat) == view
            assert GAME.from_dict(sampled.to_dict()) == sampled


@pytest.mark.parametrize("name", BASES)
def test_view_of_another_seat_is_refused(name):
    with pytest.raises(ValueError, match="hands"):
        GAME.from_view(GAME.from_dict(BASES[name]).view(1), 0)


def test_chooser_must_see_what_it_drew():
    state = GAME.from_dict(TRUMP)
    view = state.view(0) | {"drawn": [None, None, None]}
    with pytest.raises(ValueError, match="drawn"):
        GAME.from_view(view, 0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("to_act", None),
        ("scores", None),
        ("scores", [0, 0, 0, 0]),
        ("tricks", None),
        ("trick", [None, None]),
        ("dealer", 17),
        ("leader", 17),
        ("players", 3),
        ("pile", []),
        ("pile", [None] * 60),
        ("aside", [None]),
        ("placed", []),
        ("placed", ["R1", None, None, None]),
        ("drawn", [None] * 3),
        ("hands", []),
        ("hands", [PLAY["hands"][0], [None] * 40, [None] * 40, [None] * 40]),
        ("mission_pile", [None]),
        ("chooser", 2),
        ("chooser", 0),
    ],
)
def test_inconsistent_view_is_refused(key, value):
    view = GAME.from_dict(PLAY).view(0)
    with pytest.raises(ValueError, match=r"\w+:"):
        GAME.from_view(view | {key: value}, 0)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("trump", {"pile": [None] * 2}),
        ("trump", {"drawn": ["Y4", "Y5"]}),
        ("chosen", {"pile": [None] * 3}),
        ("chosen", {"placed": [None, None, "Y4"]}),
        ("place", {"pile": [None] * 2}),
        ("place", {"dealer": 9}),
        ("eleven", {"pile": [None]}),
        ("eleven", {"placed": [None, None, None]}),
    ],
)
def test_inconsistent_view_of_hidden_cards_is_refused(name, changes):
    seat = 2 if name == "chosen" else 0
    view = GAME.from_dict(DOCUMENTS[name]).view(seat)
    with pytest.raises(ValueError, match=r"\w+:"):
        GAME.from_view(view | changes, seat)


def test_view_that_no_deal_fits_is_refused():
    # Seat 0 sees all cards of three colours; seat 1 has followed none of the fourth.
    document = after(base("F4"), "A", 38).to_dict()
    view = GAME.from_dict(document).view(2)
    for trick in view["tricks"]:
        trick["cards"] = [card if card[0] == "K" else "K1" for card in trick["cards"]]
    view["tricks"][0]["cards"] = ["B1", "R1", "K1", "Y1"]
    view["tricks"][1] = {"leader": 3, "winner": 3, "cards": ["Y1", "R1", "K1", "B1"]}
    view["tricks"][2] = {"leader": 3, "winner": 3, "cards": ["K1", "R1", "K1", "B1"]}
    view["tricks"][3] = {"leader": 3, "winner": 3, "cards": ["R1", "K1", "K1", "B1"]}
    view["tricks"][4] = {"leader": 3, "winner": 3, "cards": ["R1", "K1", "K1", "B1"]}
    view["tricks"][5] = {"leader": 3, "winner": 3, "cards": ["Y1", "K1", "K1", "R1"]}
    with pytest.raises(ValueError, match="hands: no deal fits"):
        GAME.from_view(view, 2)


def test_view_is_left_alone():
    for document in DOCUMENTS.values():
        view = GAME.from_dict(document).view(0)
        before = json.dumps(view)
        GAME.from_view(view, 0)
        assert json.dumps(view) == before


def test_whole_document_is_a_view_too():
    # Somebody who knows more than its seat may: the sampled state shows the same view.
    for document in DOCUMENTS.values():
        state = GAME.from_dict(document)
        sampled = GAME.from_view(state.to_dict(), 0)
        assert sampled.view(0) == state.view(0)
