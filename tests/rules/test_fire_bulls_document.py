"""Which Fire Bulls documents are read and which are refused (5), and views (11)."""

import json
from itertools import product

import pytest

from ..contract_helpers import games, positions
from .document_helpers import assert_refused, changed, name_of
from .fire_bulls_documents import BASES, GAME, TURN, complete, played, run

pytestmark = pytest.mark.plain


def moved(base, source, target, card):
    """Return the changes that move a card from one list to another, both in canonical order."""
    order = [*"gyrbn", "*", *"SWXBVGK"]

    def at(path):
        inner = BASES[base]
        for key in path.split("."):
            inner = inner[int(key) if key.isdigit() else key]
        return list(inner)

    left, more = at(source), at(target)
    left.remove(card)
    more.append(card)
    if card in order[:6] and "pile" not in target:
        more.sort(key=order.index)
    return {source: left, target: more}


TYPES = [  # base, changes, keys of which the error names one
    ("turn", {"game": "pumafiosi"}, "game"),
    ("turn", {"game": None}, "game"),
    ("turn", {"players": 4}, "players scores"),
    ("turn", {"players": 6}, "players"),
    ("turn", {"players": 1}, "players"),
    ("turn", {"players": True}, "players"),
    ("turn", {"players": "3"}, "players"),
    ("turn", {"players": 3.0}, "players"),
    ("turn", {"options": None}, "options"),
    ("turn", {"options": {}}, "options reach"),
    ("turn", {"options": {"reach": "graded", "turbo": True}}, "options turbo"),
    ("turn", {"options.reach": "far"}, "options reach"),
    ("turn", {"options.reach": 0}, "options reach"),
    ("turn", {"to_act": True}, "to_act"),
    ("turn", {"to_act": "0"}, "to_act"),
    ("turn", {"to_act": 3}, "to_act"),
    ("turn", {"to_act": -1}, "to_act"),
    ("turn", {"to_act": None}, "to_act"),
    ("turn", {"phase": "draw"}, "phase"),
    ("turn", {"phase": None}, "phase"),
    ("turn", {"over": 0}, "over"),
    ("turn", {"over": None}, "over"),
    ("turn", {"end": "victory"}, "end"),
    ("turn", {"start": 3}, "start"),
    ("turn", {"start": None}, "start"),
    ("turn", {"start": -1}, "start"),
    ("turn", {"colors": ["g", "y"]}, "colors"),
    ("turn", {"colors": ["g", "y", "y"]}, "colors"),
    ("turn", {"colors": ["g", "y", "*"]}, "colors"),
    ("turn", {"colors": "gyr"}, "colors"),
    ("turn", {"bulls": ["DL", "L"]}, "bulls"),
    ("turn", {"bulls": ["DL", "L", "L"]}, "bulls"),
    ("turn", {"bulls": ["DL", "L", "general"]}, "bulls"),
    ("turn", {"hands": None}, "hands"),
    ("turn", {"hands": TURN["hands"][:2]}, "hands"),
    ("turn", {"hands.0": ["g", "y", None]}, "hands"),
    ("turn", {"hands.0": ["g", "y", "x"]}, "hands"),
    ("turn", {"hands.0": ["y", "g", "y"]}, "hands"),
    ("turn", {"display": None}, "display"),
    ("turn", {"display": ["y", "g", "r"]}, "display"),
    ("turn", {"display": ["g", "y", None]}, "display"),
    ("turn", {"qi_pile": None}, "qi_pile"),
    ("turn", {"qi_pile.0": None}, "qi_pile"),
    ("turn", {"qi_pile.0": "Sg"}, "qi_pile"),
    ("turn", {"discard": None}, "discard"),
    ("attack", {"discard": ["r", "g"]}, "discard"),
    ("turn", {"finished": 4}, "finished"),
    ("turn", {"finished": -1}, "finished"),
    ("turn", {"finished": "1"}, "finished"),
    ("turn", {"finished": True}, "finished"),
    ("turn", {"idle": -1}, "idle"),
    ("turn", {"idle": None}, "idle"),
    ("turn", {"swapped": [False, True]}, "swapped"),
    ("turn", {"swapped.0": 0}, "swapped"),
    ("turn", {"pool": None}, "pool"),
    ("turn", {"pool": TURN["pool"][::-1]}, "pool"),
    ("turn", {"drawn": TURN["drawn"][:2]}, "drawn"),
    ("turn", {"drawn.0": [None, None]}, "drawn"),
    ("turn", {"drawn.0": ["y", "g"]}, "drawn"),
    ("turn", {"known": TURN["known"][:2]}, "known"),
    ("turn", {"known.0": [None]}, "known"),
    ("turn", {"yen_piles": TURN["yen_piles"][:2]}, "yen_piles"),
    ("turn", {"yen_piles.0.0": None}, "yen_piles"),
    ("turn", {"yen_piles.0.0": "g"}, "yen_piles"),
    ("turn", {"rows": TURN["rows"][:2]}, "rows"),
    ("turn", {"rows.0": ["Sg", "Sy"]}, "rows"),
    ("turn", {"rows.0": None}, "rows"),
    ("turn", {"rows.0.0": "S"}, "rows"),
    ("turn", {"general": "there"}, "general"),
    ("turn", {"general": None}, "general"),
    ("turn", {"beaten": TURN["beaten"][:2]}, "beaten"),
    ("turn", {"beaten.0": ["B", "Sg"]}, "beaten"),
    ("turn", {"beaten.0": [None]}, "beaten"),
    ("turn", {"removed": None}, "removed"),
    ("stolen", {"removed": ["X", "Sg"]}, "removed"),
    ("attack", {"attack": {"dir": "L"}}, "attack limit"),
    ("attack", {"attack.dir": "left"}, "attack dir"),
    ("attack", {"attack.dir": None}, "attack dir"),
    ("attack", {"attack.limit": 4}, "attack limit"),
    ("attack", {"attack.limit": 0}, "attack limit"),
    ("attack", {"attack.limit": True}, "attack limit"),
    ("attack", {"attack.beaten": None}, "attack beaten"),
    ("attack", {"attack.paid": [None]}, "attack paid"),
    ("attack", {"attack.warriors": -1}, "attack warriors"),
    ("attack", {"attack.colour": "g"}, "attack colour"),
    ("bo", {"reward": "X"}, "reward"),
    ("bo", {"reward": True}, "reward"),
    ("stolen", {"stolen": {"by": 0}}, "stolen cards"),
    ("stolen", {"stolen.by": 3}, "stolen by"),
    ("stolen", {"stolen.by": -1}, "stolen by"),
    ("stolen", {"stolen.by": None}, "stolen by"),
    ("stolen", {"stolen.cards": ["-", "r"]}, "stolen cards"),
    ("stolen", {"stolen.cards": ["-", "r", None]}, "stolen cards"),
    ("stolen", {"stolen.cards": ["-", "r", "x"]}, "stolen cards"),
    ("stolen", {"stolen.cards": ["g", "r", "n"]}, "stolen cards"),
]

TURNS = [
    ("turn", {"over": True}, "over"),
    ("turn", {"phase": "over"}, "over"),
    ("turn", {"end": "escape"}, "end"),
    ("escape", {"over": False}, "over"),
    ("escape", {"to_act": 0}, "to_act"),
    ("escape", {"phase": "turn"}, "over"),
    ("escape", {"end": None}, "end"),
    ("turn", {"phase": "attack"}, "attack"),
    ("turn", {"phase": "reward"}, "attack"),
    ("turn", {"phase": "penalty"}, "attack"),
    ("turn", {"phase": "discard"}, "hands"),
    ("attack", {"phase": "turn"}, "attack"),
    ("attack", {"attack": None}, "attack"),
    ("attack", {"phase": "reward"}, "reward"),
    ("attack", {"reward": "B"}, "reward"),
    ("bo", {"reward": None}, "reward"),
    ("bo", {"reward": "V"}, "reward"),
    ("vice", {"reward": "G"}, "reward"),
    ("turn", {"idle": 12}, "idle"),
    ("discard", {"idle": 13}, "idle"),
    ("escape", {"end": "general"}, "end"),
    ("escape", {"finished": 2}, "end"),
    ("general_end", {"end": "escape"}, "end"),
    ("general_end", {"finished": 3, "qi_pile": []}, "qi_pile"),
    ("stall", {"end": "general"}, "end"),
    ("stall", {"idle": 7}, "end"),
    ("stall", {"idle": 9}, "idle"),
]

CARDS = [
    ("turn", {"hands.0": ["g", "y"]}, "qi_pile"),
    ("turn", {"display": ["g", "y", "r", "r"]}, "qi_pile"),
    ("turn", {"discard": ["n"]}, "qi_pile"),
    ("turn", {"qi_pile": TURN["qi_pile"][1:]}, "qi_pile"),
    ("turn", {"known.0": ["y", "y", "y"]}, "known"),
    ("turn", {"known.0": ["b"]}, "known"),
    ("turn", {"pool": TURN["pool"][1:]}, "pool"),
    ("turn", {"drawn.0": ["g"]}, "pool"),
    (
        "turn",
        {"drawn.0": ["*", "*", "*"], "pool": ["*", *TURN["pool"]]},
        "pool drawn",
    ),
    ("discard", moved("discard", "hands.0", "display", "g"), "hands"),
    (
        "turn",
        moved("turn", "qi_pile", "hands.2", "g")
        | {"hands.2": ["g"] * 8 + ["b"], "qi_pile": TURN["qi_pile"][8:]},
        "hands",
    ),
    ("turn", {"finished": 3}, "finished"),
    ("turn", {"yen_piles.0": TURN["yen_piles"][0][1:]}, "yen_piles general"),
    ("turn", {"rows.0.0": None}, "yen_piles"),
    ("turn", {"rows.0.0": "K"}, "yen_piles"),
    ("turn", {"removed": []}, "yen_piles"),
    ("turn", {"beaten.0": ["Sg"]}, "yen_piles scores"),
    ("turn", {"general": "aside"}, "general"),
    ("turn", {"general": "beaten"}, "general"),
    ("general_attack", {"general": "hidden"}, "general"),
    ("general_attack", {"rows.0.0": "G"}, "general"),
    ("stolen", {"general": "aside"}, "general"),
    ("stolen", {"general": "hidden"}, "general"),
    ("turn", {"scores": [2, 3, 0]}, "scores"),
    ("turn", {"scores": [8, 3, 0]}, "scores"),
    ("turn", {"scores.0": "9"}, "scores"),
]

ATTACKS = [
    ("attack", {"attack.limit": 2}, "attack"),
    ("attack", {"bulls": ["M", "L", "R"]}, "attack.limit"),
    ("attack", {"attack.dir": "M"}, "attack.limit"),
    ("attack", {"attack.dir": "general", "attack.limit": 1}, "general"),
    ("attack", {"attack.beaten": ["X"]}, "attack.beaten"),
    ("attack", {"attack.paid": ["r", "r", "r"]}, "attack.paid"),
    ("attack", {"attack.paid": ["g", "r"]}, "attack.paid"),
    ("attack", {"attack.warriors": 3}, "attack.warriors"),
    ("attack", {"attack.paid": []}, "attack"),
    ("attack", {"to_act": 1}, "attack"),
    ("more", {"attack.beaten": ["Sg", "Sg"]}, "attack.beaten"),
    ("more", {"attack.warriors": 2}, "attack.warriors"),
    ("more", {"attack.dir": "R"}, "attack"),
    ("bo", {"attack.beaten": []}, "attack.beaten"),
    ("bo", {"attack.paid": ["*"]}, "attack.paid"),
    ("bo", {"attack.warriors": 9}, "attack.warriors"),
    ("penalty", {"attack.warriors": 0}, "attack.warriors"),
    ("penalty", {"beaten.0": ["Sy"], "removed": ["Sg", "K"], "scores": [1, 0, 0]}, "beaten"),
    ("general", {"attack.dir": "L", "attack.limit": 3}, "attack.dir attack.limit"),
    ("general_attack", {"attack.dir": "L"}, "attack"),
    ("general_attack", {"attack.limit": 3}, "attack.limit"),
]

BROKEN = TYPES + TURNS + CARDS + ATTACKS


@pytest.mark.parametrize(("base", "changes", "keys"), BROKEN, ids=map(name_of, BROKEN))
def test_inconsistent_document_is_refused_with_the_key(base, changes, keys):
    assert_refused(GAME, BASES[base], changes, keys)


@pytest.mark.parametrize("base", BASES)
def test_document_is_read_and_left_alone(base):
    before = json.dumps(BASES[base])
    state = GAME.from_dict(BASES[base])
    assert state.to_dict() == BASES[base]
    assert json.dumps(BASES[base]) == before
    assert state.over or state.legal_actions()


def test_reward_that_brings_nothing_is_refused():
    # A window opens only where the reward can bring something (8)
    bo = changed(
        complete({"display": [], "rest": "display", "finished": 3, "beaten": [["B"], [], []]}),
        {"phase": "reward", "reward": "B"},
    )
    bo["attack"] = {"dir": "DL", "limit": 3, "beaten": ["B"], "paid": [], "warriors": 0}
    with pytest.raises(ValueError, match="reward"):
        GAME.from_dict(bo)
    vice = complete({"hands": [["g"], [], []], "beaten": [["V"], [], []]})
    vice |= {"phase": "reward", "reward": "V"}
    vice["attack"] = {"dir": "DL", "limit": 3, "beaten": ["V"], "paid": [], "warriors": 0}
    with pytest.raises(ValueError, match="reward"):
        GAME.from_dict(vice)


def stuck(hand):
    """Return a position without a face-up card and without a pile: only attacks are legal."""
    return complete(
        {
            "hands": [hand, [], []],
            "display": [],
            "rest": "discard",
            "finished": 3,
            "rows": [["Sg", "X", "X"], ["X", "X", "X"], ["X", "X", "B"]],
        }
    )


def test_game_without_a_legal_action_is_refused():
    with pytest.raises(ValueError, match="display"):
        GAME.from_dict(stuck(["y"]))
    state = GAME.from_dict(stuck(["g"]))
    assert state.legal_actions() == [GAME.action_id("attack DL"), GAME.action_id("attack L")]


def test_sampled_hands_can_pay_if_nothing_else_is_legal():
    state = GAME.from_dict(stuck(["g"]))
    for seed in range(games(30, 300)):
        assert state.determinize(1, seed).legal_actions()
        assert GAME.from_view(state.view(1), 1, seed).legal_actions()


def test_attack_without_a_target_is_refused():
    document = complete(
        {
            "hands": [["g", "y"], [], []],
            "rows": [[None] * 3, ["Sb", "Sn", "Wg"], ["Wy", "Wr", "Wb"]],
            "bulls": ["L", "M", "R"],
            "beaten": [["Sg"], [], []],
        }
    )
    document |= {"phase": "attack"}
    document["attack"] = {"dir": "L", "limit": 3, "beaten": ["Sg"], "paid": [], "warriors": 0}
    with pytest.raises(ValueError, match=r"attack\.dir"):
        GAME.from_dict(document)


def test_attack_at_its_limit_is_refused():
    document = complete(
        {"hands": [["b", "n"], [], []], "bulls": ["M", "L", "R"], "beaten": [["Sg"], [], []]}
    )
    document |= {"phase": "attack", "options": {"reach": "strict"}}
    document["attack"] = {"dir": "L", "limit": 1, "beaten": ["Sg"], "paid": [], "warriors": 0}
    with pytest.raises(ValueError, match=r"attack\.beaten"):
        GAME.from_dict(document)


def test_payment_that_is_whole_already_is_refused():
    document = complete({"hands": [["g"], [], []], "discard": ["g", "g"]})
    document |= {"phase": "attack"}
    document["attack"] = {"dir": "DL", "limit": 3, "beaten": [], "paid": ["g"], "warriors": 0}
    with pytest.raises(ValueError, match=r"attack\.paid"):
        GAME.from_dict(document)


@pytest.mark.parametrize(
    "given",
    [
        {"yen_rest": "removed", "yen_top": [["K"] * 6, ["G"], []]},
        {"yen_rest": "removed", "yen_top": [["X"] * 9 + ["K"] * 8, ["G"], ["B"] * 6]},
        {"rows": [[None, "Sg", None], [None] * 3, ["Sb", None, "Sy"]]},
        {"display": ["g"], "hands": [["g"], [], []]},
        {"rest": "discard", "qi_top": ["g"], "finished": 0},
        {"rest": "display"},
        {"hands": [["g"] * 8, [], ["*"] * 4], "known": [["g"] * 8, [], []]},
        {"general": "beaten", "beaten": [["G"], [], []]},
        {"general": "beaten", "removed": ["G"]},
        {"general": "beaten", "removed": ["G"], "stolen": {"by": 1, "cards": ["*", "-", "-"]}},
        {"idle": 11, "swapped": [True, True, True]},
        {"colors": ["n", "g", "b"], "bulls": ["DR", "M", "L"], "start": 2, "to_act": 2},
    ],
    ids=lambda given: ",".join(given),
)
def test_how_a_position_came_about_is_not_checked(given):
    document = complete(given)
    state = GAME.from_dict(document)
    assert state.to_dict() == document
    assert state.legal_actions()


def test_documented_example_is_read():
    piles = [
        "Sg B Sb W0 Wr Sb Wy K Wg X Wb Sy Sy K B",
        "Wn V B Wb Sn W0 X Wr K V X Sb X B",
        "X V Sg K Sr Sn Wn B X X X Sr Wg Sy K",
    ]
    pile = "yrnbngbrnnyyggrngyrbyryyrggng*nbnbyg*rgnbr"
    example = {
        "game": "fire_bulls",
        "players": 3,
        "options": {"reach": "graded"},
        "to_act": 1,
        "phase": "turn",
        "over": False,
        "scores": [0, 0, 0],
        "end": None,
        "start": 1,
        "colors": ["n", "y", "b"],
        "bulls": ["DL", "M", "R"],
        "hands": [["b", "b", "b"], ["g", "r", "*"], ["y", "b", "*"]],
        "display": ["y", "r", "n"],
        "qi_pile": list(pile),
        "discard": [],
        "finished": 0,
        "idle": 0,
        "swapped": [False] * 3,
        "pool": list("g" * 10 + "y" * 9 + "r" * 9 + "b" * 10 + "n" * 9 + "*" * 4),
        "drawn": [["b", "b", "b"], ["g", "r", "*"], ["y", "b", "*"]],
        "known": [[], [], []],
        "yen_piles": [cards.split() for cards in piles],
        "rows": [["K", "K", "X"], ["Sg", "Wy", "Sn"], ["Sr", "B", "K"]],
        "general": "aside",
        "beaten": [[], [], []],
        "removed": [],
        "attack": None,
        "reward": None,
        "stolen": None,
    }
    state = GAME.from_dict(example)
    assert state.to_dict() == example
    assert list(example) == list(state.to_dict())


# Views


@pytest.mark.parametrize("base", BASES)
def test_view_hides_hands_draws_and_piles(base):
    document = BASES[base]
    state = GAME.from_dict(document)
    for seat in range(document["players"]):
        view = state.view(seat)
        for key, other in product(("hands", "drawn"), range(document["players"])):
            cards = document[key][other]
            assert view[key][other] == (cards if other == seat else [None] * len(cards))
        assert view["qi_pile"] == [None] * len(document["qi_pile"])
        assert view["yen_piles"] == [[None] * len(pile) for pile in document["yen_piles"]]
        hidden = {"hands", "drawn", "qi_pile", "yen_piles", "stolen"}
        assert all(view[key] == document[key] for key in document if key not in hidden)


def test_stolen_cards_are_seen_by_thief_and_victim():
    document = complete(
        {
            "players": 5,
            "general": "beaten",
            "removed": ["G"],
            "stolen": {"by": 3, "cards": ["r", "-", "*", "-", "n"]},
        }
    )
    state = GAME.from_dict(document)
    shown = [state.view(seat)["stolen"]["cards"] for seat in range(5)]
    assert shown == [
        ["r", "-", None, "-", None],
        [None, "-", None, "-", None],
        [None, "-", "*", "-", None],
        ["r", "-", "*", "-", "n"],
        [None, "-", None, "-", "n"],
    ]
    assert state.spectator_view()["stolen"]["cards"] == [None, "-", None, "-", None]


def test_two_seats_both_see_what_was_stolen():
    given = {"players": 2, "general": "beaten", "removed": ["G"]}
    document = complete(given | {"stolen": {"by": 1, "cards": ["r", "-"]}})
    assert GAME.from_dict(document).spectator_view()["stolen"]["cards"] == ["r", "-"]


def test_view_of_another_seat_is_refused():
    with pytest.raises(ValueError, match="hands"):
        GAME.from_view(GAME.from_dict(TURN).view(1), 0)
    view = GAME.from_dict(TURN).view(0)
    with pytest.raises(ValueError, match="drawn"):
        GAME.from_view(view | {"drawn": [[None, None], [], []]}, 0)
    stolen = {"by": 1, "cards": [None, "-", "r"]}
    with pytest.raises(ValueError, match="stolen"):
        GAME.from_view(GAME.from_dict(BASES["stolen"]).view(0) | {"stolen": stolen}, 0)


@pytest.mark.parametrize("key", ["to_act", "scores", "display", "pool", "known", "rows", "beaten"])
def test_view_with_nulls_where_all_is_public_is_refused(key):
    view = GAME.from_dict(TURN).view(0)
    with pytest.raises(ValueError, match=key):
        GAME.from_view(view | {key: None}, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"qi_pile": [None] * 60},
        {"qi_pile": []},
        {"hands.1": [None] * 4},
        {"hands.1": []},
        {"drawn.2": [None] * 4},
        {"yen_piles.0": [None] * 40},
        {"known": [[], []]},
        {"known.1": ["*"] * 4},
        {"display": ["g"] * 10},
    ],
    ids=lambda changes: ",".join(changes),
)
def test_view_that_fits_no_deal_is_refused(changes):
    view = changed(GAME.from_dict(TURN).view(0), changes)
    with pytest.raises(ValueError, match=r"qi_pile|hands|drawn|pool|yen_piles|known|general"):
        GAME.from_view(view, 0)


def test_attack_that_no_hand_could_make_is_refused():
    view = GAME.from_dict(BASES["attack"]).view(1)  # seat 0 lays a third card for the X
    view["hands"][0] = [None] * 3
    assert GAME.from_view(view | {"hands": [[None] * 3, [], []]}, 1, 0).to_act == 0
    with pytest.raises(ValueError, match="attack"):
        GAME.from_view(changed(view, {"hands": [[], [], [None] * 3]}), 1)


def test_view_is_left_alone():
    view = GAME.from_dict(TURN).view(0)
    before = json.dumps(view)
    GAME.from_view(view, 0)
    assert json.dumps(view) == before


def test_whole_document_is_a_view_too():
    # Somebody who knows more than its seat may: the sampled state shows the same view.
    state = GAME.from_dict(TURN)
    sampled = GAME.from_view(state.to_dict(), 0)
    assert sampled.view(0) == state.view(0)


@pytest.mark.parametrize("base", BASES)
def test_view_leads_back_to_a_state_that_shows_it(base):
    state = GAME.from_dict(BASES[base])
    for seat, seed in product(range(state.players), range(games(3, 50))):
        sampled = GAME.from_view(state.view(seat), seat, seed)
        assert sampled.view(seat) == state.view(seat)
        assert GAME.from_dict(sampled.to_dict()) == sampled
        assert sampled.over or sampled.legal_actions()


def test_documents_of_played_games_are_read():
    for seed in range(games(1, 20)):
        for state in positions(GAME.new(5, {"reach": "free"}, seed), seed):
            assert GAME.from_dict(state.to_dict()) == state


def test_actions_are_played_by_name():
    assert played(TURN, "take g").to_dict() == run(TURN, "take g")
