"""Sampling what a seat cannot know: consistent, uniform, from its own seed alone."""

from collections import Counter
from math import factorial

import pytest
from scipy.stats import chisquare

from emberdeck.envs import GAMES, State

from .contract_helpers import (
    Setup,
    canonical,
    games,
    play_out,
    positions,
    random_positions,
    setups_of_every_size,
    without_generator,
)

SETUPS = setups_of_every_size()
in_every_setup = pytest.mark.parametrize("setup", SETUPS, ids=[setup.label for setup in SETUPS])


def is_uniform(counts: Counter, cells: int) -> bool:
    """Tell whether all of `cells` outcomes occur about equally often: chi-square, p > 0.001."""
    observed = [*counts.values()] + [0] * (cells - len(counts))
    return chisquare(observed).pvalue > 0.001


@in_every_setup
def test_sampled_state_shows_the_seat_the_same_and_is_a_consistent_state(setup: Setup):
    for count, state in enumerate(random_positions(setup, 1, 5)):
        for seat in range(setup.players):
            sampled = state.determinize(seat, count)
            assert sampled.view(seat) == state.view(seat)
            assert (sampled.observation(seat) == state.observation(seat)).all()
            assert setup.game.from_dict(sampled.to_dict()) == sampled


@in_every_setup
def test_original_and_its_generator_stay_as_they_are(setup: Setup):
    for count, state in enumerate(random_positions(setup, 1, 5)):
        before = state.array.tobytes()
        sampled = state.determinize(0, count)
        play_out(sampled, count)
        assert state.array.tobytes() == before


@in_every_setup
def test_samples_depend_on_their_seed_and_on_nothing_hidden(setup: Setup):
    # Two states that differ in all that the seat cannot see, and in their generators.
    for count, state in enumerate(positions(setup.new(2), 2)):
        for seat in range(setup.players):
            other = state.determinize(seat, 1000 + count)
            one, two = (s.determinize(seat, count).array.tobytes() for s in (state, other))
            assert one == two


@in_every_setup
def test_sampled_state_plays_on_from_its_own_seed(setup: Setup):
    state = setup.new(3)
    twin = setup.game.from_dict(state.to_dict(), seed=99)
    assert twin.array["rng"] != state.array["rng"]
    one, two, other = state.determinize(0, 7), twin.determinize(0, 7), state.determinize(0, 8)
    assert play_out(one, 5) == play_out(two, 5)
    assert one != other


@pytest.mark.plain
@in_every_setup
def test_seeds_give_different_samples(setup: Setup):
    state = setup.new(4)
    samples = {canonical(state.determinize(0, seed).to_dict()) for seed in range(50)}
    assert len(samples) == 50


# Pumafiosi: every deal of the cards a seat has not seen is equally likely


def ending(players: int, yet_to_play: int) -> State:
    """Return a last round in which so many seats, the acting one included, have yet to play."""
    game = GAMES["pumafiosi"]
    state = game.new(players, {"games": 1}, seed=1)
    while True:
        document = state.to_dict()
        if document["round"] == 10 and document["table"].count(None) == yet_to_play:
            return state
        state.apply(state.legal_actions()[0])


@pytest.mark.parametrize("yet_to_play", [1, 2])
def test_pumafiosi_ending_is_sampled_uniformly(yet_to_play):
    # Five seats, five cards undealt, in order, and one in the hand of each other seat that has yet
    # to play. The acting seat has seen all others: 120 and 720 deals.
    state = ending(5, yet_to_play)
    seat = state.to_act
    cells = factorial(5 + yet_to_play - 1)
    counts = Counter(
        without_generator(state.determinize(seat, seed)) for seed in range(cells * games(10, 100))
    )
    assert len(counts) == cells
    assert without_generator(state) in counts
    assert is_uniform(counts, cells)


def test_pumafiosi_opening_is_sampled_uniformly():
    # 52 unseen cards: 4 hands, 5 piles in order, 5 cards undealt. Where one card lies, and whether
    # two of them lie together.
    state = GAMES["pumafiosi"].new(5, {"games": 1}, seed=1)
    mine = set(state.to_dict()["hands"][0])
    one, two = [card for card in map(str, range(1, 56)) if card not in mine][:2]
    places, together = Counter(), Counter()
    size = games(2000, 50000)
    for seed in range(size):
        document = state.determinize(0, seed).to_dict()
        for seat in range(1, 5):
            hand = document["hands"][seat]
            places["hand", seat] += one in hand
            together["hand"] += one in hand and two in hand
        for seat in range(5):
            pile = document["piles"][seat]
            together["pile"] += one in pile and two in pile
            places.update(("pile", seat, i) for i, card in enumerate(pile) if card == one)
        deck = document["deck"]
        together["deck"] += one in deck and two in deck
        places.update(("deck", i) for i, card in enumerate(deck) if card == one)
    assert places.total() == size
    cells = [("hand", seat) for seat in range(1, 5)]
    cells += [("pile", seat, i) for seat in range(5) for i in range(7)]
    cells += [("deck", i) for i in range(5)]
    expected = [size * (3 if cell[0] == "hand" else 1) / 52 for cell in cells]
    assert chisquare([places[cell] for cell in cells], expected).pvalue > 0.001

    pairs = {"hand": 4 * 3 * 2, "pile": 5 * 7 * 6, "deck": 5 * 4}
    expected = [size * ways / (52 * 51) for ways in pairs.values()]
    apart = size - sum(expected)
    observed = [together[where] for where in pairs]
    assert chisquare([*observed, size - sum(observed)], [*expected, apart]).pvalue > 0.001


def test_pumafiosi_decks_to_come_are_sampled_uniformly():
    state = GAMES["pumafiosi"].new(3, {"games": 3}, seed=1)
    places = [Counter(), Counter()]
    for seed in range(games(1100, 22000)):
        for counts, deck in zip(
            places, state.determinize(1, seed).to_dict()["future_decks"], strict=True
        ):
            counts[deck.index("7")] += 1
    assert all(is_uniform(counts, 55) for counts in places)
