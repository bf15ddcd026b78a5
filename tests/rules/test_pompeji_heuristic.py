"""Pompeji's scripted player against a plain reading of its description (14)."""

import random
from itertools import product

import pytest

from ..contract_helpers import games
from .pompeji_documents import GAME, position, run, state_of
from .pompeji_model import Town, number

NOTHING = -1


class ScriptedPlayer:
    """What the acting seat thinks of its actions, from its view alone."""

    def __init__(self, view):
        self.view, self.seat, self.town = view, view["to_act"], Town(view)
        self.hand = view["hands"][self.seat]
        self.late = view["volcanoes"] >= 1
        self.danger = self.late and len(view["stack"]) <= 9

    def number(self, card):
        return number(card, self.town.values)

    def worth(self, card, place):
        if card == "S":
            return self.town.statue_points(place)
        return self.town.points(place, card) + self.danger * self.number(card)

    def best(self, card):
        places = self.town.cells_for(card)
        return max((self.worth(card, place) for place in places), default=NOTHING)

    def good(self):
        """Return the names of all actions that the description allows."""
        view, phase = self.view, self.view["phase"]
        cell = None if view["cell"] is None else divmod(view["cell"], 13)
        best_cards = {card: self.best(card) for card in self.hand}
        card = max(best_cards.values())
        statue = self.best("S") if view["statues"][self.seat] else NOTHING
        if phase == "permit":
            return ["permit" if max(card, statue) >= (12 if self.late else 26) else "pass"]
        if phase == "play":
            enough = statue > card and statue >= (10 if self.late else 24)
            if statue > NOTHING and (enough or card == NOTHING):
                return ["statue"]
            if card > NOTHING:
                return [f"play {name}" for name, worth in best_cards.items() if worth == card]
            most = max(map(self.number, self.hand))
            return [f"discard {name}" for name in self.hand if self.number(name) == most]
        if phase == "cell":
            places = self.town.cells_for(view["card"])
            worths = {place: self.worth(view["card"], place) for place in places}
            most = max(worths.values())
            return [f"cell {r},{c}" for (r, c), worth in worths.items() if worth == most]
        if phase == "draw":
            return ["no draw" if self.danger and len(self.hand) >= 2 else "draw"]
        letters = self.town.declarations(cell)[phase == "colour"]
        worths = {
            letter: self.town.statue_points(cell, letter)
            if phase == "building"
            else self.town.statue_points(cell, view["building"], letter)
            for letter in letters
        }
        most = max(worths.values())
        return [f"{phase} {letter}" for letter, worth in worths.items() if worth == most]


def assert_good(state):
    name = GAME.action_names[state.heuristic_action()]
    assert name in ScriptedPlayer(state.view(state.to_act)).good()


SETUPS = list(product(GAME.players, (1, 2), ("latin", "building")))


@pytest.mark.parametrize(("players", "permits", "values"), SETUPS)
def test_scripted_player_takes_a_best_action(players, permits, values):
    # Half of the decisions are random, so that unusual positions come up.
    for seed in range(games(1, 8)):
        rng = random.Random(seed)
        state = GAME.new(players, {"permits": permits, "values": values}, seed)
        while not state.over:
            assert_good(state)
            scripted = rng.random() < 0.5
            state.apply(state.heuristic_action() if scripted else rng.choice(state.legal_actions()))


STATUE = position(2, "row 6 from 4: Fr Go . Ab Fw", "Tg Vb|Ao", "Tw Tv", statues=[1, 0])
PERMIT = position(
    2, "6,6 Fr, 6,7 Tw", "Fv|Go", "Av Ao", phase="permit", turn=1, act=0, permits=[1, 1]
)


@pytest.mark.plain
@pytest.mark.parametrize(
    "document",
    [
        STATUE,
        STATUE | {"volcanoes": 1},
        STATUE | {"statues": [0, 0]},
        run(STATUE, "statue"),
        run(STATUE, "statue > cell 6,6"),
        run(STATUE, "statue > cell 6,6 > building F"),
        run(STATUE, "play Tg"),
        run(STATUE | {"volcanoes": 1}, "play Tg > cell 5,5"),
        PERMIT,
        PERMIT | {"volcanoes": 1, "statues": [1, 0]},
        position(2, "6,6 Fr", "Fo Fw Ar|Go", "Av", volcanoes=1),
        position(2, "6,6 Fr", "Fo Fw Ar|Go", "Av", statues=[1, 0]),
    ],
)
def test_scripted_player_in_every_phase(document):
    assert_good(state_of(document))


@pytest.mark.plain
def test_a_card_that_would_be_a_minus_is_worth_its_number():
    d = position(2, "6,6 Fr", "Gb Vr Vo|Ao", "Tw", volcanoes=1)
    assert GAME.action_names[state_of(d).heuristic_action()] == "play Gb"


@pytest.mark.plain
@pytest.mark.parametrize(("length", "choice"), [(10, "draw"), (9, "no draw")])
def test_no_draw_in_danger(length, choice):
    stack = ["Vr", "Vo", "Vy", "Vg", "Vb", "Vv", "Vw", "Tr", "To", "Ty"][:length]
    d = position(2, "6,6 Fr", "Gb Tw|Ao", " ".join(stack), volcanoes=1, phase="draw")
    assert GAME.action_names[state_of(d).heuristic_action()] == choice
    d = position(2, "6,6 Fr", "Gb|Ao", " ".join(stack), volcanoes=1, phase="draw")
    assert GAME.action_names[state_of(d).heuristic_action()] == "draw"
