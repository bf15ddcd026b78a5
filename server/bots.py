"""The policies that a client may name, and what they answer.

A name from outside never becomes a path: it is `random`, `heuristic`, a search within the limits,
or one of the bots that the operator has named.
"""

import copy
import re
from dataclasses import dataclass

import numpy as np

from ..envs import Game, State, get_game
from ..policies.policy import Decisions, Policy, ProbabilisticPolicy, load
from ..policies.search import SearchPolicy
from .settings import Settings

PLAIN = ("random", "heuristic")
SEARCH = re.compile(r"(search|flat):(\d{1,9})(ms)?")


@dataclass(frozen=True)
class Advice:
    """A bot's move, and what it thinks of the position if it is one that says so.

    `probabilities` has one entry for each legal action: a network's, or a search's share of visits.
    `value` is the reward of kind `score` that the acting seat can expect.
    """

    action: int
    probabilities: dict[int, float] | None
    value: float | None


class Bots:
    """All policies that are offered; ValueError if one of the operator's cannot be loaded."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._named: dict[str, Policy] = {}
        for name, source in settings.bots.items():
            try:
                self._named[name] = load(source, mode=settings.mode)
            except ValueError as error:
                raise ValueError(f"bots: {name}: {error}") from error

    def named(self, game: Game) -> list[str]:
        """Return the names of the operator's bots for a game."""
        return [name for name, policy in self._named.items() if policy.game in (None, game)]

    def names(self, game: Game) -> list[str]:
        """Return what a client may name for a game, searches as patterns."""
        limits = self.settings
        return [
            *PLAIN,
            f"search:N (N up to {limits.max_simulations})",
            f"search:Nms (N up to {limits.max_search_ms})",
            f"flat:N (N up to {limits.max_simulations})",
            *self.named(game),
        ]

    def get(self, name: str, game: Game, rng: np.random.Generator) -> Policy:
        """Return the policy of that name for one decision, its chance drawn from `rng`.

        ValueError for a name that is not offered, with what is.
        """
        search = SEARCH.fullmatch(name)
        if name in PLAIN:
            policy = load(name, game)
        elif search and not (search[1] == "flat" and search[3]):
            number, unit = int(search[2]), search[3] or " simulations"
            limit = self.settings.max_search_ms if search[3] else self.settings.max_simulations
            if number > limit:
                raise ValueError(f"policy {name!r}: at most {limit}{unit} here")
            policy = load(name, game)
        elif name in self._named:
            policy = copy.copy(self._named[name])  # other threads use it too: an own generator
            if policy.game and policy.game.name != game.name:
                raise ValueError(f"policy {name!r} plays {policy.game.name}, not {game.name}")
        else:
            raise ValueError(f"unknown policy {name!r}: here are {', '.join(self.names(game))}")
        policy.rng = rng
        return policy

    def advise(self, policy: Policy, state: State) -> Advice:
        """Return what a policy does in a state that is not over; it may take its time."""
        decision = Decisions.single(state)
        legal = state.legal_actions()
        if isinstance(policy, SearchPolicy):
            found = policy.search(decision)[0]
            shares = {action: found.visits[action] / found.visits.sum() for action in legal}
            return Advice(found.action, shares, float(found.values[found.action]))
        action = int(policy.act(decision)[0])
        if isinstance(policy, ProbabilisticPolicy):
            chances = policy.probabilities(decision)[0]
            return Advice(
                action,
                {action: float(chances[action]) for action in legal},
                float(policy.values(decision)[0]),
            )
        return Advice(action, None, None)


def generator(seed: int, *place: int) -> np.random.Generator:
    """Return the generator of one decision: the same place gives the same draws, also later."""
    return np.random.default_rng([seed, *place])


def warm(bots: Bots, games: list[str]) -> None:
    """Compile what these games need, or read it from the cache: else the first requests wait."""
    for name in games:
        state = get_game(name).new()
        seat = state.to_act
        assert seat is not None
        state.game.from_view(state.view(seat), seat)
        for policy in (*PLAIN, "search:1", *bots.named(state.game)):
            bots.advise(bots.get(policy, state.game, generator(0)), state)
