"""Pompiers!'s scripted player against a plain reading of its description (14)."""

import random
from itertools import product

import numpy as np
import pytest

from emberdeck.envs.kernels import heuristic_actions
from emberdeck.envs.vector import VectorGame

from ..contract_helpers import games
from .pompiers_documents import CARDS, COLOURS, GAME, POINTS, after, base, deck
from .pompiers_model import NAMES, cards_won, rank, trick_numbers
from .test_pompiers_observation import best_of


class ScriptedPlayer:
    """What the acting seat thinks of its actions, from its view alone."""

    def __init__(self, view):
        self.view = v = view
        self.seat = v["to_act"]
        self.players = v["players"]
        self.hand = v["hands"][self.seat]
        self.mine = trick_numbers(v, self.seat)
        self.number = len(v["tricks"]) + 1
        drawn = v["drawn"] if v["chooser"] == self.seat else []
        seen = {*self.hand, *v["trick"], v["placed"][self.seat], v["trump_card"], *drawn}
        seen |= {card for trick in v["tricks"] for card in trick["cards"]}
        self.unseen = [card for card in deck(self.players) if card not in seen]
        self.trump = v["trump_card"][0] if v["trump_card"] else ""

    def lacks(self, mission):
        return not self.view["chips"][self.seat][mission]

    def x(self, card):
        return rank(card) / {3: 9, 4: 12, 5: 15}[self.players]

    def strength(self):
        return sum(
            0.25 + 0.6 * self.x(card)
            if card[0] == self.trump
            else max(0, 1.6 * (self.x(card) - 0.55))
            for card in self.hand
        )

    def weight(self, colour):
        return sum(0.5 + self.x(card) for card in self.hand if card[0] == colour)

    def worth(self):
        """Return W and F."""
        v, n = self.view, len(self.mine)
        w, f = 0.4, 1.0
        tiles = [(tile, POINTS[tile]) for tile in v["emergency"]]
        tiles += [(v["slot_tile"], 5)] if self.lacks(2) else []
        for tile, p in tiles:
            kind, what = tile.split("_")
            if kind == "exactly":
                w += -0.6 * p if n == int(what) else 0.5 * p if n < int(what) else 0
                f -= p / 6 if n == int(what) else 0
            elif kind == "trick":
                wanted = {"r": v["round"], "r5": v["round"] + 5}.get(what) or int(what)
                w += p if wanted == self.number else 0
            else:
                there = sum(card[0] == NAMES[what] for card in v["trick"])
                if kind == "most":
                    w += 0.12 * p * there
                elif not any(card[0] == NAMES[what] for card in cards_won(v, self.seat)):
                    w += -0.45 * p if there else 0.1 * p
        if self.number == 10 and self.lacks(0):
            w += 5
        if self.lacks(3):
            w += 2 if self.number - 5 in self.mine else 0.4 if self.number <= 5 else 0
        if self.lacks(4):
            run = 0
            while self.number - 1 - run in self.mine:
                run += 1
            w += 0.8 + 0.7 * run if run else 0.3
        if n == 0 and self.lacks(1) and self.strength() < 0.17 * len(self.hand) + 0.25 - 1e-9:
            w, f = w - 6, -1
        return w, f

    def chance(self, card):
        trick = [*self.view["trick"], card]
        if best_of(trick, self.view["trump_card"]) != card:
            return 0
        higher = sum(one[0] == card[0] and rank(one) > rank(card) for one in self.unseen)
        q = min(1, 0.78 * higher * len(self.hand) / len(self.unseen))
        q = q if card[0] == self.trump else q + 0.1 * (1 - q)
        return (1 - min(q, 0.97)) ** (self.players - len(trick))

    def value(self, name):
        """Return how good the action is, with its ties broken; the best of all is played."""
        what, card = name.split()
        index, first = CARDS.index(card), -COLOURS.index(card[0])
        if what == "reveal":
            return (self.weight(card[0]), -rank(card), -index)
        if what == "place":
            if self.lacks(1) and self.strength() < 2 - 1e-9:
                return (rank(card), index)
            return (self.weight(card[0]), first, -rank(card))
        w, f = self.worth()
        price = self.x(card) + 0.7 * (card[0] == self.trump)
        return (w * self.chance(card) - 0.8 * f * price, -index)


def is_best(player, action, names):
    """Tell whether `action` is the one to play; sums may differ in the last digits."""

    def rounded(name):
        value, *ties = player.value(name)
        return (round(value, 9), *ties)

    return rounded(action) == max(map(rounded, names))


SETUPS = list(product(GAME.players, ("off", "on")))


@pytest.mark.parametrize(("players", "eleven"), SETUPS)
def test_scripted_player_takes_the_best_action(players, eleven):
    # Half of the moves are random, so that unusual positions come up.
    for seed in range(games(3, 60)):
        rng = random.Random(seed)
        state = GAME.new(players, {"eleven_cards": eleven}, seed)
        while not state.over:
            action = state.heuristic_action()
            player = ScriptedPlayer(state.view(state.to_act))
            names = [GAME.action_names[legal] for legal in state.legal_actions()]
            assert is_best(player, GAME.action_names[action], names)
            state.apply(action if rng.random() < 0.5 else rng.choice(state.legal_actions()))


@pytest.mark.plain
@pytest.mark.parametrize(("players", "eleven"), [(3, "on"), (4, "off")])
def test_scripted_player_takes_the_best_action_in_plain_python(players, eleven):
    for seed in range(3):
        rng = random.Random(seed)
        state = GAME.new(players, {"eleven_cards": eleven}, seed)
        while not state.over:
            if rng.random() < 0.3:
                player = ScriptedPlayer(state.view(state.to_act))
                names = [GAME.action_names[legal] for legal in state.legal_actions()]
                assert is_best(player, GAME.action_names[state.heuristic_action()], names)
            state.apply(rng.choice(state.legal_actions()))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("hand", "chips", "card"),
    [
        # Weak: the highest card, of equal ones the one with the larger index.
        ("R1 R2 R3 R4 B1 B2 B3 Y1 Y2 Y9 K9", False, "K9"),
        # The same seat has its 2/7: the lowest of the heaviest colour.
        ("R1 R2 R3 R4 B1 B2 B3 Y1 Y2 Y9 K9", True, "R1"),
        # Strong: the same.
        ("R8 R9 B8 B9 Y8 Y9 K5 K6 K7 K8 K9", False, "K5"),
        # Colours of equal weight: the first of R B Y K.
        ("R7 R8 R9 B7 B8 B9 Y7 Y8 Y9 K1 K9", False, "R7"),
    ],
)
def test_placed_card(hand, chips, card):
    d = base("V3", to_act=1)
    others = [one for one in deck(3) if one not in hand.split()]
    d["hands"] = [sorted(others[:11], key=CARDS.index), hand.split(), others[11:22]]
    d["aside"] = others[22:]
    d["chips"][1][1] = chips
    d["scores"][1] += 5 * chips
    state = GAME.from_dict(d)
    assert GAME.action_names[state.heuristic_action()] == f"place {card}"


@pytest.mark.plain
def test_revealed_card():
    # Seat 0 holds two Y and one K: Y is heavier, and the Y4 lower than the Y5.
    state = GAME.from_dict(base("T4"))
    assert GAME.action_names[state.heuristic_action()] == "reveal Y4"


@pytest.mark.plain
def test_a_weak_hand_without_a_trick_avoids_tricks():
    state = after(base("F4"), "A", 1)
    player = ScriptedPlayer(state.view(0))
    assert player.worth()[1] in (1, -1)
    assert GAME.action_names[state.heuristic_action()] == max(
        ["play Y1", "play Y9"], key=player.value
    )


# One scripted seat against random ones: its share of the victories.
@pytest.mark.parametrize(("players", "share"), [(3, 0.50), (4, 0.51), (5, 0.45)])
def test_strength_against_random(players, share):
    rng = np.random.default_rng(players)
    won, played = 0.0, 0
    for seat, eleven in product(range(players), ("off", "on")):
        size = games(60, 1000)
        vector = VectorGame(GAME, size, players, {"eleven_cards": eleven}, seed=seat)
        open_games = np.ones(size, bool)
        actions = np.zeros(size, np.int64)
        while open_games.any():
            heuristic_actions(vector.states, actions)
            chances = rng.random(vector.mask.shape) * vector.mask
            vector.step(np.where(vector.seat == seat, actions, chances.argmax(axis=1)))
            ended = vector.done & open_games
            won += ((vector.reward[ended, seat] * (players - 1) + 1) / players).sum()
            open_games &= ~vector.done
        played += size
    deviation = (share * (1 - share) / played) ** 0.5
    assert abs(won / played - share) < 3.5 * deviation + 0.02
