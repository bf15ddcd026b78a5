"""The PettingZoo AEC environment around any game: agents by name, one decision after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from .compiled import njit
from .dispatch import legal, observe, step
from .drawing import RENDER_MODES, check_render_mode, render, seat_name
from .game import (
    Game,
    IllegalAction,
    RewardKind,
    State,
    as_action,
    illegal_message,
    reward_code,
)
from .kernels import OVER

ILLEGAL = OVER - 1


@njit
def advance(
    states: np.ndarray, index: int, action: int, mask: np.ndarray, observation: np.ndarray
) -> int:
    """Apply `action` to `states[index]` if `mask` int8[A], the acting seat's, says it is legal.

    Return the seat to act next, with `mask` and `observation` float32[OBS] filled for it, or OVER,
    or ILLEGAL with nothing changed.
    """
    if action < 0 or action >= mask.size or mask[action] == 0:
        return ILLEGAL
    s = states[index]
    step(s, action)
    legal(s, mask)
    if s.to_act != OVER:
        observe(s, s.to_act, observation)
    return s.to_act


class ActionSpace(spaces.Discrete):
    """The ids from 0 to n - 1; PettingZoo's wrappers ask it about every action."""

    def contains(self, x: Any) -> bool:
        """Tell whether `x` is an id; of an int in a twentieth of the time that Discrete takes."""
        return bool(0 <= x < self.n) if type(x) is int else super().contains(x)


class GameEnv(AECEnv[str, Any, Any]):
    """One game as a PettingZoo AEC environment; seat i is the agent `player_i`.

    `players`, `reward` ("win", "rank", "score") and the game's options stay as given here; anything
    invalid raises `ValueError`. An observation is a dictionary: `observation`, (OBS,) float32, what
    the agent may know, and `action_mask`, (A,) int8, 1 = legal. The mask is all zero for an agent
    that is not to act, and after the end; `infos[agent]["action_mask"]` repeats it. Rewards are 0
    until the game ends, when every agent gets its own in the same step. An illegal action raises
    `IllegalAction` and changes nothing.
    """

    def __init__(
        self,
        game: Game,
        players: int | None = None,
        reward: RewardKind = "win",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = game
        self.players, self.options, _ = game.resolve(players, options)
        reward_code(reward)
        check_render_mode(render_mode)
        self.reward_kind: RewardKind = reward
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.possible_agents = [seat_name(seat) for seat in range(self.players)]
        self.observation_spaces = {
            agent: _observation_space(game) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: ActionSpace(game.num_actions) for agent in self.possible_agents
        }
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seeds = np.random.default_rng()
        self.game_state: State

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the agent's own space, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """Return the agent's own space, the same object at every call."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - part of PettingZoo's signature
    ) -> None:
        """Start a new game; `options` is ignored, the game's own were given at construction.

        A seed (any int >= 0) fixes this game and those that later resets without a seed start.
        """
        deal = int(self._seeds.integers(2**63)) if seed is None else seed
        self.game_state = self.game.new(self.players, self.options, deal)
        if seed is not None:
            self._seeds = np.random.default_rng(seed)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_actions()} for agent in self.agents}
        self._skip_agent_selection = None  # PettingZoo's; a game left during its dead steps sets it
        seat = self.game_state.to_act
        assert seat is not None
        self._mask = self.game_state.mask()
        self._observation = self.game_state.observation(seat)
        self._select(seat)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what `agent` may know now, in fresh arrays; never changes the game."""
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        observation = self.game_state.observation(self._seats[agent])
        return {"observation": observation, "action_mask": self._no_actions()}

    def step(self, action: Any) -> None:
        """Play `action` for `agent_selection`; None, and only None, for an agent that is done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if type(action) is not int:
            action = as_action(action)
        state = self.game_state
        seat = advance(state.array, 0, action, self._mask, self._observation)
        if seat == ILLEGAL:
            raise IllegalAction(illegal_message(self.game, action, state.to_act, self._mask))
        self.infos[agent] = {"action_mask": self._no_actions()}
        if seat == OVER:
            self._end()
        else:
            self._select(seat)
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | np.ndarray | None:
        """Draw the acting seat's view, after the end the spectator's.

        `ansi` returns the text, `rgb_array` an (H, W, 3) uint8 picture, `human` prints the text, by
        itself after each step.
        """
        return render(self.game_state, self.game_state.to_act, self.render_mode)

    def close(self) -> None:
        """Do nothing: no window or process is held."""

    def _select(self, seat: int) -> None:
        self.agent_selection = self.agents[seat]
        self.infos[self.agent_selection] = {"action_mask": self._mask.copy()}

    def _end(self) -> None:
        rewards = self.game_state.rewards(self.reward_kind)
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def _no_actions(self) -> np.ndarray:
        return np.zeros(len(self.game.action_names), np.int8)


def raw_env(game: Game, **kwargs: Any) -> GameEnv:
    """Return the bare environment: fastest, and an illegal action raises `IllegalAction`."""
    return GameEnv(game, **kwargs)


def env(game: Game, **kwargs: Any) -> OrderEnforcingWrapper:
    """Return the environment in PettingZoo's usual wrappers.

    There an illegal action ends the game: the mover gets -1, the others 0.
    """
    terminating = TerminateIllegalWrapper(raw_env(game, **kwargs), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(terminating))


def _observation_space(game: Game) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(-1, 1, (game.observation_size,), np.float32),
            "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
        }
    )
