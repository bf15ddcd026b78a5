"""The worked examples E1 to E38 of the rules page (13), each on a hand-made document."""

import pytest

from .pumafiosi_documents import legal, observe, position, rewards, run, steps, view, winners

pytestmark = pytest.mark.plain


def test_e01_second_highest_wins():
    # The second-highest of three cards wins; the highest does not.
    d = run(position(3, ["10 30 50", "20 40 45", "5 35 55"]), "play 30", "play 40", "play 35")
    assert (d["phase"], d["to_act"], d["table"][2]) == ("place", 2, {"card": "35", "gun": False})


def test_e02_refill_at_once():
    # Refill at once: after the first play the hand is back to 3, the pile down to 6.
    d0 = position(3, ["10 30 50", "20 40 45", "5 35 55"])
    d = run(d0, "play 30")
    assert (len(d["hands"][0]), len(d["piles"][0]), d["to_act"]) == (3, 6, 1)
    assert d0["piles"][0][-1] in d["hands"][0]
    assert d["played"][0] == ["30"]


def test_e03_five_seats_in_turn():
    # Five seats, seat 3 leads: the order is 3, 4, 0, 1, 2; the 48 wins below the 51.
    d = position(5, ["48 2 3", "51 4 5", "47 6 7", "1 8 9", "10 11 12"], start=3)
    d = run(d, "play 1", "play 10", "play 48", "play 51", "play 47")
    assert (d["phase"], d["to_act"]) == ("place", 0)


def test_e04_placed_on_an_empty_step():
    # Placed on an empty step: nothing drops, the table is cleared, the winner leads round 2.
    d = position(5, ["48 2 3", "51 4 5", "47 6 7", "1 8 9", "10 11 12"], start=3)
    d = run(d, "play 1", "play 10", "play 48", "play 51", "play 47", "place at 6")
    assert steps(d) == "6:48/0"
    assert d["penalty"] == [0] * 5
    assert d["table"] == [None] * 5
    assert (d["phase"], d["to_act"], d["start_seat"], d["round"]) == ("play", 0, 0, 2)


def test_e05_where_a_card_may_go():
    # Empty steps, steps with a lower card (also one's own), the casualty card.
    d = position(
        3, ["50 8 9", "25 11 12", "13 14 15"], "10:40/0 8:20/2 7:26/1 5:24/1 3:3/0", start=1
    )
    d = run(d, "play 25", "play 13", "play 50")
    assert legal(d) == [
        "place at 8",
        "place at 6",
        "place at 5",
        "place at 3",
        "place at 2",
        "place at 1",
        "place at -3",
    ]


def test_e06_only_the_casualty_card_is_left():
    # Nowhere else to go: only the casualty card. Nothing is bumped there.
    col = "10:40/0 8:41/1 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1"
    d = run(position(3, ["30 5", "31 6", "32 7"], col), "play 30", "play 31", "play 32")
    assert legal(d) == ["place at -3"]
    d = run(d, "place at -3")
    assert steps(d) == col + " -3:31/1"
    assert d["penalty"] == [0, 0, 0]
    assert d["to_act"] == 1


def test_e07_rulebook_example_of_a_fall():
    # The rulebook's example: green (0) places at 8; purple (1) drops 1, orange (2) drops 2.
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "8:30/1 7:20/2 6:25/0")
    d = run(d, "play 40", "play 3", "play 50", "place at 8")
    assert steps(d) == "8:40/0 7:30/1 6:25/0 5:20/2"
    assert d["penalty"] == [0, 1, 2]


def test_e08_bumped_card_passes_higher_ones():
    # A bumped card may pass several higher cards, one point each; those do not move.
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:10/1 8:44/2 7:45/0 6:46/2")
    d = run(d, "play 40", "play 3", "play 50", "place at 10")
    assert steps(d) == "10:40/0 8:44/2 7:45/0 6:46/2 5:10/1"
    assert d["penalty"] == [0, 4, 0]


def test_e09_own_card_is_bumped_and_charged():
    # One's own card is bumped and charged like any other.
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/0")
    d = run(d, "play 40", "play 3", "play 50", "place at 10")
    assert steps(d) == "10:40/0 8:30/0"
    assert d["scores"] == [-1, 0, 0]


def test_e10_last_drop_to_the_casualty_card():
    # From step 1 to the casualty card is one drop; the casualty card keeps its cards.
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "2:20/1 1:10/2 -3:33/1")
    d = run(d, "play 40", "play 3", "play 50", "place at 2")
    assert steps(d) == "2:40/0 1:20/1 -3:33/1 -3:10/2"
    assert d["penalty"] == [0, 1, 1]


def test_e11_full_column_drops_eight_times():
    # A full column: eight drops at once.
    d = position(
        3, ["54 55", "1 2", "53 3"], "10:40/0 8:39/1 7:38/2 6:37/0 5:36/1 3:35/2 2:34/0 1:33/1"
    )
    d = run(d, "play 54", "play 1", "play 53", "place at 10")
    assert steps(d) == "10:53/2 8:40/0 7:39/1 6:38/2 5:37/0 3:36/1 2:35/2 1:34/0 -3:33/1"
    assert d["penalty"] == [3, 3, 2]


def test_e12_falling_card_takes_a_lower_ones_place():
    # Falling cards change places with lower ones on the way: the 30 stops where the 12 was.
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/1 8:35/2 7:12/1 5:20/2")
    d = run(d, "play 40", "play 3", "play 50", "place at 10")
    assert steps(d) == "10:40/0 8:35/2 7:30/1 6:12/1 5:20/2"
    assert d["penalty"] == [0, 3, 0]


def test_e13_hands_shrink_from_round_8():
    # Rounds 8-10: no refill, hands shrink; the last card is still a decision.
    col = "10:40/0 8:41/1 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0"
    d = run(position(3, ["30 5 8", "31 6 9", "32 7 10"], col), "play 5")
    assert d["round"] == 8
    assert d["hands"][0] == ["8", "30"]
    assert d["piles"][0] == []
    d = position(3, ["30", "31", "32"], col + " 1:47/1 -3:4/0")
    assert legal(d) == ["play 30"]
    assert d["round"] == 10
    assert len(run(d, "play 30")["hands"][0]) == 0


def test_e14_scoring():
    # Scoring. Seat 0: 10+6+2 = 18 wealth, 3 penalty (the 4). Seat 1: 8+5+1-3. Seat 2: 7+3.
    d = position(
        3, ["30", "31", "32"], "10:40/0 8:41/1 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0"
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["over"]
    assert d["phase"] == "over"
    assert d["to_act"] is None
    assert legal(d) == []
    assert d["scores"] == [15, 11, 10]
    assert d["wealth"] == [15, 11, 10]
    assert d["penalty"] == [0, 0, 0]
    assert winners(d) == [0]
    assert steps(d).endswith("-3:4/0 -3:31/1")


def test_e15_no_card_in_the_hierarchy():
    # 10 penalty points for no card. Wealth 12 and penalty 4 leave 8 (rulebook example).
    d = position(
        3,
        ["30", "31", "32"],
        "8:40/0 7:42/1 6:43/1 5:44/1 3:45/0 2:46/1 1:47/0 -3:4/1 -3:5/1",
        penalty=[4, 2, 0],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["wealth"] == [8, 9, 0]
    assert d["penalty"] == [0, 0, 10]
    assert d["scores"] == [8, 9, -10]


def test_e16_next_game():
    # The highest score leads (seat 1), net points carry over, the column is empty, cards are dealt
    # from the end.
    d = position(
        3,
        ["30", "31", "32"],
        "8:40/0 7:42/1 6:43/1 5:44/1 3:45/0 2:46/1 1:47/0 -3:4/1 -3:5/1",
        penalty=[4, 2, 0],
        games=3,
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert (d["game_number"], d["round"], d["phase"]) == (2, 1, "play")
    assert (d["start_seat"], d["to_act"]) == (1, 1)
    assert d["wealth"] == [8, 9, 0]
    assert d["penalty"] == [0, 0, 10]
    assert steps(d) == ""
    assert d["played"] == [[], [], []]
    assert d["hands"] == [["1", "2", "3"], ["11", "12", "13"], ["21", "22", "23"]]
    assert d["piles"][0] == ["4", "5", "6", "7", "8", "9", "10"]
    assert d["deck"][-1] == "31"
    assert len(d["deck"]) == 25
    assert run(d, "play 12")["hands"][1] == ["11", "13", "20"]
    assert len(d["future_decks"]) == 1


def test_e17_second_oldest_of_tied_starters_leads():
    # Of the tied seats 0 and 1 the second-oldest leads; seat 2 is the oldest of all.
    d = position(
        3,
        ["30", "31", "32"],
        "8:40/0 7:41/0 6:43/1 5:44/1 3:45/1 2:46/2 1:47/1 -3:4/2 -3:5/2",
        penalty=[0, 0, 0],
        wealth=[0, 3, 0],
        games=3,
        ages=[2, 1, 0],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["scores"] == [15, 15, -4]
    assert d["start_seat"] == 0


def test_e18_highest_net_score_leads_in_debt():
    # All in debt: the highest net score leads (and would win), although nobody has wealth.
    col = "10:40/0 8:41/1 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0"
    d = position(3, ["30", "31", "32"], col, penalty=[20, 14, 30], games=3)
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["scores"] == [-5, -3, -20]
    assert d["wealth"] == [0, 0, 0]
    assert d["start_seat"] == 1


def test_e19_higher_card_breaks_the_final_tie():
    # Final tie: the higher card wins; it also decides the rank.
    col = "10:40/0 8:41/1 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0"
    d = position(3, ["30", "31", "32"], col, wealth=[0, 4, 0])
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["scores"] == [15, 15, 10]
    assert winners(d) == [0]
    assert rewards(d, "win") == [1.0, -0.5, -0.5]
    assert rewards(d, "rank") == [1.0, 0.0, -1.0]
    assert rewards(d, "score") == [0.1, 0.1, -0.2]  # (15 - 12.5) / 25 and so on


def test_e20_victory_shared_on_the_casualty_card():
    # Tied and both best on the casualty card (R21): the victory is shared.
    d = position(
        3,
        ["30", "31", "32"],
        "8:40/2 7:41/2 6:42/2 5:43/2 3:44/2 2:45/2 1:46/2 -3:4/0 -3:5/2",
        wealth=[30, 30, 0],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["scores"] == [27, 27, 29]
    assert winners(d) == [2]
    d = position(
        3,
        ["30", "31", "32"],
        "8:40/2 7:41/2 6:42/2 5:43/2 3:44/2 2:45/2 1:46/2 -3:4/0 -3:5/2",
        wealth=[40, 40, 0],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert winners(d) == [0, 1]
    assert rewards(d, "win") == [0.25, 0.25, -0.5]
    assert rewards(d, "rank") == [0.5, 0.5, -1.0]


def test_e21_machine_gun_may_overshoot():
    # 30 + 10.5 beats 40, so the 40 is second. The gun is gone although the round was lost.
    d = position(3, ["30 1 2", "40 3 4", "35 5 6"], items=["all", "all", "all"])
    assert legal(d)[:3] == ["play 1", "play 2", "play 30"]
    assert legal(d)[5] == "play 30 with machine gun"
    d = run(d, "play 30 with machine gun", "play 40", "play 35")
    assert d["to_act"] == 1
    assert d["items"][0] == ["vest", "notebook", "ring"]
    assert d["table"][0] == {"card": "30", "gun": True}


def test_e22_machine_gun_does_not_count_on_the_column():
    # Winning with a machine gun: the printed 30 is placed, so a step held by the 33 is closed.
    d = position(3, ["30 1 2", "41 3 4", "35 5 6"], "10:33/1 8:29/2", items=["all", "all", "all"])
    d = run(d, "play 30 with machine gun", "play 41", "play 35")
    assert d["to_act"] == 0
    assert "place at 10" not in legal(d)
    assert "place at 8 with vest" in legal(d)


def test_e23_two_machine_guns():
    # Two machine guns: 41.5 over 40.5; the second of them wins.
    d = position(3, ["30 1 2", "31 3 4", "39 5 6"], items=["all", "all", "all"])
    assert run(d, "play 30 with machine gun", "play 31 with machine gun", "play 39")["to_act"] == 0


def test_e24_vest_and_notebook_when_falling():
    # Vest: drops cost nothing. Notebook: two points per drop.
    d = position(
        3,
        ["40 1 2", "3 4 5", "50 6 7"],
        "10:30/1/vest 8:20/2/notebook 7:25/1",
        items=["machine_gun", "machine_gun", "vest"],
    )
    d = run(d, "play 40", "play 3", "play 50", "place at 10")
    assert steps(d) == "10:40/0 8:30/1/vest 7:25/1 6:20/2/notebook"
    assert d["penalty"] == [0, 0, 4]


def test_e25_notebook_and_vest_at_the_end():
    # Notebook at the end: the 7 counts 14, a casualty counts -6; the vest's 8 counts 8.
    d = position(
        3,
        ["30", "31", "32"],
        "10:40/0 8:41/1/vest 7:42/2/notebook 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0/notebook",
        items=["", "notebook", ""],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3 with notebook")
    assert d["scores"] == [18 - 6, 14 - 6, 14 + 3]
    assert d["items"][1] == []


def test_e26_ring_after_the_fall():
    # Ring: the window opens after the fall; the giver pays for later drops only, and both score.
    d = position(3, ["40 51 2", "3 4 5", "50 6 7"], "10:30/1", items=["all", "all", "all"])
    d = run(d, "play 40", "play 3", "play 50", "place at 10 with vest")
    assert (d["phase"], d["to_act"], d["ring_target"]) == ("ring", 0, "30")
    assert legal(d) == ["give ring", "keep ring"]
    assert d["penalty"] == [0, 1, 0]
    assert d["table"] == [None] * 3
    d = run(d, "give ring")
    assert steps(d) == "10:40/0/vest 8:30/1/ring/0"
    assert d["items"][0] == ["machine_gun", "notebook"]
    assert d["penalty"] == [0, 1, 0]
    d = position(
        3, ["1 2 9", "41 4 5", "50 6 7"], "10:44/0/vest 8:30/1/ring/0", items=["", "all", "all"]
    )
    d = run(d, "play 1", "play 41", "play 50", "place at 8")
    assert steps(d) == "10:44/0/vest 8:41/1 7:30/1/ring/0"
    assert d["penalty"] == [1, 1, 0]
    assert d["phase"] == "play"


def test_e27_ring_kept_or_no_window():
    # Kept, the ring stays. No window: own card, card with an item, empty step, casualty card, no
    # ring left.
    d = position(
        3,
        ["40 1 2", "3 4 5", "50 6 7"],
        "10:30/1 8:31/0 7:32/1/vest 6:33/2/notebook 5:34/1/ring/2",
        items=["ring", "", ""],
    )
    d = run(d, "play 40", "play 3", "play 50")
    assert run(d, "place at 10", "keep ring")["items"][0] == ["ring"]
    for v in (8, 7, 6, 5, 3, -3):
        assert run(d, f"place at {v}")["phase"] == "play"
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/1", items=["vest", "ring", "ring"])
    assert run(d, "play 40", "play 3", "play 50", "place at 10")["phase"] == "play"


def test_e28_ring_goes_to_the_card_bumped_directly():
    # Only the card bumped directly gets the ring, even if it fell to the casualty card.
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "2:10/1 1:20/2", items=["ring", "", ""])
    d = run(d, "play 40", "play 3", "play 50", "place at 2", "give ring")
    assert steps(d) == "2:40/0 1:20/2 -3:10/1/ring/0"
    assert d["penalty"] == [0, 2, 0]
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "3:20/1 2:10/2", items=["ring", "", ""])
    d = run(d, "play 40", "play 3", "play 50", "place at 3")
    assert d["ring_target"] == "20"  # the 10 fell as well, but was not bumped directly


def test_e29_shared_card_scores_for_both():
    # A co-owned card scores in full for both, and is a card of both for the tie-break.
    d = position(
        3,
        ["30", "31", "32"],
        "10:40/1/ring/0 8:41/0 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0",
        items=["", "", ""],
        wealth=[0, 10, 0],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["scores"] == [23, 23, 10]
    assert winners(d) == [0, 1]


def test_e30_tony_is_the_third_player():
    # Tony's card is the third. Seat 0 leads; Tony's 30 is second and goes to the top.
    d = position(2, ["20 1 2", "40 3 4"], tony="30")
    d = run(d, "play 20", "play 40")
    assert steps(d) == "10:30/T"
    assert (d["round"], d["start_seat"], d["to_act"], d["phase"]) == (2, 1, 1, "play")
    assert d["tony_card"] is not None
    assert d["tony_played"] == ["30", d["tony_card"]]
    assert len(d["deck"]) == 33
    # Tony wins again while seat 1 leads: seat 0 leads next. If a player wins, that player leads.
    d = position(2, ["20 1 2", "40 3 4"], "10:35/T", tony="30", start=1)
    assert run(d, "play 40", "play 20")["start_seat"] == 0
    assert run(d, "play 4", "play 20", "place at -3")["start_seat"] == 0
    assert run(d, "play 40", "play 2")["start_seat"] == 0
    assert steps(run(d, "play 40", "play 2")) == "10:35/T 8:30/T"


def test_e31_tony_takes_the_topmost_possible_step():
    # Tony bumps where he lands; players pay for drops, Tony does not.
    d = position(2, ["20 1 2", "40 3 4"], "10:33/0 8:28/1 7:15/T 6:12/0", tony="30")
    d = run(d, "play 20", "play 40")
    assert steps(d) == "10:33/0 8:30/T 7:28/1 6:15/T 5:12/0"
    assert d["penalty"] == [1, 1]


def test_e32_ring_on_tonys_card():
    # Tony's card changes hands, alone; its later drops are charged, the fall before was free.
    d = position(2, ["40 1 2", "50 3 4"], "10:15/T 8:12/T", tony="9", items=["ring", "all"])
    d = run(d, "play 40", "play 50", "place at 10")
    assert d["phase"] == "ring"
    assert d["penalty"] == [0, 0]
    d = run(d, "give ring")
    assert steps(d) == "10:40/0 8:15/0/ring 7:12/T"
    assert d["items"][0] == []
    d = position(
        2, ["1 2 3", "50 16 4"], "10:40/0 8:15/0/ring 7:12/T", tony="18", items=["", "all"]
    )
    d = run(d, "play 1", "play 16", "place at 8")
    assert d["phase"] == "play"
    assert steps(d) == "10:40/0 8:16/1 7:15/0/ring 6:12/T"
    assert d["penalty"] == [1, 0]


def test_e33_tony_on_the_casualty_card():
    # Tony's cards score for nobody: seat 1 has no card, -10.
    d = position(
        2,
        ["20", "40"],
        "10:41/0 8:42/T 7:43/0 6:44/0 5:45/0 3:46/T 2:47/0 1:48/0 -3:3/T",
        tony="30",
    )
    d = run(d, "play 20", "play 40")
    assert steps(d).endswith("-3:3/T -3:30/T")
    assert d["scores"] == [31, -10]
    assert winners(d) == [0]
    assert rewards(d, "win") == [1.0, -1.0]
    assert rewards(d, "score") == [1.0, -1.0]


def test_e34_view():
    # View: own hand only; no pile, not even one's own; the rest is public.
    d = position(2, ["20 1 2", "40 3 4"], tony="30", games=3)
    v = view(d, 1)
    assert v["hands"] == [[None] * 3, ["3", "4", "40"]]
    assert v["piles"] == [[None] * 7] * 2
    assert v["deck"] == [None] * 34
    assert v["future_decks"] == [[None] * 55] * 2
    assert v["tony_card"] == "30"
    assert v | {key: d[key] for key in ("hands", "piles", "deck", "future_decks")} == d


def test_e35_bumping_a_shared_card():
    # Both seats of it are charged, oneself too, and there is no window (R34).
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "3:20/0/ring/2", items=["ring", "", ""])
    d = run(d, "play 40", "play 3", "play 50", "place at 3")
    assert d["phase"] == "play"
    assert steps(d) == "3:40/0 2:20/0/ring/2"
    assert d["penalty"] == [1, 0, 1]
    assert d["items"][0] == ["ring"]


def test_e36_items_on_cards_leave_with_the_game():
    # Items on cards leave; unused ones stay (R18). Four seats; 10 points for no card.
    col = "10:40/0/vest 8:41/1/ring/0 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0"
    d = position(
        4,
        ["30", "31", "33", "32"],
        col,
        items=["machine_gun", "notebook", "all", ""],
        games=3,
        start=1,
    )
    d = run(d, "play 31", "play 33", "play 32", "play 30", "place at -3")
    assert d["scores"] == [10 + 8 + 6 + 2 - 3, 8 + 5 + 1, 7 + 3, -3]
    assert d["to_act"] == 0
    assert len(legal(d)) == 6
    d = position(
        4,
        ["30", "31", "33", "20"],
        col,
        items=["machine_gun", "notebook", "all", ""],
        games=3,
        start=1,
    )
    d = run(d, "play 31", "play 33", "play 20", "play 30", "place at -3 with notebook")
    assert d["scores"] == [23, 14 - 6, 10, -10]
    assert d["penalty"] == [0, 0, 0, 10]
    assert d["items"] == [["machine_gun"], [], ["machine_gun", "vest", "notebook", "ring"], []]
    assert d["game_number"] == 2


def test_e37_third_game_ends_the_match():
    # Earlier games count; the tie-break looks at the last column only.
    d = position(
        3,
        ["30", "31", "32"],
        "10:40/1 8:41/0 7:42/2 6:43/0 5:44/1 3:45/2 2:46/0 1:47/1 -3:4/0",
        games=3,
        game=3,
        wealth=[20, 20, 25],
        penalty=[1, 0, 0],
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["over"]
    assert d["scores"] == [32, 33, 35]
    assert winners(d) == [2]
    assert d["game_number"] == 3
    assert d["future_decks"] == []


def test_e38_observation():
    # Seat 1 first, then seat 0, Tony in the sixth place; on the column a vest, Tony, a ring.
    def near(x, y):
        return len(x) == len(y) and max(abs(a - b) for a, b in zip(x, y, strict=True)) < 1e-6

    d = position(
        2,
        ["20 1 2", "40 3 4"],
        "10:33/0/vest 8:28/T 7:15/1/ring/0 -3:5/1/notebook",
        tony="30",
        items=["machine_gun notebook", "vest ring"],
    )
    d = run(d, "play 20 with machine gun")
    b = observe(d, 1)
    assert sum(len(x) for x in b.values()) == 727
    assert near(b["game"], [1, 0, 0, 0])
    assert near(b["age"], [1 / 4, 0, 0, 0, 0])
    assert near(b["to_act"], [1, 0, 0, 0, 0])
    assert near(b["lead"], [0, 1, 0, 0, 0])
    assert near(b["yet_to_play"], [1, 0, 0, 0, 0])
    assert near(b["hand_size"], [1, 1, 0, 0, 0])
    assert near(b["pile_size"], [3 / 7, 2 / 7, 0, 0, 0])
    assert near(
        b["table"], [0] * 4 + [1, 20 / 55, 1, 30.5 / 65.5] + [0] * 12 + [1, 30 / 55, 0, 30 / 65.5]
    )
    assert near(b["hand_rank"][5:], [1, 4 / 55, 2 / 5, 2 / 5, 36 / 38, 1, 40 / 55, 0, 0, 15 / 38])
    assert not any(b["pending"])
    assert near(b["steps"][:16], [1, 33 / 55, 0, 1, 0, 0, 0, 0] + [0] * 5 + [1, 0, 0])
    assert near(
        b["steps"][16:48],
        [
            1,
            28 / 55,
            0,
            0,
            0,
            0,
            0,
            1,
            *[0] * 8,
            1,
            15 / 55,
            1,
            0,
            0,
            0,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            0,
            0,
            1,
        ],
    )
    assert near(b["casualty"], [1 / 10, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0])
    assert near(b["represented"], [1, 1, 0, 0, 0])
    assert near(b["projected"], [0.01, 0.17, 0, 0, 0])
    assert near(b["items"], [0, 1, 0, 1] + [0, 0, 1, 0] + [0] * 12)
    b = observe(run(d, "play 40"), 1)
    # Seat 0 won and places the 20; now 30.5, 30 and 40 lie above the 4.
    assert near(b["pending"], [20 / 55] + [0, 0] + [1] * 7)
    assert near(b["hand_rank"][5:9], [1, 4 / 55, 3 / 5, 3 / 5])
