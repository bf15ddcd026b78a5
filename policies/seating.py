"""What the two environments for one learner share: who sits where, the info."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from ..envs import Game, State, get_game
from ..envs.drawing import check_render_mode
from ..envs.game import RewardKind, reward_code
from .policy import Policy, load

Opponents = str | Policy | Sequence[str | Policy]


class Seating:
    """Who sits where, checked: the learner's seat ("random": drawn a game) and the opponents.

    `opponents` is one policy, or P - 1 for the seats that follow the learner's, each a policy or a
    name for `load`. Raises ValueError that names the setting and what is allowed.
    """

    def __init__(
        self,
        game: Game | str,
        players: int | None = None,
        seat: int | str = "random",
        opponents: Opponents = "random",
        reward: RewardKind = "win",
        render_mode: str | None = None,
        opponent_mode: str | float = "sample",
        **options: Any,
    ) -> None:
        self.game = get_game(game)
        self.players, self.options, self.codes = self.game.resolve(players, options)
        if seat != "random" and (type(seat) is not int or seat not in range(self.players)):
            raise ValueError(f"seat must be random or 0 to {self.players - 1}, not {seat!r}")
        reward_code(reward)
        check_render_mode(render_mode)
        self.seat = seat
        self.reward: RewardKind = reward
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            opponents = [opponents] * (self.players - 1)
        if len(opponents) != self.players - 1:
            others = self.players - 1
            raise ValueError(f"opponents must be one policy or {others}, not {len(opponents)}")
        named = {one: load(one, self.game, opponent_mode) for one in opponents if type(one) is str}
        following = [named[one] if isinstance(one, str) else one for one in opponents]
        self.policies = list({id(one): one for one in following}.values())  # each once
        self.holders = np.array([self.policies.index(one) for one in following])

    def spaces(self) -> tuple[spaces.Box, spaces.Discrete]:
        """Return the observation space and the action space of one seat."""
        observations = spaces.Box(-1, 1, (self.game.observation_size,), np.float32)
        return observations, spaces.Discrete(self.game.num_actions)

    def draw_seats(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Return the learner's seats in the next `count` games."""
        if self.seat == "random":
            return rng.integers(self.players, size=count)
        return np.full(count, self.seat)

    def reseed(self, rng: np.random.Generator) -> None:
        """Give every opponent a generator drawn from `rng`."""
        for policy in self.policies:
            policy.rng = np.random.default_rng(rng.integers(2**63))

    def info(self, state: State, seat: int) -> dict[str, Any]:
        """Return what Gymnasium calls the info: the mask, the seat, at the end the outcome."""
        info: dict[str, Any] = {"action_mask": state.mask(), "seat": seat}
        if state.over:
            winners = state.winners()
            info |= {"scores": state.scores(), "winners": winners, "is_success": seat in winners}
        return info
