"""Pompeji against a second, plain model of its rules, and single rules the examples leave out."""

import random
from collections import Counter
from copy import deepcopy
from itertools import chain, product

import pytest
from scipy.stats import chisquare

from ..contract_helpers import Setup, games, positions, random_positions, some_positions
from .pompeji_documents import CARDS, GAME, full_town, legal, legal_cells, position, run, state_of
from .pompeji_model import Town, act, legal_names, number, view_of

SETUPS = list(product(GAME.players, (1, 2), ("latin", "building")))
in_every_setup = pytest.mark.parametrize(("players", "permits", "values"), SETUPS)
LONGEST = {2: 177, 3: 236, 4: 297}


def new(players, permits, values, seed):
    return GAME.new(players, {"permits": permits, "values": values}, seed)


@pytest.mark.plain
@in_every_setup
def test_random_games_equal_the_model_at_every_decision(players, permits, values):
    for seed in range(games(1, 60)):
        state = new(players, permits, values, seed)
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
            seat = rng.randrange(players)
            assert state.view(seat) == view_of(document, seat)
            assert state.spectator_view() == view_of(document, None)
        assert state.over
        best = max(document["scores"])
        assert state.winners() == [s for s in range(players) if document["scores"][s] == best]


@in_every_setup
def test_scores_are_the_points_of_all_that_was_laid(players, permits, values):
    # Counted from outside: from the action names and the towns before them.
    for seed in range(games(3, 2000)):
        state = new(players, permits, values, seed)
        rng = random.Random(seed)
        scores, declared = [0] * players, ""
        while not state.over:
            seat, before = state.to_act, state.to_dict()
            action = rng.choice(state.legal_actions())
            what, _, argument = GAME.action_names[action].partition(" ")
            if what == "cell" and before["card"] != "S":
                place = tuple(map(int, argument.split(",")))
                scores[seat] += Town(before).points(place, before["card"])
            elif what == "building":
                declared = argument
            elif what == "colour":
                place = divmod(before["cell"], 13)
                scores[seat] += Town(before).points(place, declared + argument, own=1)
            state.apply(action)
            if not state.over:
                assert state.scores() == scores
        end = state.to_dict()
        minus = [sum(number(card, values) for card in hand) for hand in end["hands"]]
        assert end["scores"] == [a - b for a, b in zip(scores, minus, strict=True)]


@in_every_setup
def test_cards_are_conserved_and_games_end_within_the_bound(players, permits, values):
    for seed in range(games(4, 2000)):
        length = 0
        start = new(players, permits, values, seed)
        for length, state in some_positions(start, seed, games(1, 10)):  # noqa: B007
            d = state.to_dict()
            cards = [*chain(*d["hands"]), *d["stack"], *d["discards"]]
            cards += [item for _, item in d["town"]]
            counts = Counter(cards)
            assert all(counts[card] == 1 for card in CARDS)
            assert counts["S"] + sum(d["statues"]) == players
            assert counts["volcano"] + d["volcanoes"] == 2
            assert len(counts) == 49 + (counts["S"] > 0) + (counts["volcano"] > 0)
            if not d["over"]:
                assert all(1 <= len(hand) <= 3 for hand in d["hands"])
            rows, columns = zip(*(divmod(cell, 13) for cell, _ in d["town"]), strict=True)
            assert max(rows) - min(rows) < 7
            assert max(columns) - min(columns) < 7
        assert length <= LONGEST[players]


def test_statistics_of_random_games():
    # Decisions and scores of random games, as measured for the rules page.
    for players, decisions, score in ((2, 104, 220), (3, 108, 135), (4, 112, 91)):
        size = games(60, 2000)
        lengths, scores = [], []
        for seed in range(size):
            state, rng, length = GAME.new(players, seed=seed), random.Random(seed), 0
            while not state.over:
                state.apply(rng.choice(state.legal_actions()))
                length += 1
            lengths.append(length)
            scores += state.scores()
        assert abs(sum(lengths) / len(lengths) - decisions) < 5
        assert abs(sum(scores) / len(scores) - score) < 0.12 * score


# Set-up


def test_first_seat_start_card_and_deal_are_uniform():
    for players in GAME.players:
        first, start, held, volcano = Counter(), Counter(), Counter(), Counter()
        size = games(1000, 20000)
        for seed in range(size):
            d = GAME.new(players, seed=seed).to_dict()
            first[d["turn"]] += 1
            start[d["town"][0][1]] += 1
            held.update(chain(*d["hands"]))
            volcano.update(place for place, card in enumerate(d["stack"]) if card == "volcano")
        assert len(first) == players
        assert len(start) == len(held) == 49
        assert set(volcano) == set(range(18))
        for counts in (first, start, held, volcano):
            assert chisquare([*counts.values()]).pvalue > 0.001


def test_numbers_of_both_kinds():
    latin = [number(card, "latin") for card in CARDS]
    for line in range(7):
        assert sorted(latin[7 * line : 7 * line + 7]) == sorted(latin[line::7]) == [*range(1, 8)]
    assert [number(card, "building") for card in CARDS[::7]] == [*range(1, 8)]


# Symmetries (12)


def transformed(d, turn, shift):
    """Return the document rotated or reflected (`turn` 0-7), buildings + shift, colours - shift."""

    def cell(at):
        row, column = divmod(at, 13)
        if turn & 4:
            row, column = column, row
        if turn & 2:
            row = 12 - row
        if turn & 1:
            column = 12 - column
        return 13 * row + column

    def card(name):
        if name in (None, "S", "volcano"):
            return name
        index = CARDS.index(name)
        return CARDS[7 * ((index // 7 + shift) % 7) + (index % 7 - shift) % 7]

    changed = deepcopy(d)
    changed["town"] = sorted([cell(at), card(name)] for at, name in d["town"])
    changed["hands"] = [sorted(map(card, hand), key=CARDS.index) for hand in d["hands"]]
    changed["discards"] = sorted(map(card, d["discards"]), key=CARDS.index)
    changed["stack"] = [card(name) for name in d["stack"]]
    changed["card"] = card(d["card"])
    changed["cell"] = None if d["cell"] is None else cell(d["cell"])
    if d["building"]:
        changed["building"] = card(d["building"] + "r")[0]
    return changed


def test_the_game_is_symmetric():
    rng = random.Random(1)
    for seed in range(games(2, 50)):
        for state in positions(GAME.new(2 + seed % 3, seed=seed), seed):
            turned = state_of(transformed(state.to_dict(), rng.randrange(8), rng.randrange(7)))
            assert len(turned.legal_actions()) == len(state.legal_actions())
            for seat in range(state.players):
                seen, there = state.observation(seat), turned.observation(seat)
                for block in GAME.observation_blocks:
                    if block.name.startswith(("gain", "free", "window", "unseen")):
                        part = slice(block.offset, block.offset + block.length)
                        assert sorted(seen[part]) == sorted(there[part]), block.name


# Single rules


@pytest.mark.plain
def test_frame_reaches_its_outermost_rows_and_columns():
    d = position(2, ["row 12 from 6: Ar Bo Fy Gg Mb Tv", "6,6 Vw"], "Gr|Ao", "Tw")
    names = legal_cells(run(d, "play Gr")).split()
    assert names == ["6,5", "6,7", "7,6", "11,7", "11,8", "11,10", "11,11", "12,12"]
    d = position(2, ["row 0 from 0: Ar Bo Fy Gg Mb Tv", "6,6 Vw"], "Gr|Ao", "Tw")
    names = legal_cells(run(d, "play Gr")).split()
    assert names == ["0,6", "1,1", "1,2", "1,4", "1,5", "5,6", "6,5"]


@pytest.mark.plain
def test_cards_across_the_frame_do_not_touch():
    # A town in columns 6-12 and its mirror image in columns 0-6: rows do not wrap round.
    d = position(2, ["row 6 from 6: Ar Bo Fy Gg Mb Tv Vw"], "Br|Ao", "Tw")
    assert all(place.split(",")[1] != "0" for place in legal_cells(run(d, "play Br")).split())
    d = position(2, ["row 6 from 0: Ar Bo Fy Gg Mb Tv Vw"], "Br|Ao", "Tw")
    assert all(place.split(",")[1] != "12" for place in legal_cells(run(d, "play Br")).split())


@pytest.mark.plain
def test_statue_and_card_are_both_offered():
    d = position(2, "6,6 Fr", "Gb|Ao", "Tw", statues=[1, 0])
    assert legal(d) == ["play Gb", "statue"]


@pytest.mark.plain
def test_statue_may_be_laid_without_scoring_and_costs_no_card():
    d = position(2, "6,6 Fr", "Gb|Ao", "Tw", statues=[1, 0], volcanoes=1)
    d = run(d, "statue > cell 6,7 > building A > colour o")
    assert (d["scores"], d["hands"], d["to_act"]) == ([0, 0], [["Gb"], ["Ao"]], 1)


@pytest.mark.plain
def test_empty_stack_gives_a_volcano():
    d = position(2, "6,6 Fr", "Gb Tw|Ao", "", volcanoes=0)
    d = run(d, "play Gb > cell 6,7")
    assert (d["volcanoes"], d["phase"]) == (1, "draw")
    assert run(d, "draw")["over"]


@pytest.mark.plain
def test_statue_in_an_extra_turn_lets_the_waiting_seat_play():
    d = position(
        2, "6,6 Fr", "Fo|Go", "Av", phase="permit", turn=1, act=0, permits=[1, 1], statues=[1, 0]
    )
    d = run(d, "permit > statue > cell 6,7 > building A > colour o")
    assert (d["to_act"], d["phase"], d["turn"], d["extra"]) == (1, "play", 1, False)


@pytest.mark.plain
def test_a_full_town_offers_no_statue():
    town = full_town("3,4 S", "3,10 S")
    d = position(2, town, "Ar|Vb", "volcano", volcanoes=1, statues=[1, 1], permits=[1, 1])
    d["discards"] = [card for card in d["discards"] if card not in ("Ar", "Vb")]
    used = {item for _, item in d["town"]}
    d["hands"] = [[card] for card in CARDS if card not in used][:2]
    assert all(name.startswith("discard") for name in legal(d))


def test_scripted_player_beats_random_ones():
    # The rules page's figures: it wins about all of the games.
    rng = random.Random(0)
    for players in GAME.players:
        won = 0
        for seed in range(games(15, 400)):
            state, seat = GAME.new(players, seed=seed), seed % players
            while not state.over:
                chosen = state.heuristic_action() if state.to_act == seat else None
                state.apply(rng.choice(state.legal_actions()) if chosen is None else chosen)
            won += state.winners() == [seat]
        assert won >= games(15, 400) * 0.95


def test_scripted_players_among_themselves():
    # Mean score 428, 275 and 194 for 2, 3 and 4 seats.
    for players, score in ((2, 428), (3, 275), (4, 194)):
        scores = []
        for seed in range(games(12, 300)):
            state = GAME.new(players, seed=seed)
            while not state.over:
                state.apply(state.heuristic_action())
            scores += state.scores()
        assert abs(sum(scores) / len(scores) - score) < 0.12 * score


# Seats have no names


def relabel(document):
    """Return the document with every seat s called s + 1 (mod P)."""
    turned = deepcopy(document)
    for key in ("scores", "hands", "statues", "permits"):
        turned[key] = turned[key][-1:] + turned[key][:-1]
    for key in ("to_act", "turn"):
        old = turned[key]
        turned[key] = None if old is None else (old + 1) % document["players"]
    return turned


@in_every_setup
def test_relabelled_seats_see_play_and_score_the_same(players, permits, values):
    setup = Setup(GAME, players, {"permits": permits, "values": values})
    for state in random_positions(setup, 1, 20):
        turned = state_of(relabel(state.to_dict()))
        for seat in range(players):
            there = (seat + 1) % players
            assert turned.observation(there).tobytes() == state.observation(seat).tobytes()
        assert turned.legal_actions() == state.legal_actions()
        if not state.over:
            assert turned.heuristic_action() == state.heuristic_action()
