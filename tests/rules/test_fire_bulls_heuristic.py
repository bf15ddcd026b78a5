"""Fire Bulls' scripted player against a plain reading of its description (14)."""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement, product

import pytest

from ..contract_helpers import games
from .fire_bulls_documents import BASES, COST, DIRECTIONS, GAME, LINES, POINTS, QI, YEN, complete
from .fire_bulls_model import is_payment, limit, next_cards

PAYMENTS = {
    card: [Counter(p) for p in combinations_with_replacement(QI, COST[card]) if is_payment(card, p)]
    for card in YEN
}
CLOSE = 1e-9


class ScriptedPlayer:
    """What the acting seat thinks of its actions, from its view alone."""

    def __init__(self, view):
        self.view, self.seat = view, view["to_act"]
        self.colour = view["colors"][self.seat]
        self.hand = view["hands"][self.seat]

    def value(self, card):
        return POINTS[card] + (card == "B" or card[1:] == self.colour) + 0.25 * (card == "K")

    def payments(self, card, hand, paid=()):
        """Return what may be laid after `paid`, the cheapest first, with its price."""
        found = {}
        for rest in set(combinations(hand, COST[card] - len(paid))):
            cards = [*paid, *rest]
            if cards == sorted(cards, key=QI.index) and is_payment(card, cards):
                price = [3 if kind == "*" else 1 + 0.05 * hand.count(kind) for kind in rest]
                found[rest] = sum(price)
        # Among equals the first in canonical order
        return sorted(found, key=lambda r: (round(found[r], 6), [QI.index(kind) for kind in r]))

    def target(self, way, skip=0):
        if way == "general":
            cards = ["G"] if self.view["general"] == "aside" else []
        else:
            cards = [c for row, place in LINES[way] if (c := self.view["rows"][row][place])]
        return cards[skip] if skip < len(cards) else None

    def attack_worth(self, way):
        hand, worth, best = list(self.hand), 0, float("-inf")
        most = limit(self.view["options"]["reach"], self.view["bulls"][self.seat], way)
        for count in range(most):
            card = self.target(way, count)
            payments = self.payments(card, hand) if card else []
            if not payments:
                break
            for kind in payments[0]:
                hand.remove(kind)
            worth += self.value(card) - payments[0].count("*") + (card in ("B", "V", "G"))
            worth += 2 * (count == 2)
            best = max(best, worth)
        return best

    def potential(self, hand):
        held = Counter(hand)

        def missing(card):
            return min((p - held).total() + 0.2 * p["*"] for p in PAYMENTS[card])

        cards = [
            (weight, row[place])
            for row in self.view["rows"]
            for place, weight in enumerate((1, 0.7, 0.4))
            if row[place]
        ]
        cards += [(1, "G")] if self.view["general"] == "aside" else []
        near = [(w, c, max(0, 1 - missing(c) / COST[c])) for w, c in cards]
        return 0.6 * held["*"] + sum(w * self.value(c) * n**2 for w, c, n in near)

    def ease(self, way):
        return sum(3 - COST[c] for row, place in LINES[way] if (c := self.view["rows"][row][place]))

    def good(self, legal):
        """Return the actions among `legal` names that the description allows."""
        phase = self.view["phase"]
        if phase == "reward":
            return {"reward yes"}
        if phase == "penalty":
            values = {name: -self.value(name.split()[1]) for name in legal}
            return best_of(values)
        if phase == "discard":
            return best_of({name: self.potential(self.without(name.split()[1])) for name in legal})
        return self.good_card(legal) if phase == "attack" else self.good_turn(legal)

    def without(self, kind):
        hand = list(self.hand)
        hand.remove(kind)
        return hand

    def good_card(self, legal):
        attack = self.view["attack"]
        card = self.target(attack["dir"])
        payment = self.payments(card, self.hand, attack["paid"])[0]
        old = Counter(self.view["beaten"][self.seat]) - Counter(attack["beaten"])
        loses = old.total() > attack["warriors"]
        if "stop" in legal and "*" in payment and self.value(card) < 2 and loses:
            return {"stop"}
        return {f"play {payment[0]}"}

    def good_turn(self, legal):
        attacks = {n: self.attack_worth(n.split()[1]) for n in legal if n.startswith("attack")}
        enough = 1 if len(self.hand) >= 7 else 3
        if attacks and max(attacks.values()) >= enough - CLOSE:
            return best_of(attacks)
        takes = [name for name in legal if name.startswith("take")]
        if len(self.hand) < 8:
            now = self.potential(self.hand)
            gains = {n: self.potential([*self.hand, n.split()[1]]) - now for n in takes}
            best = max(gains.values(), default=0)
            if best > 0.5 - CLOSE:
                return best_of(gains) | (self.good_draw(legal) if best < 0.5 + CLOSE else set())
        return self.good_draw(legal) or set(takes) or best_of(attacks)

    def good_draw(self, legal):
        if "draw stay" in legal:
            here = DIRECTIONS.index(self.view["bulls"][self.seat])
            ways = {"draw stay": here, "draw left": here - 1, "draw right": here + 1}
            eases = {n: self.ease(DIRECTIONS[to]) for n, to in ways.items() if n in legal}
            if eases["draw stay"] == max(eases.values()):
                return {"draw stay"}
            return best_of(eases)
        return set()


def best_of(values):
    best = max(values.values())
    return {name for name, value in values.items() if value >= best - CLOSE}


def check(state):
    action = GAME.action_names[state.heuristic_action()]
    legal = {GAME.action_names[a] for a in state.legal_actions()}
    good = ScriptedPlayer(state.view(state.to_act)).good(legal)
    assert action in good
    assert action in legal


SETUPS = [
    pytest.param(*setup, marks=pytest.mark.plain if setup == (3, "graded") else ())
    for setup in product(GAME.players, ("graded", "strict", "free"))
]


@pytest.mark.parametrize(("players", "reach"), SETUPS)
def test_scripted_player_takes_a_good_action(players, reach):
    # Half of the decisions are random, so that unusual positions come up.
    for seed in range(games(1, 8)):
        rng = random.Random(seed)
        state = GAME.new(players, {"reach": reach}, seed)
        while not state.over:
            if rng.random() < games(0.5, 1):
                check(state)
            well = rng.random() < 0.5
            state.apply(state.heuristic_action() if well else rng.choice(state.legal_actions()))


@pytest.mark.plain
@pytest.mark.parametrize("base", BASES)
def test_scripted_player_in_hand_made_positions(base):
    state = GAME.from_dict(BASES[base])
    if not state.over:
        check(state)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("given", "action"),
    [
        # nothing to draw and nothing to attack: take anything
        (
            {
                "players": 2,
                "hands": [list("ggyyrrbb"), list("ggyyrrbb")],
                "display": [],
                "rest": "display",
                "finished": 1,
                "rows": [["B", "X", "V"], ["V", "B", "B"], ["V", "X", "B"]],
            },
            "take g",
        ),
        # a swap just before, nothing to draw: the only attack
        (
            {
                "players": 2,
                "hands": [list("ggyyrrbb"), list("ggyyrrbb")],
                "display": [],
                "rest": "display",
                "finished": 1,
                "swapped": [True, True],
                "rows": [["K", "X", "V"], ["V", "B", "B"], ["V", "X", "B"]],
                "bulls": ["DR", "M"],
            },
            "attack DL",
        ),
        # the bull moves to the cheap line
        (
            {
                "hands": [["n"] * 8, [], []],
                "rows": [["B", "B", "B"], ["B", "B", "Wg"], ["Sg", "Sy", "Sr"]],
                "bulls": ["M", "L", "DL"],
            },
            "draw right",
        ),
        (
            {
                "hands": [["n"] * 8, [], []],
                "rows": [["Sg", "Sy", "Sr"], ["B", "B", "Wg"], ["B", "B", "B"]],
                "bulls": ["M", "R", "DL"],
            },
            "draw left",
        ),
        # a face-up card that completes a payment
        (
            {
                "hands": [["g", "g"], [], []],
                "rows": [["X", "Wb", "Wb"], ["Sb", "Sb", "Sb"], ["Wn", "Sn", "Sn"]],
            },
            "take g",
        ),
    ],
)
def test_what_the_scripted_player_does(given, action):
    state = GAME.from_dict(complete(given))
    check(state)
    assert GAME.action_names[state.heuristic_action()] == action


@pytest.mark.plain
def test_scripted_player_stops_rather_than_lose_an_earlier_card():
    given = {
        "hands": [["g", "*"], [], []],
        "bulls": ["L", "M", "R"],
        "rows": [["Sg", "K", "X"], ["X"] * 3, ["X"] * 3],
        "beaten": [["B"], [], []],
    }
    state = GAME.from_dict(complete(given))
    for name in ("attack L", "play g"):
        state.apply(GAME.action_id(name))
    check(state)
    assert GAME.action_names[state.heuristic_action()] == "stop"
    state = GAME.from_dict(complete(given | {"beaten": [[], [], []]}))
    for name in ("attack L", "play g"):
        state.apply(GAME.action_id(name))
    assert GAME.action_names[state.heuristic_action()] == "play *"


@pytest.mark.parametrize(("players", "least"), [(2, 0.95), (3, 0.9), (4, 0.8), (5, 0.6)])
def test_scripted_player_beats_random_ones(players, least):
    wins, size = 0, games(60, 2000)
    for seed in range(size):
        rng = random.Random(seed)
        state = GAME.new(players, seed=seed)
        mine = seed % players
        while not state.over:
            well = state.to_act == mine
            state.apply(state.heuristic_action() if well else rng.choice(state.legal_actions()))
        wins += (mine in state.winners()) / len(state.winners())
    assert wins / size > least


def test_next_cards_agree_with_the_payments():
    assert next_cards("X", ["r", "r", "r", "*"], ["r"]) == {"r"}
