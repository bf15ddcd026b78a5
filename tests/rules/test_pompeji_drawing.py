"""Pompeji's drawings show all that a view holds, and nothing else (rules page, 11)."""

import copy
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from emberdeck.envs.pompeji.drawing import free_cells, svg, text

from ..contract_helpers import positions
from .drawing_helpers import assert_clean, section, svg_texts, views
from .pompeji_documents import CARDS, GAME, full_town, position, run, state_of
from .pompeji_model import Town, number

SVG = "{http://www.w3.org/2000/svg}"
START = "row 6 from 4: Fr Go . Ab Fw"


def playing():
    return position(
        2,
        [START, "7,4 S"],
        "Tg Vb|Ao",
        "Tw Tv",
        statues=[1, 1],
        permits=[2, 1],
        option_permits=2,
        volcanoes=1,
        scores=[12, -7],
    )


def cell():
    return run(playing(), "play Tg")


def building():
    return run(playing(), "statue > cell 6,6")


def colour():
    return run(building(), "building F")


def extra_turn():
    d = position(
        4,
        "6,6 Fr, 6,7 Tw",
        "Gb|Go|Fv|Ar Br By",
        "Av Ag Ao",
        phase="permit",
        turn=1,
        act=0,
        permits=[1] * 4,
        statues=[1, 1, 0, 0],
        values="building",
        scores=[512, -23, 100, 99],
    )
    return run(d, "permit")


def window():
    d = position(3, "6,6 Fr, 6,7 Tw", "Gb|Go|Fv", "Av Ag Ao", phase="permit", turn=1, act=0)
    return d | {"permits": [1, 0, 1]}


def drawing_phase():
    return run(playing(), "play Tg > cell 6,6")


def finished():
    town = full_town("6,7 .", "3,4 S", "3,10 S", "9,4 S", "9,10 S")
    d = position(4, town, "Ar Fv|Vb|Tw|Mg", "volcano", volcanoes=1, permits=[1] * 4)
    return run(d, "play Fv > cell 6,7 > no draw > discard Vb")


def many_discards():
    return position(2, "0,6 Fr, 6,6 S", "|", "", volcanoes=2, scores=[-10_000, 10_000])


MAKERS = [
    playing, cell, building, colour, extra_turn, window, drawing_phase, finished, many_discards,
]  # fmt: skip
every_document = pytest.mark.parametrize("make", MAKERS)


def shown_face(view, name):
    """Return the text on a card of the picture."""
    if name == "S":
        return "Sstatue"
    words = ["arch", "bath", "fountain", "granary", "market", "temple", "villa"]
    building = words["ABFGMTV".index(name[0])]
    return f"{name}{number(name, view['options']['values'])}{building}"


def texts(picture):
    return [element.text for element in ET.fromstring(picture).iter(f"{SVG}text")]


@every_document
def test_svg_shows_the_cards_of_the_view_and_no_others(make):
    for view in views(GAME, make()):
        picture = svg(view)
        cards = [name for _, name in view["town"]]
        cards += [name for hand in view["hands"] for name in hand if name]
        assert Counter(svg_texts(picture, "card")) == Counter(
            shown_face(view, name) for name in cards
        )
        hidden = sum(hand.count(None) for hand in view["hands"])
        backs = svg_texts(picture, "back")
        assert len(backs) == hidden + min(2, len(view["stack"]))
        assert not any(backs)
        assert str(len(view["stack"])) in texts(picture)
        assert (
            len(list(ET.fromstring(picture).iterfind(f".//{SVG}path[@class='volcano']")))
            == (view["volcanoes"])
        )
        listed = " ".join(line for line in texts(picture) if line and line[:2] in view["discards"])
        faces = [f"{c}{number(c, view['options']['values'])}" for c in view["discards"]]
        assert " ".join(faces) in listed


@every_document
def test_text_shows_the_cards_of_the_view_and_no_others(make):
    for view in views(GAME, make()):
        drawn = text(view)
        values = view["options"]["values"]

        def face(name, values=values):
            if name is None:
                return "░░"
            return name if name == "S" else f"{name}{number(name, values)}"

        for line, hand in zip(section(drawn, "Players")[2:], view["hands"], strict=True):
            assert " ".join(map(face, hand)) in line
        assert drawn.count("░░") == sum(hand.count(None) for hand in view["hands"])
        columns, *rows = [line.split() for line in section(drawn, "Town")[1:]]
        laid = {
            (int(row[0]), int(column)): item
            for row in rows
            for column, item in zip(columns, row[1:], strict=True)
            if item not in (".", "+") and "?" not in item
        }
        assert laid == {divmod(cell, 13): face(name) for cell, name in view["town"]}
        discards = " ".join(drawn.split("Discards: ")[1].split("\n\n")[0].split())
        assert discards == (" ".join(map(face, view["discards"])) or "-")


def test_free_cells_are_those_of_the_rules():
    for seed in range(3):
        for state in positions(GAME.new(2, seed=seed), seed):
            d = state.to_dict()
            free = {13 * row + column for row, column in Town(d).free()}
            assert free_cells(d) == free
            marks = sum(line.split().count("+") for line in section(text(d), "Town")[2:])
            assert marks == len(free) - (d["cell"] is not None)
    for town in ("row 6 from 6: Ar Bo Fy Gg Mb Tv Vw", "row 6 from 0: Ar Bo Fy Gg Mb Tv Vw"):
        d = position(2, town, "Br|Ao", "Tw")
        assert free_cells(d) == {13 * row + column for row, column in Town(d).free()}


@every_document
def test_the_stack_stays_unseen(make):
    document = make()
    other = copy.deepcopy(document)
    other["stack"] = other["stack"][::-1]
    assert text(other) == text(document)
    assert svg(other) == svg(document)


def test_an_open_choice_is_seen_by_the_acting_seat_alone():
    for make, word in ((cell, "chooses a cell for"), (colour, "declares a colour for its statue")):
        mine, others = (state_of(make()).view(seat) for seat in (0, 1))
        assert word in text(others)
        for draw in (text, svg):
            assert draw(mine) != draw(others)
    assert "player_0 chooses a cell for Tg" in text(state_of(cell()).view(0))
    assert "player_0 chooses a cell for its card" in text(state_of(cell()).view(1))
    statue = run(playing(), "statue")
    assert "player_0 chooses a cell for its statue" in text(statue)
    mine, others = (text(state_of(colour()).view(seat)) for seat in (0, 1))
    assert "player_0 declares a colour for its statue at 6,6, a fountain" in mine
    assert "?F" in mine
    assert "fountain" not in others
    assert "?F" not in others


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
        change(["options", "permits"], 1),
        change(["options", "values"], "building"),
        change(["phase"], "draw"),
        change(["scores", 0], -12),
        change(["turn"], 1),
        change(["extra"], True),
        change(["card"], "S"),
        change(["cell"], 85),
        change(["cell"], None),
        change(["building"], "M"),
        change(["building"], None),
        change(["hands", 0], ["Tg"]),
        change(["hands", 0, 0], None),
        change(["hands", 1], [None, None]),
        change(["stack"], [None]),
        change(["volcanoes"], 0),
        change(["discards", 0], "Fr"),
        change(["discards"], []),
        change(["town", 0], [82, "Go"]),
        change(["town", 0, 1], "S"),
        change(["statues", 0], 0),
        change(["permits", 0], 1),
        change(["permits", 1], 0),
    ],
)
def test_every_public_item_is_drawn(apply):
    shown = state_of(colour()).view(0)
    shown["card"] = "Tg"
    changed = copy.deepcopy(shown)
    apply(changed)
    assert text(changed) != text(shown)
    assert svg(changed) != svg(shown)


def test_acting_seat_and_turn_are_marked():
    lines = section(text(extra_turn()), "Players")[2:]
    assert [line[0] for line in lines] == [">", " ", " ", " "]
    assert "next" in lines[1]
    assert "player_0 chooses what to lay in an extra turn" in text(extra_turn())
    assert "player_0 may use a permit before player_1's turn" in text(window())
    assert "turn" in section(text(playing()), "Players")[2]
    assert "player_0 may draw a card" in text(drawing_phase())


def test_the_end_shows_the_final_scores_highest_first():
    document = finished()
    ranked = sorted(enumerate(document["scores"]), key=lambda pair: -pair[1])
    expected = ", ".join(f"player_{seat} {score}" for seat, score in ranked)
    assert text(document).endswith(f"\n\nFinal scores: {expected}\n")
    assert "the game is over" in svg(document)
    assert "the end" not in svg(playing())


@every_document
def test_every_drawing_is_clean(make):
    assert_clean(GAME, make())


def test_all_cards_have_words_that_fit():
    assert len({shown_face(playing(), name) for name in CARDS}) == 49
