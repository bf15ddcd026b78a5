"""Fire Bulls against a second, plain model of its rules, and what holds in every game."""

import random
from collections import Counter
from itertools import chain, combinations_with_replacement, product

import numpy as np
import pytest
from scipy.stats import chisquare

from emberdeck.envs.fire_bulls import cards

from ..contract_helpers import games, some_positions
from .fire_bulls_documents import (
    ALL_QI,
    ALL_YEN,
    COST,
    GAME,
    QI,
    YEN,
    complete,
    legal,
    played,
    score,
    started,
)
from .fire_bulls_model import Model, all_hands, is_payment, next_cards

SETUPS = list(product(GAME.players, ("graded", "strict", "free")))
in_every_setup = pytest.mark.parametrize(("players", "reach"), SETUPS)
LONGEST = {2: 600, 3: 520, 4: 450, 5: 400}  # decisions of random play


def new(players, reach, seed):
    return GAME.new(players, {"reach": reach}, seed)


def compare(state, seed, choose):
    """Play `state` and the model to the end; they agree in every document and action set."""
    rng = random.Random(seed)
    model = Model(state.to_dict(), state.array["rng"][0])
    while True:
        assert legal(state) == model.legal()
        if state.over:
            break
        action = choose(state, rng)
        state.apply(action)
        model.apply(GAME.action_names[action])
        assert state.to_dict() == model.d
    ranking = model.ranking()
    best = max(ranking)
    assert state.winners() == [seat for seat, mine in enumerate(ranking) if mine == best]
    beaten = [sum(mine > other for other in ranking) for mine in ranking]
    lost = [sum(mine < other for other in ranking) for mine in ranking]
    rank = [(w - x) / (len(ranking) - 1) for w, x in zip(beaten, lost, strict=True)]
    assert state.rewards("rank") == pytest.approx(rank)


def any_action(state, rng):
    return rng.choice(state.legal_actions())


def attack_often(state, rng):
    """Play well or attack where possible, so that many cards are beaten and rewards come."""
    if rng.random() < 0.5:
        return state.heuristic_action()
    names = [GAME.action_names[action] for action in state.legal_actions()]
    wanted = [name for name in names if name.startswith(("attack", "play", "reward yes"))]
    return GAME.action_id(rng.choice(wanted or names))


def hoard(state, rng):
    """Take what lies face up, put back what is in hand: full hands and large displays."""
    names = [GAME.action_names[action] for action in state.legal_actions()]
    wanted = [name for name in names if name.startswith(("take", "discard"))]
    return GAME.action_id(rng.choice(wanted if wanted and rng.random() < 0.98 else names))


@in_every_setup
@pytest.mark.parametrize(
    "choose", [any_action, pytest.param(attack_often, marks=pytest.mark.plain)]
)
def test_model_plays_the_same_games(players, reach, choose):
    for seed in range(games(1, 30)):
        compare(new(players, reach, seed), seed, choose)


@pytest.mark.parametrize("players", GAME.players)
def test_model_plays_the_same_games_of_hoarders(players):
    for seed in range(games(1, 50)):
        compare(new(players, "graded", seed), seed, hoard)


@pytest.mark.plain
@pytest.mark.parametrize("number", [22, 35, 40, 43, 46, 47, 49, 51])
def test_model_goes_on_from_hand_made_positions(number):
    for seed in range(games(2, 50)):
        state = GAME.from_dict(started(number), seed)
        compare(state, seed, attack_often)


@in_every_setup
def test_what_holds_in_every_position(players, reach):
    for seed in range(games(1, 2000)):
        count = 0
        for count, state in some_positions(new(players, reach, seed), seed, games(1, 10)):  # noqa: B007
            d = state.to_dict()
            qi = Counter(chain(*d["hands"], d["display"], d["qi_pile"], d["discard"]))
            assert qi == ALL_QI
            yen = Counter(chain(*d["yen_piles"], *d["beaten"], d["removed"], *d["rows"]))
            del yen[None]
            assert yen + Counter("G" * (d["general"] == "aside")) == ALL_YEN
            assert Counter(d["pool"]) == Counter(chain(d["qi_pile"], *d["drawn"]))
            own = zip(d["beaten"], d["colors"], strict=True)
            assert d["scores"] == [score(*pair) for pair in own]
            assert all(
                Counter(known) <= Counter(hand)
                for known, hand in zip(d["known"], d["hands"], strict=True)
            )
            assert max(map(len, d["hands"])) <= 8 + (d["phase"] == "discard")
            assert d["phase"] != "turn" or 3 <= len(d["display"]) <= 46
        assert 100 < count < LONGEST[players]


@pytest.mark.parametrize("players", GAME.players)
def test_starting_seats_colours_and_bulls_are_drawn(players):
    size = games(300, 5000)
    starts, colours, bulls = Counter(), Counter(), Counter()
    for seed in range(size):
        d = GAME.new(players, seed=seed).to_dict()
        starts[d["start"]] += 1
        colours[d["colors"][0]] += 1
        bulls[d["bulls"][-1]] += 1
        assert d["to_act"] == d["start"]
    for counts, cells in ((starts, players), (colours, 5), (bulls, 5)):
        assert len(counts) == cells
        assert chisquare([*counts.values()]).pvalue > 0.001


def test_the_general_is_set_aside_when_he_turns_up_in_the_first_rows():
    aside = 0
    for seed in range(games(300, 5000)):
        d = GAME.new(seed=seed).to_dict()
        assert None not in chain(*d["rows"])
        found = ["G" in pile for pile in d["yen_piles"]]
        sizes = sorted(map(len, d["yen_piles"]))
        if d["general"] == "aside":
            aside += 1
            assert sizes == [14, 15, 15]
            assert not any(found)
        else:
            assert sum(found) == 1
            assert sizes == [15] * 3
    assert aside > 0


@pytest.mark.plain
def test_nothing_is_turned_up_when_the_pile_has_run_out_for_good():
    state = GAME.from_dict(complete({"rest": "discard", "finished": 3}), seed=1)
    compare(state, 1, any_action)
    d = played(complete({"rest": "discard", "finished": 3}), "take g").to_dict()
    assert (d["display"], d["end"]) == (["y", "r"], "escape")


# Costs


@pytest.mark.plain
def test_number_of_payments():
    # The numbers that the rules page states (2)
    sizes = np.diff(cards.FIRST_PAYMENT).tolist()
    assert dict(zip(YEN, sizes, strict=True)) == {
        **dict.fromkeys(YEN[:5], 2),
        **dict.fromkeys(YEN[5:10], 3),
        "W0": 11,
        "X": 16,
        "B": 31,
        "V": 105,
        "G": 165,
        "K": 6,
    }


@pytest.mark.plain
def test_payments_are_those_of_the_rules():
    for number, card in enumerate(YEN):
        assert COST[card] == cards.COST[number]
        found = {
            tuple(kind for i, kind in enumerate(QI) for _ in range(payment >> 5 * i & 31))
            for payment in cards.PAYMENTS[
                cards.FIRST_PAYMENT[number] : cards.FIRST_PAYMENT[number + 1]
            ].tolist()
        }
        assert found == {
            paid
            for paid in combinations_with_replacement(QI, COST[card])
            if is_payment(card, paid) and paid.count("*") <= 4
        }


def test_every_hand_can_pay_what_it_can_pay():
    hands = all_hands(9)
    assert len(hands) > 4500
    for hand in hands[:: games(7, 1)]:
        counts = np.array([hand.count(kind) for kind in QI], np.int16)
        found = cards.affordable(counts)
        expected = {card for card in YEN if next_cards(card, hand, [])}
        assert {card for i, card in enumerate(YEN) if found >> i & 1} == expected


# Chance in a running game


def test_a_stolen_card_is_any_card_of_the_hand():
    document = complete(
        {
            "general": "aside",
            "hands": [["g", "g", "g", "g", "y", "y", "y"], ["g", "g", "g", "r", "*", "*"], []],
        }
    )
    names = ["attack general", *["play g"] * 4, *["play y"] * 3, "reward yes"]
    size = games(600, 12000)
    counts = Counter(
        played(document, *names, seed=seed).to_dict()["stolen"]["cards"][1] for seed in range(size)
    )
    expected = [size * share / 6 for share in (3, 1, 2)]
    assert chisquare([counts[kind] for kind in "gr*"], expected).pvalue > 0.001


def test_a_new_pile_is_in_any_order():
    document = complete(
        {
            "hands": [["g"], ["r"], []],
            "qi_top": ["b"],
            "rest": "display",
            "discard": ["g", "r", "*"],
            "finished": 1,
        }
    )
    counts = Counter()
    for seed in range(games(900, 18000)):
        d = played(document, "draw stay", "draw stay", seed=seed).to_dict()
        (drawn,) = d["drawn"][1]
        counts[(*d["qi_pile"], drawn)] += 1
    assert len(counts) == 6
    assert chisquare([*counts.values()]).pvalue > 0.001


def test_seeds_decide_what_is_drawn():
    document = started(33)
    piles = {
        tuple(played(document, "draw stay", "draw stay", seed=seed).to_dict()["qi_pile"])
        for seed in (1, 1, 2, 3)
    }
    assert len(piles) == 3
