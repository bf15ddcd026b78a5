"""Pompiers! against a second, plain model of its rules, and single rules the examples leave out."""

import random
from collections import Counter
from itertools import chain, product

import pytest
from scipy.stats import chisquare

from emberdeck.envs import IllegalAction

from ..contract_helpers import games, positions, some_positions
from .pompiers_documents import BASES, GAME, TILES, after, base, deck, legal, tiles_of
from .pompiers_model import LAST, act, in_order, legal_names, scores_of, standing_of, view_of

SETUPS = list(product(GAME.players, ("off", "on")))
in_every_setup = pytest.mark.parametrize(("players", "eleven"), SETUPS)


def new(players, eleven, seed):
    return GAME.new(players, {"eleven_cards": eleven}, seed)


@pytest.mark.plain
@in_every_setup
def test_random_games_equal_the_model_at_every_decision(players, eleven):
    for seed in range(games(3, 60)):
        state = new(players, eleven, seed)
        rng = random.Random(seed)
        document = state.to_dict()
        while not document["over"]:
            assert legal(state) == legal_names(document)
            name = rng.choice(legal_names(document))
            state.apply(GAME.action_id(name))
            after_it = state.to_dict()
            act(document, name, after_it)
            assert after_it == document, name
            seat = rng.randrange(players)
            assert state.view(seat) == view_of(document, seat)
        assert state.over
        standing = standing_of(document)
        best = [seat for seat in range(players) if standing[seat] == max(standing)]
        assert state.winners() == best
        beaten = [sum(mine > other for other in standing) for mine in standing]
        lost_to = [sum(mine < other for other in standing) for mine in standing]
        assert state.rewards("rank") == pytest.approx(
            [(won - lost) / (players - 1) for won, lost in zip(beaten, lost_to, strict=True)]
        )


def test_random_games_meet_every_rule():
    # Otherwise the comparison above would prove less than it seems to.
    missing = {"chooser", "two trickless", "tie", "nobody", "winner", "met, not flipped", *TILES}
    for seed, (players, eleven) in product(range(20), SETUPS):
        state = new(players, eleven, seed)
        for position in positions(state, seed):
            if len(position.to_dict()["tricks"]) == 0 or position.over:
                last = position.to_dict()["last_round"] or {"basic": [], "emergency": []}
                for basic in last["basic"]:
                    if basic["met"] and not basic["flipped"]:
                        missing.discard("met, not flipped")
                for one in last["emergency"]:
                    missing.discard(["nobody", "winner", "tie"][min(len(one["met"]), 2)])
                    if one["winner"] is not None:
                        missing.discard(one["tile"])
                if last["basic"] and len(last["basic"][1]["met"]) > 1:
                    missing.discard("two trickless")
                if position.to_dict()["chooser"] is not None:
                    missing.discard("chooser")
        if not missing:
            return
    pytest.fail(f"never met: {missing}")


# Setup and length (1, 4)


@in_every_setup
def test_setup(players, eleven):
    for seed in range(games(5, 200)):
        d = new(players, eleven, seed).to_dict()
        tiles = [d["slot_tile"], *d["mission_pile"], *d["emergency"]]
        assert sorted(tiles) == sorted(tiles_of(players))
        assert len(d["emergency"]) == (3 if players == 3 else 1)
        assert d["round"] == 1
        assert d["chooser"] is d["last_round"] is None
        assert d["to_act"] == d["leader"] == d["dealer"]
        assert d["chips"] == [[False] * 5] * players
        assert d["scores"] == [0] * players
        assert d["phase"] == ("place" if eleven == "on" else "play")
        hand = 11 if eleven == "on" else 10
        assert [len(cards) for cards in d["hands"]] == [hand] * players
        assert d["hands"] == [in_order(cards) for cards in d["hands"]]
        undealt = {3: 6, 4: 8, 5: 10}[players] if eleven == "off" else players
        turned = [d["trump_card"]] if d["trump_card"] else []
        assert len([*d["pile"], *d["aside"], *turned]) == undealt


@in_every_setup
def test_length_and_bounds(players, eleven):
    rounds = LAST[players]
    least = rounds * players * (11 if eleven == "on" else 10)
    for seed in range(games(5, 2000)):
        length = 0
        start = new(players, eleven, seed)
        for length, state in some_positions(start, seed, games(1, 10)):  # noqa: B007
            d = state.to_dict()
            cards = [*chain(*d["hands"]), *d["pile"], *d["aside"], *d["trick"]]
            cards += [card for trick in d["tricks"] for card in trick["cards"]]
            cards += [d["trump_card"]] if d["trump_card"] else []
            assert sorted(cards) == sorted(deck(players))
            tiles = [d["slot_tile"], *d["mission_pile"], *d["emergency"], *d["set_aside"]]
            tiles += chain(*d["acquired"])
            assert sorted(tiles) == sorted(tiles_of(players))
            piled = {3: (8, 5, 2, 0), 4: (12, 10, 7, 3, 0), 5: (12, 10, 7, 3, 0)}[players]
            assert len(d["mission_pile"]) == piled[d["round"] - 1]
            assert len(d["pile"]) <= 10
            assert len(state.legal_actions()) <= 11
            assert d["scores"] == scores_of(d)
            assert max(d["scores"]) <= 68
        assert least <= length <= least + rounds - 1


@in_every_setup
def test_first_dealer_and_slot_tile_are_uniform(players, eleven):
    dealers, slots = Counter(), Counter()
    for seed in range(games(600, 20000)):
        d = new(players, eleven, seed).to_dict()
        dealers[d["dealer"]] += 1
        slots[d["slot_tile"]] += 1
    assert chisquare([dealers[seat] for seat in range(players)]).pvalue > 0.001
    assert chisquare([slots[tile] for tile in tiles_of(players)]).pvalue > 0.001
    assert len(slots) == len(tiles_of(players))


@pytest.mark.parametrize("players", GAME.players)
def test_every_card_is_dealt_equally_often(players):
    # After the first round too: the second deal comes from the state's own generator.
    places = Counter()
    for seed in range(games(60, 2000)):
        state = after(new(players, "on", seed).to_dict())
        state.array["rng"] = seed + 1
        while state.to_dict()["round"] == 1:
            state.apply(state.legal_actions()[0])
        places.update(state.to_dict()["hands"][0])
    assert chisquare([places[card] for card in deck(players)]).pvalue > 0.001


# Legal actions (6, 7)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("document", "names"),
    [
        (base("F4"), ["play Y1", "play R2", "place R3", "reveal R3"]),
        (base("F4", trick=["Y10"], to_act=0), ["play R1"]),
        (base("V3"), ["play R1", "place Y2", "place R4", "reveal R1"]),
        (base("T4"), ["reveal R5", "play Y4", "place Y4", "reveal Y3"]),
    ],
)
def test_illegal_actions_change_nothing(document, names):
    if document["trick"]:
        document["hands"][3].remove("Y10")
        names = [*names, "play K9", "play R2"]  # Y must be followed
    state = GAME.from_dict(document)
    before = state.array.tobytes()
    for action in [*map(GAME.action_id, names), -1, 180]:
        with pytest.raises(IllegalAction):
            state.apply(action)
    assert state.array.tobytes() == before


def test_nothing_is_legal_after_the_end():
    state = after(base("F4"), "A")
    for action in range(180):
        with pytest.raises(IllegalAction):
            state.apply(action)


def test_trump_may_be_led_and_need_not_be_beaten():
    state = after(base("F4"), do=("play K2",))
    assert legal(state) == ["play K9"]
    state.apply(GAME.action_id("play K9"))
    assert legal(state) == ["play K1", "play K5", "play K7", "play K8"]


# Chance (8.7)


def test_what_is_shuffled_depends_on_the_seed_only_where_it_may():
    # Until the last card of a round all is fixed; then the deck is shuffled.
    for name in ("N4", "F4"):
        ends = []
        for seed in range(20):
            state = GAME.from_dict(BASES[name], seed=seed)
            document = state.to_dict()
            while not state.over and state.to_dict()["round"] == document["round"]:
                state.apply(state.legal_actions()[0])
            ends.append(str(state.to_dict()))
        assert len(set(ends)) == (20 if name == "N4" else 1)


def test_placed_cards_are_shuffled_uniformly():
    turned = Counter()
    for seed in range(games(600, 10000)):
        state = GAME.from_dict(BASES["V3"], seed=seed)
        for name in ("place R1", "place Y3", "place Y2"):
            state.apply(GAME.action_id(name))
        turned[tuple(state.to_dict()["pile"])] += 1
    assert len(turned) == 6
    assert chisquare(list(turned.values())).pvalue > 0.001


# Hand-made documents (5)


def test_fewer_tiles_than_usual_are_laid_out():
    tiles = ["exactly_2", "trick_9", "most_blue", "trick_r", "no_yellow", "exactly_3"]
    aside = ["trick_7", *tiles, "trick_r5", "no_red", "most_red"]
    d = base("N4", mission_pile=["exactly_1"], set_aside=aside)
    state = after(d, "A")
    assert state.to_dict()["emergency"] == ["exactly_1"]
    assert state.to_dict()["mission_pile"] == []


# Score reward (9)


def test_score_reward_is_clipped():
    chips = [[True] * 5, [False] * 5, [False] * 5, [False] * 5]
    d = base("F4", chips=chips, scores=[29, 7, 7, 7])
    state = after(d, "A")
    rewards = state.rewards("score")
    assert max(rewards) <= 1
    assert state.rewards("score")[0] == pytest.approx(
        min(1, (state.scores()[0] - sum(state.scores()[1:]) / 3) / 15)
    )
