"""Pumafiosi against a second, plain model of its rules, and single rules the examples leave out."""

import random
from collections import Counter
from copy import deepcopy
from itertools import chain, product

import pytest
from scipy.stats import chisquare

from ..contract_helpers import Setup, games, positions, random_positions
from .pumafiosi_documents import GAME, KINDS, legal, position, run, steps, winners
from .pumafiosi_model import act, legal_names, standing_of, view_of

SETUPS = list(product(GAME.players, (False, True), (1, 3)))
in_every_setup = pytest.mark.parametrize(("players", "items", "matches"), SETUPS)
CARDS = [str(number) for number in range(1, 56)]


def new(players, items, matches, seed):
    return GAME.new(players, {"items": items, "games": matches}, seed)


@in_every_setup
def test_random_games_equal_the_model_at_every_decision(players, items, matches):
    for seed in range(games(3, 200)):
        state = new(players, items, matches, seed)
        rng = random.Random(seed)
        document = state.to_dict()
        while not document["over"]:
            names = [GAME.action_names[action] for action in state.legal_actions()]
            assert names == legal_names(document)
            name = rng.choice(names)
            state.apply(GAME.action_id(name))
            act(document, name)
            assert state.to_dict() == document, name
            assert state.scores() == document["scores"]
            assert state.view(seed % players) == view_of(document, seed % players)
        assert state.over
        standing = standing_of(document)
        assert state.winners() == [
            seat for seat in range(players) if standing[seat] == max(standing)
        ]
        beaten = [sum(mine > other for other in standing) for mine in standing]
        lost_to = [sum(mine < other for other in standing) for mine in standing]
        assert state.rewards("rank") == pytest.approx(
            [(won - lost) / (players - 1) for won, lost in zip(beaten, lost_to, strict=True)]
        )


def test_random_games_meet_every_rule_of_items_and_tony():
    # Otherwise the comparison above would prove less than it seems to.
    missing = {"", "vest", "notebook", "shared ring", "Tony's", "Tony's ring"}
    for seed, players in product(range(100), (2, 3)):
        for state in positions(new(players, True, 3, seed), seed):
            document = state.to_dict()
            for entry in chain(*document["hierarchy"]):
                shared = "shared" if entry["co_owner"] is not None else ""
                tonys = "Tony's" if entry["card"] in document["tony_played"] else ""
                missing.discard(" ".join(filter(None, [tonys, shared, entry["item"]])))
        if not missing:
            return
    pytest.fail(f"never met: {missing}")


# Setup and length


@in_every_setup
def test_setup(players, items, matches):
    for seed in range(games(5, 200)):
        d = new(players, items, matches, seed).to_dict()
        assert sorted(d["age_order"]) == list(range(players))
        assert d["start_seat"] == d["to_act"] == d["age_order"][1]
        assert d["items"] == [KINDS if items else []] * players
        assert [len(hand) for hand in d["hands"]] == [3] * players
        assert [len(pile) for pile in d["piles"]] == [7] * players
        assert len(d["deck"]) == {2: 34, 3: 25, 4: 15, 5: 5}[players]
        assert len(d["future_decks"]) == matches - 1
        assert d["wealth"] == d["penalty"] == [0] * players
        assert (d["phase"], d["game_number"], d["round"]) == ("play", 1, 1)
        assert (d["tony_card"] is not None) == (players == 2)
        assert d["tony_played"] == [d["tony_card"]] * (players == 2)


@pytest.mark.parametrize("players", GAME.players)
def test_cards_are_dealt_uniformly(players):
    # Where card 1 lies: a hand counts three places, everything else is in order.
    counts = Counter()
    for seed in range(games(330, 5500)):
        d = new(players, False, 3, seed).to_dict()
        for key in ("hands", "piles"):
            counts.update((key, seat) for seat, cards in enumerate(d[key]) if "1" in cards)
        counts["deck"] += "1" in [*d["deck"], d["tony_card"]]
        counts["next", d["future_decks"][0].index("1") // 11] += 1
        counts["last", d["future_decks"][1].index("1") // 11] += 1
    sizes = {(key, s): n for key, n in (("hands", 3), ("piles", 7)) for s in range(players)}
    sizes |= {"deck": 55 - 10 * players} | {
        (key, i): 11 for key in ("next", "last") for i in range(5)
    }
    expected = [counts.total() / 3 * size / 55 for size in sizes.values()]
    assert chisquare([counts[place] for place in sizes], expected).pvalue > 0.001


@in_every_setup
def test_cards_are_conserved(players, items, matches):
    for state in positions(new(players, items, matches, 1), 1):
        d = state.to_dict()
        piles = [*d["hands"], *d["piles"], *d["played"], d["deck"], d["tony_played"]]
        assert sorted(chain(*piles), key=int) == CARDS
        for deck in d["future_decks"]:
            assert sorted(deck, key=int) == CARDS


@in_every_setup
def test_length_of_a_match(players, items, matches):
    shortest = matches * (20 if players == 2 else 10 * players + 10)
    longest = matches * (10 * players + (19 if items else 10))
    for seed in range(games(5, 1000)):
        length = len(list(positions(new(players, items, matches, seed), seed))) - 1
        assert shortest <= length <= longest


# Seats are alike


def relabel(document):
    """Return the document with every seat s renamed s + 1: the same game one chair further on."""
    players = document["players"]

    def seat(old):
        return None if old is None else (old + 1) % players

    turned = deepcopy(document)
    for key in ("scores", "wealth", "penalty", "items", "hands", "piles", "table", "played"):
        turned[key] = turned[key][-1:] + turned[key][:-1]
    for key in ("to_act", "start_seat"):
        turned[key] = seat(turned[key])
    turned["age_order"] = [seat(old) for old in turned["age_order"]]
    for entry in (entry for there in turned["hierarchy"] for entry in there):
        entry["owner"], entry["co_owner"] = seat(entry["owner"]), seat(entry["co_owner"])
    return turned


@in_every_setup
def test_relabelled_seats_see_play_and_score_the_same(players, items, matches):
    setup = Setup(GAME, players, {"items": items, "games": matches})
    for state in random_positions(setup, 1, 20):
        turned = GAME.from_dict(relabel(state.to_dict()))
        for seat in range(players):
            there = (seat + 1) % players
            assert turned.observation(there).tobytes() == state.observation(seat).tobytes()
        assert turned.legal_actions() == state.legal_actions()
        assert turned.scores() == state.scores()[-1:] + state.scores()[:-1]
        if not state.over:
            assert turned.heuristic_action() == state.heuristic_action()


def test_relabelled_game_goes_on_relabelled():
    state = new(4, True, 1, 3)
    turned = GAME.from_dict(relabel(state.to_dict()))
    for here, there in zip(positions(state, 3), positions(turned, 3), strict=True):
        assert there.to_dict() == relabel(here.to_dict())


# What the observation remembers


def test_cards_seen_earlier_are_remembered():
    # Same hands, table and column; another card lies in the box.
    one = position(3, ["10 30 50", "20 40 45", "5 35 55"], "10:33/0 8:28/1")
    two = deepcopy(one)
    box, deck = two["played"][1], two["deck"]
    place = next(i for i, card in enumerate(box) if card != "28")
    box[place], deck[0] = deck[0], box[place]
    for seat in range(3):
        first, second = (GAME.from_dict(d).observation(seat) for d in (one, two))
        assert first.tobytes() != second.tobytes()


def test_who_played_a_card_is_remembered():
    one = position(3, ["10 30 50", "20 40 45", "5 35 55"], "10:33/0 8:28/1")
    two = deepcopy(one)
    (first,) = [i for i, card in enumerate(one["played"][0]) if card != "33"]
    two["played"][0][first], two["played"][2][0] = one["played"][2][0], one["played"][0][first]
    for seat in range(3):
        here, there = (GAME.from_dict(d).observation(seat) for d in (one, two))
        assert here.tobytes() != there.tobytes()


# Single rules


def test_vest_and_notebook_are_never_offered_together():
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], items=["vest notebook", "", ""])
    names = legal(run(d, "play 40", "play 3", "play 50"))
    assert len(names) == 27
    assert not any("vest" in name and "notebook" in name for name in names)


def test_vest_and_notebook_may_lie_on_the_casualty_card():
    col = "10:44/0 8:45/1 7:46/2 6:47/0 5:48/1 3:49/2 2:51/0 1:52/1"
    d = position(3, ["40 1", "3 4", "50 6"], col, items=["vest notebook", "", ""])
    d = run(d, "play 40", "play 3", "play 50", "place at -3 with vest")
    assert steps(d) == col + " -3:40/0/vest"


def test_second_from_the_top_of_four_wins():
    d = position(4, ["10 2 3", "20 4 5", "30 6 7", "40 8 9"])
    assert run(d, "play 10", "play 20", "play 30", "play 40")["to_act"] == 2


def test_machine_gun_may_win_although_the_number_is_the_lowest():
    d = position(3, ["30 1 2", "31 3 4", "55 5 6"], items=["machine_gun", "", ""])
    assert run(d, "play 30 with machine gun", "play 31", "play 55")["to_act"] == 0


def test_machine_gun_counts_half_a_point_more_than_ten():
    d = position(3, ["30 1 2", "40 3 4", "55 5 6"], items=["machine_gun", "", ""])
    assert run(d, "play 30 with machine gun", "play 40", "play 55")["to_act"] == 0


def test_tony_may_bump_his_own_card():
    d = run(position(2, ["20 1 2", "40 3 4"], "10:15/T", tony="30"), "play 20", "play 40")
    assert steps(d) == "10:30/T 8:15/T"
    assert d["penalty"] == [0, 0]


def test_machine_guns_do_not_touch_tonys_card():
    d = position(2, ["20 1 2", "40 3 4"], tony="30", items=["all", "all"])
    d = run(d, "play 20 with machine gun", "play 40")
    assert (d["phase"], d["to_act"]) == ("place", 0)


def test_a_kept_ring_is_offered_again():
    d = position(3, ["40 43 2", "3 4 5", "50 51 7"], "10:30/1 8:31/1", items=["ring", "", ""])
    d = run(d, "play 40", "play 3", "play 50", "place at 10", "keep ring")
    d = run(d, "play 43", "play 4", "play 51", "place at 8")
    assert (d["phase"], d["ring_target"]) == ("ring", "31")


def test_winner_of_a_round_leads_the_next_also_after_the_ring():
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/1", items=["ring", "", ""])
    d = run(d, "play 40", "play 3", "play 50", "place at 10", "give ring")
    assert (d["start_seat"], d["to_act"], d["round"]) == (0, 0, 3)


def test_seats_without_a_card_share_a_tie():
    # Seats 0 and 1 have no card in the column and equally many points.
    col = "10:40/2 8:41/2 7:42/2 6:43/2 5:44/2 3:45/2 2:46/2 1:47/2 -3:4/2"
    d = position(3, ["30", "33", "32"], col, wealth=[90, 90, 0])
    d = run(d, "play 30", "play 33", "play 32", "place at -3")
    assert d["scores"] == [80, 80, 42 - 6]
    assert winners(d) == [0, 1]


def test_a_tied_seat_with_a_casualty_beats_one_without_a_card():
    col = "10:40/2 8:41/2 7:42/2 6:43/2 5:44/2 3:45/2 2:46/2 1:47/2 -3:4/0"
    d = position(3, ["30", "33", "32"], col, wealth=[83, 90, 0])
    d = run(d, "play 30", "play 33", "play 32", "place at -3")
    assert d["scores"][:2] == [80, 80]
    assert winners(d) == [0]


def test_all_tied_starters_second_oldest_leads():
    col = "10:40/0 8:41/0 7:42/0 6:43/1 5:44/1 3:45/1 2:46/2 1:47/2 -3:4/2"
    d = position(
        3, ["30", "31", "32"], col, wealth=[0, 14, 25], ages=[2, 0, 1], games=3, penalty=[0, 0, 0]
    )
    d = run(d, "play 30", "play 31", "play 32", "place at -3")
    assert d["scores"] == [25, 25, 25]
    assert d["start_seat"] == d["age_order"][1] == 0


def test_drops_are_charged_on_top_of_carried_points():
    d = position(3, ["40 1 2", "3 4 5", "50 6 7"], "10:30/1", wealth=[0, 12, 0], game=2, games=3)
    d = run(d, "play 40", "play 3", "play 50", "place at 10")
    assert (d["wealth"][1], d["penalty"][1], d["scores"][1]) == (12, 1, 11)


def test_scripted_player_beats_random_ones():
    # Two seats without items: about 0.95 of the matches. 40 of them: 30 or fewer has p < 1e-4.
    rng, won = random.Random(0), 0
    for seed in range(games(40, 2000)):
        state, seat = new(2, False, 1, seed), seed % 2
        while not state.over:
            chosen = state.heuristic_action() if state.to_act == seat else None
            state.apply(rng.choice(state.legal_actions()) if chosen is None else chosen)
        won += state.winners() == [seat]
    assert won > games(40, 2000) * 0.75
