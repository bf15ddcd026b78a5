"""Fire Bulls' drawings show all that a view holds, and nothing else (rules page, 11)."""

import copy
import random
from collections import Counter

import pytest

from emberdeck.envs.fire_bulls.drawing import svg, text

from .drawing_helpers import assert_clean, svg_texts, views
from .fire_bulls_documents import BASES, GAME, complete, run

SVG = "{http://www.w3.org/2000/svg}"


def crowded():
    """A position in which as much is to be drawn as can be: five seats, long lists."""
    return complete(
        {
            "players": 5,
            "hands": [list("ggyyrrb*"), list("ggyyrrbb"), list("ggyyrrbb"), list("nnnn*"), ["b"]],
            "known": [["g", "y", "r", "b", "*"], ["g", "y", "r", "b"], [], ["n", "n", "n"], []],
            "display": ["g", "y", "r", "b", "n", "n"],
            "discard": ["g", "g", "y", "n", "*", "*"],
            "finished": 2,
            "bulls": ["DR", "R", "M", "L", "DL"],
            "colors": ["n", "b", "r", "y", "g"],
            "start": 3,
            "swapped": [True] * 5,
            "idle": 14,
            "general": "beaten",
            "rows": [["Wg", "Wy", "V"], [None, "B", "X"], ["K", None, None]],
            "beaten": [
                ["Sg", "Sg", "Sy", "Sr", "Sb", "Sn", "Wg", "Wr", "Wb", "Wn", "W0", "X", "X", "B"],
                ["Sr", "Wy", "X", "X", "X", "G"],
                ["Sg", "Sb", "Wr", "K", "K"],
                [],
                ["K"],
            ],
            "removed": ["Sy", "Sr", "Sb", "Sn", "Wb", "Wn", "W0", "X", "B", "V", "K"],
            "stolen": {"by": 1, "cards": ["r", "-", "*", "g", "n"]},
        }
    )


CROWDED_ATTACK = run(crowded(), "attack R", "play b")
DOCUMENTS = BASES | {"crowded": crowded(), "crowded_attack": CROWDED_ATTACK}
every_document = pytest.mark.parametrize("base", DOCUMENTS)


def open_cards(shown):
    """The cards that lie face up one by one: hands, rows, the General set aside."""
    cards = Counter(card for hand in shown["hands"] for card in hand if card)
    cards += Counter(card for row in shown["rows"] for card in row if card)
    return cards + Counter(["G"] if shown["general"] == "aside" else [])


def section(drawn, title):
    """The lines of a section of the text, its title left out."""
    return next(part for part in drawn.split("\n\n") if part.startswith(title)).splitlines()[1:]


@every_document
def test_svg_shows_the_cards_of_the_view_and_no_others(base):
    for shown in views(GAME, DOCUMENTS[base]):
        picture = svg(shown)
        assert Counter(svg_texts(picture, "card")) == open_cards(shown)
        assert all(label == "" for label in svg_texts(picture, "back"))


@every_document
def test_text_shows_the_hands_of_the_view_and_no_others(base):
    for shown in views(GAME, DOCUMENTS[base]):
        drawn = text(shown)
        for line, hand in zip(section(drawn, "Players")[1:], shown["hands"], strict=True):
            assert " ".join(card or "░░" for card in hand) in line
        stolen = shown["stolen"]["cards"] if shown["stolen"] else []
        hidden = sum(hand.count(None) for hand in shown["hands"]) + stolen.count(None)
        assert drawn.count("░░") == hidden
        rows = [line.split()[1:] for line in section(drawn, "Yen cards")[1:4]]
        assert rows == [[row[place] or "-" for row in shown["rows"]] for place in (2, 1, 0)]


@every_document
def test_what_lies_face_down_stays_unseen(base):
    document = DOCUMENTS[base]
    other = copy.deepcopy(document)
    for pile in (other["qi_pile"], *other["yen_piles"]):
        random.Random(1).shuffle(pile)
    assert text(other) == text(document)
    assert svg(other) == svg(document)


@every_document
def test_a_view_shows_nothing_of_what_it_hides(base):
    state = GAME.from_dict(DOCUMENTS[base])
    for seat in range(state.players):
        other = state.determinize(seat, 1)
        assert text(other.view(seat)) == text(state.view(seat))
        assert svg(other.view(seat)) == svg(state.view(seat))


def change(path, value):
    """Return a change of one place in a document, and its name for pytest."""

    def apply(document):
        *above, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        for key in above:
            document = document[key]
        assert document[last] != value
        document[last] = value

    return pytest.param(apply, id=path)


@pytest.mark.parametrize(
    "apply",
    [
        change("to_act", 1),
        change("phase", "discard"),
        change("options.reach", "free"),
        change("scores.0", 3),
        change("start", 0),
        change("colors.1", "g"),
        change("bulls.1", "L"),
        change("hands.0.0", "y"),
        change("hands.0.0", None),
        change("hands.1", [None] * 2),
        change("display", ["g"]),
        change("qi_pile", [None] * 3),
        change("discard", ["g"]),
        change("finished", 1),
        change("idle", 3),
        change("swapped.1", False),
        change("pool", ["g"]),
        change("drawn.0", ["y"]),
        change("drawn.1", [None] * 9),
        change("known.1", ["b"]),
        change("yen_piles.1", [None] * 3),
        change("rows.0.0", "Sg"),
        change("rows.1.0", "Sg"),
        change("general", "hidden"),
        change("beaten.3", ["K"]),
        change("removed", []),
        change("attack.dir", "L"),
        change("attack.dir", "general"),
        change("attack.limit", 1),
        change("attack.beaten", ["K"]),
        change("attack.paid", []),
        change("attack.warriors", 2),
        change("stolen.by", 2),
        change("stolen.cards", ["r", "-", "*", None, None]),
    ],
)
def test_every_public_item_is_drawn(apply):
    document = crowded() | {"to_act": 0, "phase": "attack"}
    document["attack"] = {
        "dir": "DR",
        "limit": 2,
        "beaten": [],
        "paid": ["g", "y"],
        "warriors": 1,
    }
    changed = copy.deepcopy(document)
    apply(changed)
    assert text(changed) != text(document)
    assert svg(changed) != svg(document)


@pytest.mark.parametrize(
    ("base", "line"),
    [
        ("turn", "player_0 takes, draws or attacks"),
        ("attack", "player_0 pays for X"),
        ("general_attack", "player_0 pays for G"),
        ("bo", "player_0 may take the reward for B"),
        ("penalty", "player_0 gives up a card for a Warrior"),
        ("discard", "player_0 puts a card back"),
        ("escape", "the game is over: escape"),
        ("stall", "the game is over: stall"),
    ],
)
def test_what_is_to_be_decided_is_said(base, line):
    assert f"Now: {line}\n" in text(DOCUMENTS[base])
    assert line in svg(DOCUMENTS[base])


def test_acting_seat_is_marked():
    lines = section(text(crowded()), "Players")[1:]
    assert [line[0] for line in lines] == [">", " ", " ", " ", " "]


def test_the_end_shows_the_final_scores_highest_first():
    document = DOCUMENTS["escape"]
    assert text(document).endswith("\n\nFinal scores: player_0 23, player_1 4, player_2 0\n")
    assert "Final scores" in svg(document)
    assert "Final scores" not in svg(DOCUMENTS["turn"])


@every_document
def test_every_drawing_is_clean(base):
    assert_clean(GAME, DOCUMENTS[base])
