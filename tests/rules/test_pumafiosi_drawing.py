"""Pumafiosi's drawings show all that a view holds, and nothing else (rules page, 11)."""

import copy
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from emberdeck.envs.pumafiosi.drawing import svg, text

from .drawing_helpers import assert_clean, section, svg_texts, views
from .pumafiosi_documents import GAME, position, run, view

SVG = "{http://www.w3.org/2000/svg}"


def two_seats():
    return position(
        2,
        ["20 1 52", "3 4 55"],
        "10:33/0/vest 8:28/T 7:15/1/ring/0 5:12/1/ring -3:5/1/notebook",
        table="- 40g",
        tony="30",
        start=1,
        items=["machine_gun notebook", "vest"],
        penalty=[11, 3],
    )


def five_seats():
    return position(
        5,
        ["48 3", "51", "47", "8", "11"],
        "10:45/0/notebook -3:21/0/ring/4 -3:22/1 -3:23/2/vest -3:24/3 -3:25/4/ring/3 -3:26/0"
        " -3:27/1",
        table="- 55g 18 19 46",
        start=1,
        items=["machine_gun", "vest notebook", "", "machine_gun vest notebook", ""],
        games=3,
        game=2,
        wealth=[21, 0, 13, 36, 2],
        penalty=[3, 128, 0, 1, 0],
        ages=[3, 1, 4, 0, 2],
    )


def ring_window():
    document = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/1", items=["all", "all", "all"])
    return run(document, "play 40", "play 3", "play 50", "place at 10")


def placement():
    document = position(3, ["10 30 50", "20 40 45", "5 35 55"])
    return run(document, "play 30", "play 40", "play 35")


def finished():
    column = "10:40/1 8:41/0 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0"
    document = position(3, ["30", "31", "32"], column, games=3, game=3, wealth=[20, 20, 25])
    return run(document, "play 30", "play 31", "play 32", "place at -3")


DOCUMENTS = [two_seats, five_seats, ring_window, placement, finished]
every_document = pytest.mark.parametrize("make", DOCUMENTS)


def open_cards(shown):
    """The cards that lie face up, as often as they lie there."""
    cards = Counter(entry["card"] for step in shown["hierarchy"] for entry in step)
    cards += Counter(lying["card"] for lying in shown["table"] if lying)
    cards += Counter(card for hand in shown["hands"] for card in hand if card)
    return cards + Counter([shown["tony_card"]] if shown["tony_card"] else [])


@every_document
def test_svg_shows_the_cards_of_the_view_and_no_others(make):
    for shown in views(GAME, make()):
        picture = svg(shown)
        assert Counter(svg_texts(picture, "card")) == open_cards(shown)
        assert all(label == "" for label in svg_texts(picture, "back"))
        texts = [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]
        for played in shown["played"]:
            assert "played " + (" ".join(played) or "nothing") in texts


@every_document
def test_text_shows_the_cards_of_the_view_and_no_others(make):
    for shown in views(GAME, make()):
        drawn = text(shown)
        players = section(drawn, "Players")[2:]
        for line, hand in zip(players, shown["hands"], strict=True):
            assert " ".join(f"{card or '░░':>2}" for card in hand) in line
        assert drawn.count("░░") == sum(hand.count(None) for hand in shown["hands"])
        lying = [entry["card"] for step in shown["hierarchy"] for entry in step]
        column = [line[4:8].strip() for line in section(drawn, "Hierarchy")[1:]]
        assert [card for card in column if card != "-"] == lying
        on_table = [line.split()[1] for line in section(drawn, "Table")[1:]]
        expected = [lying["card"] for lying in shown["table"] if lying]
        expected += [shown["tony_card"]] if shown["tony_card"] else []
        assert sorted(card for card in on_table if card != "-") == sorted(expected)
        plays = [line.split()[1:] for line in section(drawn, "Played")[1:]]
        tony = [shown["tony_played"]] if shown["players"] == 2 else []
        assert plays == [played or ["-"] for played in [*shown["played"], *tony]]


@every_document
def test_what_lies_face_down_stays_unseen(make):
    document = make()
    other = copy.deepcopy(document)
    faces = [*(card for pile in other["piles"] for card in pile), *other["deck"]]
    faces = faces[1:] + faces[:1]
    for cards in (*other["piles"], other["deck"]):
        cards[:] = [faces.pop() for _ in cards]
    assert other != document
    assert text(other) == text(document)
    assert svg(other) == svg(document)


def test_a_view_hides_the_other_hands():
    shown = view(five_seats(), 1)
    assert Counter(svg_texts(svg(shown), "card"))["51"] == 1
    assert not {"48", "3", "47", "8", "11"} & set(svg_texts(svg(shown), "card"))
    assert section(text(shown), "Players")[2].split()[4:6] == ["░░", "░░"]


def change(path, value):
    """Return a change of one place in a document, and its name for pytest."""

    def apply(document):
        for key in path[:-1]:
            document = document[key]
        assert document[path[-1]] != value
        document[path[-1]] = value

    return pytest.param(apply, id=".".join(map(str, path)))


@pytest.mark.parametrize(
    "apply",
    [
        change(["to_act"], 1),
        change(["options", "items"], False),
        change(["options", "games"], 3),
        change(["scores", 0], -10),
        change(["wealth", 1], 6),
        change(["penalty", 1], 4),
        change(["items", 0], ["notebook"]),
        change(["items", 1], []),
        change(["age_order"], [1, 0]),
        change(["game_number"], 2),
        change(["round"], 5),
        change(["start_seat"], 0),
        change(["hands", 1], [None] * 2),
        change(["hands", 0, 0], None),
        change(["piles", 1], [None] * 4),
        change(["deck"], [None] * 3),
        change(["table", 1], None),
        change(["table", 1, "card"], "41"),
        change(["table", 1, "gun"], False),
        change(["tony_card"], "31"),
        change(["played", 0, 3], "50"),
        change(["tony_played", 1], "50"),
        change(["hierarchy", 0, 0, "card"], "34"),
        change(["hierarchy", 0, 0, "owner"], 1),
        change(["hierarchy", 0, 0, "owner"], None),
        change(["hierarchy", 0, 0, "item"], None),
        change(["hierarchy", 0, 0, "item"], "notebook"),
        change(["hierarchy", 2, 0, "co_owner"], None),
        change(["hierarchy", 8, 0, "item"], "vest"),
        change(["hierarchy", 8], []),
        change(["ring_target"], "28"),
    ],
)
def test_every_public_item_is_drawn(apply):
    shown = view(two_seats(), 0)
    changed = copy.deepcopy(shown)
    apply(changed)
    assert text(changed) != text(shown)
    assert svg(changed) != svg(shown)


def test_cards_on_the_table_stand_in_the_order_of_play():
    assert [line.split()[0] for line in section(text(two_seats()), "Table")[1:]] == [
        "Tony",
        "player_1",
        "player_0",
    ]


def test_acting_seat_is_marked():
    lines = section(text(five_seats()), "Players")[2:]
    assert [line[0] for line in lines] == [">", " ", " ", " ", " "]
    assert "Now: player_0 plays a card\n" in text(five_seats())


def test_placement_names_the_card_and_marks_the_winner():
    drawn = text(placement())
    assert "Now: player_2 places the 35\n" in drawn
    winners = [line for line in section(drawn, "Table") if line.endswith("<- wins the round")]
    assert [line.split()[0] for line in winners] == ["player_2"]
    assert "player_2 places the 35" in svg(placement())


def test_ring_window_names_the_card_and_marks_it():
    drawn = text(ring_window())
    assert "Now: player_0 may add the ring to the 30\n" in drawn
    assert section(drawn, "Hierarchy")[2] == "   8  30  player_1    <- may get the ring"
    assert "player_0 may add the ring to the 30" in svg(ring_window())


def test_the_end_shows_the_final_scores_highest_first():
    document = finished()
    ranked = sorted(enumerate(document["scores"]), key=lambda pair: -pair[1])
    expected = ", ".join(f"player_{seat} {score}" for seat, score in ranked)
    assert text(document).endswith(f"\n\nFinal scores: {expected}\n")
    assert "Final scores" in svg(document)
    assert "Final scores" not in svg(placement())


@every_document
def test_every_drawing_is_clean(make):
    assert_clean(GAME, make())
