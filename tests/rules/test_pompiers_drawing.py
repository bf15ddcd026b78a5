"""Pompiers! as text and as a picture: all that a view shows, and nothing that it hides."""

import copy
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from emberdeck.envs.pompiers.drawing import SIGN, svg, text

from .drawing_helpers import assert_clean, views
from .pompiers_documents import GAME, TILES, after, base

pytestmark = pytest.mark.plain
SVG = "{http://www.w3.org/2000/svg}"


def placing():
    return after(base("V3"), do=("place R1",)).to_dict()


def revealing():
    return after(base("N4"), "A").to_dict()  # seat 0 has drawn three cards


def playing():
    return after(base("F5"), "D", 38).to_dict()


def chosen():
    do = ("place R1", "place Y3", "place Y2", "reveal Y3", "play R2")
    return after(base("V3", chooser=2), do=do).to_dict()


def finished():
    return after(base("F4"), "A").to_dict()


def full():
    """Return a document with as many tiles as there can be in one place."""
    tiles = [tile for tile in TILES if tile != "most_yellow"]
    d = base("F5", mission_pile=[], emergency=[], set_aside=[], slot_tile="most_yellow")
    return d | {"acquired": [tiles, [], [], [], []], "scores": [40, 0, 0, 0, 0]}


every_document = pytest.mark.parametrize(
    "make", [placing, revealing, playing, chosen, finished, full]
)


def view(document, seat):
    return GAME.from_dict(document).view(seat)


def section(drawn, title):
    """Return the lines of a part of the text, from its title to the next empty line."""
    lines = drawn.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    return lines[start : lines.index("", start)]


def svg_texts(picture, kind=None):
    """Return all texts of a picture, or those in groups of a class such as `card`."""
    root = ET.fromstring(picture)
    parts = [root] if kind is None else [g for g in root.iter() if g.get("class") == kind]
    return [element.text for part in parts for element in part.iter(f"{SVG}text")]


def visible_cards(shown):
    """Return the cards that the picture draws as cards, and how many lie face down singly."""
    singles = [*(card for hand in shown["hands"] for card in hand), *shown["drawn"]]
    if shown["options"]["eleven_cards"] == "on":
        placed = len(shown["pile"]) if shown["phase"] == "place" else shown["players"]
        seats = [(shown["dealer"] + turn) % shown["players"] for turn in range(placed)]
        singles += [shown["placed"][seat] for seat in seats]
    faces = [card for card in singles if card] + shown["trick"]
    faces += [shown["trump_card"]] if shown["trump_card"] else []
    return Counter(faces), singles.count(None)


@every_document
def test_the_picture_shows_the_cards_of_the_view_and_no_others(make):
    for shown in views(GAME, make()):
        faces, backs = visible_cards(shown)
        picture = svg(shown)
        assert Counter(svg_texts(picture, "card")) == faces
        root = ET.fromstring(picture)
        lying = sum(min(len(shown[key]), 2) for key in ("pile", "aside"))
        assert sum(g.get("class") == "back" for g in root.iter()) == backs + lying


@every_document
def test_the_text_shows_the_hands_of_the_view(make):
    for shown in views(GAME, make()):
        players = section(text(shown), "Players")[2:]
        for seat, hand in enumerate(shown["hands"]):
            line = players[seat]
            assert line[2:10] == f"player_{seat}"
            words = line.split()[line.startswith(">") + 2 + 5 :]
            words = words[shown["options"]["eleven_cards"] == "on" :]
            assert words == ([card or "░░" for card in hand] or ["-"])


@every_document
def test_what_lies_face_down_stays_unseen(make):
    document = make()
    other = copy.deepcopy(document)
    for key in ("mission_pile", "pile", "aside"):
        other[key].reverse()
    assert text(other) == text(document)
    assert svg(other) == svg(document)


@every_document
def test_a_view_hides_the_other_hands_and_what_they_placed(make):
    document = make()
    for seat in range(document["players"]):
        shown = view(document, seat)
        hidden = {card for s, hand in enumerate(document["hands"]) if s != seat for card in hand}
        hidden |= {*document["pile"], *document["aside"]} - {document["placed"][seat]}
        if document["chooser"] == seat:
            hidden -= set(document["drawn"])
        last = document["last_round"] or {"trump_card": None}
        hidden -= {last["trump_card"]}
        assert not hidden & set(text(shown).replace(",", " ").split())
        words = {word for line in svg_texts(svg(shown)) for word in (line or "").split()}
        assert not hidden & words


def test_rooms_show_the_tricks():
    drawn = text(playing())
    rooms = section(drawn, "Rooms")
    assert rooms[3] == "  player_2   .  .  3  4  .  |   6  .  .  .  ."
    assert rooms[6] == "   1  player_3 leads  K8  K9  K15 K14 K6   -> player_0"
    texts = svg_texts(svg(playing()))
    assert "K8 K9" in texts
    assert "K15 K14 K6" in texts


def test_missions_are_listed_with_points():
    drawn = text(revealing())
    missions = section(drawn, "Missions")
    assert "3/8 most_yellow" in missions[1]
    assert missions[2] == "  emergency: exactly_1 (4), most_red (3), no_red (4)"
    assert missions[3] == "  set aside: trick_7 (3)"
    assert missions[4] == "  face down: 7 tiles"
    texts = svg_texts(svg(revealing()))
    assert {"exactly_1: 4", "trick_7: 3", "most_yellow", "7 to come"} <= set(texts)


def test_last_round_is_told():
    told = section(text(revealing()), "Last round: 2, trump K12")
    assert [line.split() for line in told[2:]] == [
        ["1/6", "met", "by", "player_1", "player_1"],
        ["2/7", "met", "by", "player_0", "player_0"],
        ["3/8", "met", "by", "player_3", "player_3"],
        ["4/9", "met", "by", "player_1", "player_3", "-"],
        ["5/10", "met", "by", "player_1", "player_1"],
        ["trick_3", "met", "by", "player_2", "player_2"],
        ["no_black", "met", "by", "player_2", "player_2"],
    ]


def change(make, path, value):
    """Return a change of one place in a document, and its name for pytest."""

    def apply():
        shown = view(make(), 2 if make is chosen else 0)
        changed = copy.deepcopy(shown)
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        assert inner[path[-1]] != value
        inner[path[-1]] = value
        return shown, changed

    return pytest.param(apply, id=".".join([make.__name__, *map(str, path)]))


@pytest.mark.parametrize(
    "apply",
    [
        change(playing, ["to_act"], 2),
        change(playing, ["options", "eleven_cards"], "on"),
        change(playing, ["round"], 4),
        change(playing, ["scores", 0], 20),
        change(playing, ["dealer"], 0),
        change(playing, ["slot_tile"], "exactly_2"),
        change(playing, ["emergency"], ["no_red"]),
        change(playing, ["set_aside"], ["no_red"]),
        change(playing, ["mission_pile"], [None]),
        change(playing, ["acquired", 1], []),
        change(playing, ["chips", 3, 4], True),
        change(playing, ["hands", 0, 0], None),
        change(playing, ["hands", 1], [None]),
        change(playing, ["pile"], [None] * 3),
        change(playing, ["chooser"], 3),
        change(playing, ["trump_card"], "Y12"),
        change(playing, ["trick", 0], "B1"),
        change(playing, ["tricks", 0, "winner"], 3),
        change(playing, ["tricks", 0, "cards", 0], "K7"),
        change(chosen, ["aside"], [None]),
        change(chosen, ["placed", 2], "Y4"),
        change(chosen, ["drawn", 0], "R2"),
        change(revealing, ["last_round", "round"], 1),
        change(revealing, ["last_round", "basic", 0, "met"], [2]),
        change(revealing, ["last_round", "basic", 0, "flipped"], []),
    ],
)
def test_every_public_item_is_drawn(apply):
    shown, changed = apply()
    assert text(changed) != text(shown)
    assert svg(changed) != svg(shown)


def test_cards_on_the_table_stand_in_the_order_of_play():
    lines = section(text(playing()), "Table")[2:]
    assert [line.split()[0] for line in lines] == [f"player_{seat}" for seat in (3, 4, 0, 1, 2)]
    assert lines[2].endswith("<- wins so far") != lines[0].endswith("<- wins so far")


def test_acting_seat_is_marked_and_named():
    for make, words in (
        (placing, "player_2 places a card"),
        (revealing, "player_0 reveals a trump card"),
        (playing, "player_1 plays a card"),
        (finished, "the game is over"),
    ):
        assert f"Now: {words}\n" in text(make())
        assert words in svg(make())
        marked = [line[2:10] for line in section(text(make()), "Players") if line[0] == ">"]
        assert marked == ([] if make is finished else [words.split()[0]])


def test_the_end_shows_the_final_scores_highest_first():
    expected = "player_1 19, player_2 17, player_3 12, player_0 9"
    assert text(finished()).endswith(f"\n\nFinal scores: {expected}\n")
    assert "Final scores" in svg(finished())
    assert "Final scores" not in svg(playing())


@every_document
def test_every_drawing_is_clean(make):
    assert_clean(GAME, make())


def test_every_tile_has_its_own_sign():
    assert list(SIGN) == TILES
    assert len(set(SIGN.values())) == len(TILES)
