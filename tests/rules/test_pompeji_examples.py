"""The worked examples E1 to E30 of the rules page (13), each on a hand-made document."""

import pytest

from .pompeji_documents import GAME, full_town, legal, legal_cells, position, run, state_of

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(("players", "stack"), [(2, 44), (3, 41), (4, 38)])
@pytest.mark.parametrize("permits", [1, 2])
def test_e01_fresh_game(players, stack, permits):
    for seed in range(20):
        state = GAME.new(players, {"permits": permits}, seed)
        d = state.to_dict()
        assert [len(hand) for hand in d["hands"]] == [3] * players
        assert len(d["stack"]) == stack
        assert d["stack"][:9].count("volcano") == d["stack"][9:18].count("volcano") == 1
        assert "volcano" not in d["stack"][18:]
        assert [cell for cell, _ in d["town"]] == [84]
        assert (d["statues"], d["permits"]) == ([1] * players, [permits] * players)
        assert (d["phase"], d["to_act"]) == ("permit", (d["turn"] - 1) % players)
        assert state.legal_actions() == [284, 285]


def test_e02_neighbours_differ_in_building_and_colour():
    d = position(2, "6,6 Fr", "Fo Gr Gb|Ar", "Tw")
    assert legal(d) == ["play Gb"]
    d = run(d, "play Gb")
    assert legal_cells(d) == "5,6 6,5 6,7 7,6"
    d = run(d, "cell 6,7")
    assert d["scores"] == [0, 0]
    assert d["hands"][0] == ["Fo", "Gr", "Tw"]
    assert (d["turn"], d["to_act"], d["phase"]) == (1, 1, "play")


def test_e03_building_on_a_diagonal():
    d = run(position(2, "6,6 Fr, 6,7 Gb", "Fo|Ar", "Tw"), "play Fo")
    assert legal_cells(d) == "5,7 6,8 7,7"
    assert run(d, "cell 5,7")["scores"] == [7, 0]


def test_e04_town_spans_seven_columns():
    d = position(2, "row 6 from 3: Ar Bo Fy Gg Mb Tv Vw", "Av|Ao", "Tw")
    assert legal_cells(run(d, "play Av")) == "5,4 5,5 5,6 5,7 5,9 7,4 7,5 7,6 7,7 7,9"


def test_e05_sum_of_a_building():
    d = position(2, "row 6 from 4: Fr Go . Ab Fw", "Fg|Ao", "Tw")
    assert run(d, "play Fg > cell 6,6")["scores"] == [11, 0]


@pytest.mark.parametrize(("last", "points"), [("Mr", 6), ("Vr", 7)])
def test_e06_highest_of_a_colour(last, points):
    d = position(2, f"row 6 from 4: Fr Go . Ab {last}", "Tr|Ao", "Tw")
    assert run(d, "play Tr > cell 6,6")["scores"] == [points, 0]


def test_e07_four_roads():
    town = "6,5 Gy, 6,6 Mb, 5,6 Aw, 5,7 Vo, 4,7 Gr, 7,6 Bo, 7,8 Tr, 6,8 Fv, 8,5 Tw"
    d = position(2, town, "Gw|Ao", "Fy")
    assert run(d, "play Gw > cell 6,7")["scores"] == [28, 0]


def test_e08_gap_interrupts_a_road():
    town = ["row 6 from 3: Fr . Ab Mo . Gb", "row 5 from 5: Tg Bw Gy Vr"]
    assert run(position(2, town, "Fg|Ao", "Tw"), "play Fg > cell 6,7")["scores"] == [0, 0]


def test_e09_building_and_colour_of_one_road():
    d = position(2, "row 6 from 4: Fr Tb . Ab Mg", "Fg|Ao", "Tw")
    assert run(d, "play Fg > cell 6,6")["scores"] == [15, 0]


def test_e10_seventh_card():
    d = position(2, "row 6 from 3: Ar Bo Fy Gg Mb Tv", "Vw|Ao", "Tw")
    assert run(d, "play Vw > cell 6,9")["scores"] == [7, 0]
    d = position(2, "row 6 from 3: Ar Bo S Gg . Tv Vw", "Mb|Ao", "Tw")
    assert run(d, "play Mb > cell 6,7")["scores"] == [7, 0]


def test_e11_four_sevenths_and_the_end():
    d = position(2, full_town("6,7 .", "3,5 S"), "Fv|Bg", "volcano", volcanoes=1)
    d = run(d, "play Fv > cell 6,7")
    assert d["over"]
    assert d["scores"] == [28, -5]


E12 = "row 6 from 4: Fr Go . Ab Fw"


def test_e12_statue():
    d0 = position(2, E12, "Tg Vb|Ao", "Tw", statues=[1, 0])
    d = run(d0, "statue > cell 6,6")
    assert (d["phase"], d["card"], d["cell"]) == ("building", "S", 84)
    assert legal(d) == [f"building {letter}" for letter in "BFMTV"]
    d = run(d, "building F")
    assert legal(d) == [f"colour {letter}" for letter in "rygvw"]
    d = run(d, "colour r")
    assert d["scores"] == [9, 0]
    assert [84, "S"] in d["town"]
    assert (d["statues"], d["to_act"]) == ([0, 0], 1)
    assert (d["hands"], d["stack"]) == (d0["hands"], d0["stack"])
    assert (d["card"], d["cell"], d["building"]) == (None, None, None)


def test_e13_statue_is_neutral():
    d = position(2, E12, "Tg|Mv", "Tw", statues=[1, 0])
    d = run(d, "statue > cell 6,6 > building M > colour v")
    assert d["scores"] == [0, 0]
    d = run(d, "play Mv")
    assert legal_cells(d) == "5,4 5,5 5,6 5,7 5,8 6,3 6,9 7,4 7,5 7,6 7,7 7,8"
    assert run(d, "cell 5,6")["scores"] == [0, 0]


def test_e14_statue_beside_a_statue_only():
    d = position(2, "6,6 Fr, 6,7 S, 6,8 Gb", "Tg|Fw", "Tw Tv", statues=[1, 1])
    d = run(d, "statue > cell 7,7")
    assert legal(d) == [f"building {letter}" for letter in "ABFGMTV"]
    d = run(d, "building F > colour b")
    assert d["scores"] == [5, 0]
    d = run(d, "play Fw")
    assert "8,8" not in legal_cells(d).split()
    assert run(d, "cell 8,7")["scores"] == [5, 0]


def test_e15_statues_do_not_interrupt():
    d = position(2, "row 6 from 4: Fr S . S Fw", "Fg|Ao", "Tw")
    assert run(d, "play Fg > cell 6,6")["scores"] == [11, 0]


def test_e16_discards_only_without_a_placeable_card():
    d0 = position(2, "6,6 Fr", "Fo Ar|Ao", "Tw Tv")
    assert legal(d0) == ["discard Ar", "discard Fo"]
    d = run(d0, "discard Fo")
    assert "Fo" in d["discards"]
    assert d["hands"][0] == ["Ar", "Tv"]
    assert (d["to_act"], d["scores"]) == (1, [0, 0])
    assert legal(d0 | {"statues": [1, 0]}) == ["statue", "discard Ar", "discard Fo"]
    d = position(2, "6,6 Fr, 6,7 Gb", "Fo Ar|Ao", "Tw Tv")
    assert legal(d) == ["play Ar", "play Fo"]


def test_e17_window_of_four_seats():
    d = position(4, "6,6 Fr", "Gb|Go|Tw|Vg", "Av Ag Ao Ab", turn=2, permits=[1] * 4)
    d = run(d, "play Tw > cell 6,7")
    asked = []
    for _ in range(3):
        assert d["phase"] == "permit"
        asked.append(d["to_act"])
        d = run(d, "pass")
    assert asked == [2, 0, 1]
    assert (d["phase"], d["to_act"]) == ("play", 3)


def test_e18_extra_turn():
    d = position(
        3, "6,6 Fr, 6,7 Tw", "Gb|Go|Fv", "Av Ag Ao", phase="permit", turn=1, act=0, permits=[1] * 3
    )
    d = run(d, "pass")
    assert d["to_act"] == 2
    d = run(d, "permit")
    assert (d["permits"], d["extra"], d["to_act"]) == ([1, 1, 0], True, 2)
    assert legal(d) == ["play Fv"]
    d = run(d, "play Fv > cell 5,7")
    assert (d["scores"], d["hands"][2]) == ([0, 0, 4], ["Ao"])
    assert (d["extra"], d["to_act"], d["phase"]) == (False, 1, "play")
    d = run(d, "play Go > cell 6,5")
    assert (d["turn"], d["phase"], d["to_act"]) == (2, "permit", 1)


def test_e19_second_turn_after_the_own_one():
    d = run(position(2, "6,6 Fr", "Tw Fv|Go", "Av Ao", permits=[1, 0]), "play Tw > cell 6,7")
    assert (d["turn"], d["phase"], d["to_act"]) == (1, "permit", 0)
    d = run(d, "permit > play Fv > cell 5,7")
    assert (d["scores"], d["permits"], d["hands"][0]) == ([4, 0], [0, 0], ["Ao", "Av"])
    assert (d["to_act"], d["phase"]) == (1, "play")


@pytest.mark.parametrize(("statues", "asked"), [(None, [1, 3]), ([1, 0, 0, 0], [1, 3, 0])])
def test_e20_only_seats_that_can_place_are_asked(statues, asked):
    d = position(4, "6,6 Fr", "Fo|Gr|Tw|Vg", "Av Ag", turn=1, permits=[1, 1, 0, 1], statues=statues)
    d = run(d, "discard Gr")
    for seat in asked:
        assert (d["phase"], d["to_act"]) == ("permit", seat)
        if seat == 0:
            assert legal(run(d, "permit")) == ["statue"]
        d = run(d, "pass")
    assert (d["phase"], d["to_act"]) == ("play", 2)


def test_e21_no_discard_in_an_extra_turn():
    d = position(
        2,
        "6,6 Fr",
        "Fo Fw|Go",
        "Av",
        phase="permit",
        turn=1,
        act=0,
        permits=[1, 0],
        statues=[1, 0],
    )
    assert legal(run(d, "permit")) == ["statue"]


def test_e21_full_town():
    town = full_town("6,7 .", "3,4 S", "3,10 S", "9,4 S", "9,10 S")
    d = position(4, town, "Ar Fv|Vb|Tw|Mg", "volcano", volcanoes=1, permits=[1] * 4)
    assert legal(d) == ["play Fv"]
    d = run(d, "play Fv > cell 6,7 > no draw")
    assert d["scores"] == [28, 0, 0, 0]
    assert (d["to_act"], d["phase"]) == (1, "play")
    assert legal(d) == ["discard Vb"]
    d = run(d, "discard Vb")
    assert d["over"]
    assert d["scores"] == [27, 0, -5, -1]


def test_e22_two_permits():
    d = position(2, "6,6 Fr", "Tw Fv Gb|Go", "Av Ao Mb My", permits=[2, 0], option_permits=2)
    d = run(d, "play Tw > cell 6,7 > permit > play Fv > cell 5,7")
    assert (d["permits"], d["to_act"], d["phase"]) == ([1, 0], 1, "play")
    d = run(d, "play Go > cell 6,5")
    assert (d["to_act"], d["phase"]) == (0, "play")
    d = run(d, "play Gb > cell 7,6")
    assert (d["turn"], d["phase"], d["to_act"]) == (1, "permit", 0)


def test_e23_first_volcano():
    d = run(position(2, "6,6 Fr", "Tw Fv Gb|Go", "Av Ao volcano"), "play Tw > cell 6,7")
    assert (d["volcanoes"], d["stack"], d["hands"][0]) == (1, ["Av", "Ao"], ["Fv", "Gb"])
    assert (d["to_act"], d["phase"]) == (0, "draw")
    assert legal(d) == ["draw", "no draw"]
    drawn, kept = run(d, "draw"), run(d, "no draw")
    assert (drawn["hands"][0], drawn["to_act"]) == (["Ao", "Fv", "Gb"], 1)
    assert (kept["hands"][0], kept["stack"], kept["to_act"]) == (["Fv", "Gb"], ["Av", "Ao"], 1)


@pytest.mark.parametrize(("hand", "actions"), [("Tw", "play Tw > cell 6,7"), ("Fw", "discard Fw")])
def test_e24_empty_hand_draws(hand, actions):
    d = run(position(2, "6,6 Fr", f"{hand}|Go", "Av Ao", volcanoes=1), actions)
    assert (d["hands"][0], d["to_act"]) == (["Ao"], 1)


def test_e24_a_choice_with_cards_left():
    d = run(position(2, "6,6 Fr", "Fo Fw|Go", "Av Ao", volcanoes=1), "discard Fw")
    assert (d["phase"], d["to_act"]) == ("draw", 0)


def test_e25_end_and_rewards():
    d = position(
        3,
        "6,6 Fr, 6,7 Gb",
        "Fo Vv|Go Tw|Mb",
        "Av volcano",
        volcanoes=1,
        scores=[10, 20, 12],
        statues=[1, 0, 0],
        permits=[1] * 3,
    )
    d = run(d, "play Fo > cell 5,7 > draw")
    assert d["over"]
    assert (d["scores"], d["stack"]) == ([12, 10, 10], ["Av"])
    state = state_of(d)
    assert state.winners() == [0]
    assert state.rewards("win") == state.rewards("rank") == [1, -0.5, -0.5]
    assert state.rewards("score") == pytest.approx([2 / 60, -1 / 60, -1 / 60])


def test_e26_shared_victory():
    d = position(2, "6,6 Fr", "Tw|Go", "Ao volcano", volcanoes=1, scores=[5, 10])
    d = run(d, "play Tw > cell 6,7")
    assert (d["over"], d["scores"]) == (True, [5, 5])
    state = state_of(d)
    assert state.winners() == [0, 1]
    assert [state.rewards(kind) for kind in ("win", "rank", "score")] == [[0, 0]] * 3


def test_e27_end_in_an_extra_turn():
    d = position(
        2,
        "6,6 Fr, 6,7 Tw",
        "Fv|Go Av",
        "Ao volcano",
        phase="permit",
        turn=1,
        act=0,
        permits=[1, 1],
        volcanoes=1,
    )
    d = run(d, "permit > play Fv > cell 5,7")
    assert (d["over"], d["scores"]) == (True, [4, -11])
    assert (d["turn"], d["extra"]) == (1, True)


def test_e28_both_volcanoes_in_a_turn():
    d = position(2, "6,6 Fr", "Tw Fv Gb|Go", "Ao volcano volcano")
    d = run(d, "play Tw > cell 6,7")
    assert d["phase"] == "draw"
    d = run(d, "draw")
    assert (d["over"], d["scores"]) == (True, [-2, -5])


def test_e29_numbers_by_building():
    d = position(2, "row 6 from 4: Fr Go . Ab Fw", "Fg|Ao", "Tw", values="building")
    assert run(d, "play Fg > cell 6,6")["scores"] == [9, 0]
    d = position(2, "row 6 from 4: Fr Go . Ab Mr", "Tr|Ao", "Tw", values="building")
    assert run(d, "play Tr > cell 6,6")["scores"] == [6, 0]


def test_e30_views():
    d = position(3, "6,6 Fr, 6,7 Gb", "Fo Vv|Go Tw|Mb", "Av Ao volcano")
    d = run(d, "play Fo")
    view = state_of(d).view(0)
    assert view["hands"] == [["Fo", "Vv"], [None, None], [None]]
    assert (view["card"], view["stack"]) == ("Fo", [None] * 3)
    view = state_of(d).view(1)
    assert view["hands"] == [[None, None], ["Go", "Tw"], [None]]
    assert (view["card"], view["phase"], view["stack"]) == (None, "cell", [None] * 3)
    d = position(3, "6,6 Fr, 6,7 Gb", "Fo|Go Tw|Mb", "Av volcano", volcanoes=1)
    view = state_of(run(d, "play Fo > cell 5,7")).view(2)
    assert view["over"]
    assert (view["hands"], view["stack"]) == ([[], ["Go", "Tw"], ["Mb"]], [None])


def test_example_document_of_the_page():
    d = {
        "game": "pompeji", "players": 2, "options": {"permits": 1, "values": "latin"},
        "to_act": 0, "phase": "cell", "over": False, "scores": [0, 5], "turn": 0, "extra": False,
        "card": "Gw", "cell": None, "building": None,
        "hands": [["Gw", "My", "Vr"], ["Ay", "Fg", "Fb"]],
        "stack": ["By", "Ar", "Fr", "Vv", "Mo", "Vw", "Gy", "Gg", "volcano", "Av", "Tb", "Mr",
                  "Vy", "Aw", "Mb", "Bg", "Tv", "volcano", "Fv", "Ag", "Bo", "Ty", "Bb", "Vg",
                  "Ab", "Tg", "Gb", "Bw", "Fw", "Tr", "Fo", "Tw", "Vo", "Br", "Gv", "Mw", "Mg",
                  "Bv", "To", "Gr", "Fy"],
        "volcanoes": 0, "discards": [],
        "town": [[83, "Mv"], [84, "Ao"], [85, "Vb"], [96, "Go"], [97, "S"]],
        "statues": [1, 0], "permits": [1, 0],
    }  # fmt: skip
    assert state_of(d).to_dict() == d
