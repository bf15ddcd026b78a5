"""Pumafiosi's scripted player against a plain reading of its description (14)."""

import random
from copy import deepcopy
from itertools import product

import pytest

from ..contract_helpers import games
from .pumafiosi_documents import GAME, VALUES
from .pumafiosi_model import CASUALTY, enter, number, seats_of

PRICES = {"": 0, "machine gun": 2, "vest": 1.5, "notebook": 4}


class ScriptedPlayer:
    """What the acting seat thinks of its actions, from its view alone."""

    def __init__(self, view):
        self.view = view
        self.seat = view["to_act"]
        self.players = view["players"]
        self.rounds_left = 10 - view["round"]
        last_game = view["game_number"] == view["options"]["games"]
        self.late = last_game and view["round"] >= 8
        hand = view["hands"][self.seat]
        seen = {*hand, *view["tony_played"], *(card for by in view["played"] for card in by)}
        self.unseen = [n for n in range(1, 56) if str(n) not in seen]

    def higher(self, bar):
        return sum(n > bar for n in self.unseen) / len(self.unseen) if self.unseen else 0

    def expected(self, entry, step):
        drops = min(0.45 * self.rounds_left * self.higher(number(entry)), CASUALTY - step)
        whole, part = int(step + drops), (step + drops) % 1
        value = VALUES[whole]
        if part:
            value += part * (VALUES[whole + 1] - VALUES[whole])
        value -= 0 if entry["item"] == "vest" else drops
        return 2 * value if entry["item"] == "notebook" else value

    def prospects(self, d, seat):
        values = [
            self.expected(entry, step)
            for step, there in enumerate(d["hierarchy"])
            for entry in there
            if seat in seats_of(entry)
        ]
        missing = 10 * (1 - 1 / max(3, self.players)) ** self.rounds_left
        return d["wealth"][seat] - d["penalty"][seat] + (sum(values) if values else -missing)

    def position(self, d):
        others = [self.prospects(d, seat) for seat in range(self.players) if seat != self.seat]
        return self.prospects(d, self.seat) - sum(others) / len(others)

    def placed(self, card, step, item=None):
        d = deepcopy(self.view)
        enter(d, {"card": card, "owner": self.seat, "item": item, "co_owner": None}, step)
        return self.position(d)

    def best_placement(self, card):
        return max(
            self.placed(card, step)
            for step, there in enumerate(self.view["hierarchy"])
            if step == CASUALTY or not there or number(there[0]) < int(card)
        )

    def chance(self, stronger, to_come, higher):
        if stronger == 0:
            return to_come * higher * (1 - higher) ** (to_come - 1) if to_come else 0
        return (1 - higher) ** to_come if stronger == 1 else 0

    def value(self, name):
        """Return how good the action is; the best of all is played."""
        what, _, item = name.partition(" with ")
        price = 0 if self.late else PRICES[item]
        if what.startswith("place"):
            step = VALUES.index(int(what.removeprefix("place at ")))
            card = self.view["table"][self.seat]["card"]
            return self.placed(card, step, item or None) - price
        if what.startswith("play"):
            return self.play_value(what.removeprefix("play "), bool(item)) - price
        ((entry, step),) = [
            (entry, step)
            for step, there in enumerate(self.view["hierarchy"])
            for entry in there
            if entry["card"] == self.view["ring_target"]
        ]
        wanted = self.expected(entry, step) - (0 if self.late else 1.5)
        return wanted if what == "give ring" else 0

    def play_value(self, card, gun):
        strength = int(card) + 10.5 * gun
        table = [number(x) + 10.5 * x["gun"] for x in self.view["table"] if x]
        to_come = self.players - len(table) - 1
        if self.view["tony_card"]:
            table.append(int(self.view["tony_card"]))
        stronger = sum(other > strength for other in table)
        gain = self.best_placement(card) - self.position(self.view)
        value = self.chance(stronger, to_come, self.higher(strength)) * gain
        if self.rounds_left > 0:
            later = self.chance(0, max(3, self.players) - 1, self.higher(int(card)))
            value -= 0.5 * max(0, gain) * later
        return value


PLAIN_SETUP = (2, True, 1)
SETUPS = [
    pytest.param(*setup, marks=pytest.mark.plain if setup == PLAIN_SETUP else ())
    for setup in product(GAME.players, (False, True), (1, 3))
]


@pytest.mark.parametrize(("players", "items", "matches"), SETUPS)
def test_scripted_player_takes_a_best_action(players, items, matches):
    # Half of the seats play at random, so that unusual positions come up.
    for seed in range(games(1, 30)):
        rng = random.Random(seed)
        state = GAME.new(players, {"items": items, "games": matches}, seed)
        while not state.over:
            action = state.heuristic_action()
            if rng.random() < 0.5:
                player = ScriptedPlayer(state.view(state.to_act))
                names = [GAME.action_names[legal] for legal in state.legal_actions()]
                best = max(map(player.value, names))
                assert player.value(GAME.action_names[action]) >= best - 1e-6
            state.apply(action if rng.random() < 0.5 else rng.choice(state.legal_actions()))
