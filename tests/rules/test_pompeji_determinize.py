"""Sampling in Pompeji: unseen cards, places of the volcanoes, what the acting seat shows (11)."""

from collections import Counter

import pytest

from emberdeck.envs import State

from ..contract_helpers import canonical, games
from ..test_determinize import is_uniform
from .pompeji_documents import CARDS, GAME

pytestmark = pytest.mark.plain


def position(**changes) -> State:
    """Return a small position in which the stack and seat 1's hand are hidden from seat 0.

    Unseen are Gb, Vb (placeable), Fo, Go, Ar (not), and two volcanoes unless `changes` say
    otherwise.
    """
    document = {
        "game": "pompeji", "players": 2, "options": {"permits": 1, "values": "latin"},
        "to_act": 0, "phase": "play", "over": False, "scores": [0, 0], "turn": 0, "extra": False,
        "card": None, "cell": None, "building": None, "hands": [["Fw"], ["Fo", "Gb"]],
        "stack": ["Ar", "Fg", "Vb"], "volcanoes": 1, "discards": [], "town": [[84, "Fr"]],
        "statues": [0, 0], "permits": [0, 0],
    } | changes  # fmt: skip
    used = {*document["stack"], *(card for hand in document["hands"] for card in hand), "Fr"}
    document["discards"] = [name for name in CARDS if name not in used]
    return GAME.from_dict(document)


def hidden_parts(state: State, seat: int, count: int) -> Counter:
    """Count the stacks, hands and open choices of so many samples."""
    parts = Counter()
    for seed in range(count):
        d = state.determinize(seat, seed).to_dict()
        parts[canonical([d[key] for key in ("stack", "hands", "card", "cell", "building")])] += 1
    return parts


def test_deals_are_sampled_uniformly():
    cells = 10 * 6  # hands of two out of five, stacks of three
    counts = hidden_parts(position(), 0, cells * games(20, 200))
    assert len(counts) == cells
    assert is_uniform(counts, cells)


@pytest.mark.parametrize("to_act", [0, 1])
def test_acting_seat_of_a_window_can_place_a_card(to_act):
    # Seat 1 has at least one of Gb, Vb: 10 hands less 3. Seat 0 sees its own hand.
    able = {"phase": "permit", "turn": 1 - to_act, "to_act": to_act, "permits": [1, 1]}
    state = position(**able, hands=[["Gw"], ["Fo", "Gb"]])
    cells = (7 if to_act == 1 else 10) * 6
    counts = hidden_parts(state, 0, cells * games(20, 200))
    assert len(counts) == cells
    assert is_uniform(counts, cells)
    extra = position(hands=[["Gw"], ["Fo", "Gb"]], to_act=1, extra=True)
    assert len(hidden_parts(extra, 0, 42 * 20)) == 7 * 6
    statue = position(hands=[["Gw"], ["Fo", "Gb"]], to_act=1, extra=True, statues=[0, 1])
    assert len(hidden_parts(statue, 0, 60 * 20)) == 10 * 6


def test_hidden_card_is_one_that_can_be_laid():
    state = position(phase="cell", card="Gb", to_act=1, turn=1)
    cells = (6 + 2) * 6  # one placeable card and the choice of it, or both and either choice
    counts = hidden_parts(state, 0, 42 * games(30, 300))
    assert len(counts) == cells
    by_card = Counter()
    for part, count in counts.items():
        by_card[part.split('"')[-2]] += count
    assert set(by_card) == {"Gb", "Vb"}
    assert is_uniform(by_card, 2)
    with_statue = position(phase="cell", card="S", to_act=1, turn=1, statues=[0, 1])
    cards = {with_statue.determinize(0, seed).to_dict()["card"] for seed in range(200)}
    assert cards == {"Gb", "Vb", "S"}
    assert {with_statue.determinize(1, seed).to_dict()["card"] for seed in range(20)} == {"S"}


def test_hidden_declaration_is_one_that_was_legal():
    declaring = {"card": "S", "to_act": 1, "turn": 1, "statues": [0, 1]}
    state = position(phase="building", cell=85, **declaring)
    cells, count = Counter(), games(240, 4000)
    for seed in range(count):
        d = state.determinize(0, seed).to_dict()
        assert (d["card"], d["building"]) == ("S", None)
        cells[d["cell"]] += 1
    assert set(cells) == {71, 83, 85, 97}
    assert is_uniform(cells, 4)
    state = position(phase="colour", cell=85, building="A", **declaring)
    choices = Counter()
    for seed in range(3 * count):
        d = state.determinize(0, seed).to_dict()
        choices[d["cell"], d["building"]] += 1
    assert {building for _, building in choices} == set("ABGMTV")
    assert is_uniform(choices, 4 * 6)


@pytest.mark.parametrize(
    ("volcanoes", "length", "places"),
    [
        (0, 20, (range(9), range(9, 18))),
        (0, 18, (range(9), range(9, 18))),
        (0, 12, (range(9), range(9, 12))),
        (0, 10, (range(9), range(9, 10))),
        (1, 12, (range(9),)),
        (1, 4, (range(4),)),
        (1, 1, (range(1),)),
    ],
)
def test_volcanoes_lie_in_their_blocks(volcanoes, length, places):
    names = ["Ay", "Ag", "Ab", "Av", "Aw", "Br", "Bo", "By", "Bg", "Bb", "Bv", "Bw", "Mr", "Mo"]
    names += ["My", "Mg", "Mb", "Mv", "Mw", "Tr"]
    stack = ["volcano"] * (2 - volcanoes) + names[: length - 2 + volcanoes]
    state = position(volcanoes=volcanoes, stack=stack)
    counts = [Counter() for _ in places]
    for seed in range(games(500, 10000)):
        stack = state.determinize(0, seed).to_dict()["stack"]
        where = [place for place, card in enumerate(stack) if card == "volcano"]
        for count, place in zip(counts, where, strict=True):
            count[place] += 1
    for count, block in zip(counts, places, strict=True):
        assert set(count) == set(block)
        assert len(block) == 1 or is_uniform(count, len(block))


@pytest.mark.parametrize(("volcanoes", "left", "cells"), [(0, 1, 5), (0, 2, 10), (1, 0, 1)])
def test_volcanoes_of_other_stacks_lie_anywhere(volcanoes, left, cells):
    stack = ["volcano"] * left + ["Ay", "Ag", "Ab", "Av", "Aw"][: 5 - left]
    state = position(volcanoes=volcanoes, stack=stack)
    counts = Counter()
    for seed in range(games(400, 4000)):
        sampled = state.determinize(0, seed).to_dict()["stack"]
        counts[tuple(place for place, card in enumerate(sampled) if card == "volcano")] += 1
    assert len(counts) == cells
    assert cells == 1 or is_uniform(counts, cells)


def test_end_only_hides_the_order_of_the_stack():
    state = position(over=True, phase="over", to_act=None, volcanoes=2)
    counts = hidden_parts(state, 0, 6 * games(40, 400))
    assert len(counts) == 6
    assert is_uniform(counts, 6)
    assert all('["Fw"], ["Fo", "Gb"]' in part for part in counts)
