"""SelfPlayVecEnv: many games in lock-step as a stable-baselines3 environment, opponents inside."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from ..envs.game import Game, RewardKind
from ..envs.rng import seed_bits
from ..envs.vector import VectorGame
from ..policies.policy import Decisions
from .opponents import LEARNER, Lineups

_MASKS = "action_masks"  # the method that sb3-contrib looks for


class SelfPlayVecEnv(VecEnv):
    """One decision in each of `num_games` games a step, of whichever seat is to act.

    `vector` is the VectorGame, `lineup` int64[G, P] says who holds each seat (0: the learner, else
    an opponent's number in `lineups`), drawn anew when a game starts; `learner` bool[G] is true
    where the acting seat is the learner's. Elsewhere `step` replaces the given action by the
    opponent's. The reward of a step is that of the seat that acted; what the other seats got is in
    `vector.reward`. A finished game's info has `episode` (`r`: mean reward of the learner's seats,
    `l`: number of decisions, `opponent`: its name or None) and, with an opponent, `is_success`
    (what one of the learner's seats won on average). Arguments as in VectorGame.
    """

    render_mode = None

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        players: int | None,
        options: dict[str, Any] | None,
        reward: RewardKind,
        seed: int,
        lineups: Lineups,
    ) -> None:
        self.lineups = lineups
        self.rng = np.random.default_rng(seed_bits(seed))
        self._arguments = (game, num_games, players, options)
        self._reward: RewardKind = reward
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_games)]
        self._games = np.arange(num_games)
        self._actions = np.zeros(num_games, np.int64)
        self._totals: dict[str, tuple[float, int]] = {}
        self._start(int(self.rng.integers(2**63)))
        if lineups.players != self.vector.players:
            raise ValueError(f"line-ups for {lineups.players} of {self.vector.players} seats")
        observation = spaces.Box(-np.inf, np.inf, (self.vector.game.observation_size,), np.float32)
        super().__init__(num_games, observation, spaces.Discrete(self.vector.game.num_actions))

    def _start(self, seed: int | list[int]) -> None:
        """Begin all games anew."""
        self.vector = VectorGame(*self._arguments, seed=seed, reward=self._reward)
        self.lineup = self.lineups.draw(self.vector.num_games)
        self._look()

    def _look(self) -> None:
        """See whose turn it is."""
        self._holder = self.lineup[self._games, self.vector.seat]
        self.learner = self._holder == LEARNER

    def reset(self) -> np.ndarray:
        """Begin all games anew, from the seeds given to `seed` or else from the env's generator."""
        seeds = [seed for seed in self._seeds if seed is not None]
        self._start(seeds or int(self.rng.integers(2**63)))
        self._reset_seeds()
        return self.vector.observation.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, int[G]."""
        self._actions[:] = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Let the opponents decide and step all games; returns arrays of its own."""
        self.decide(self._actions)
        observation, rewards, dones, infos = self.advance(self._actions)
        return observation.copy(), rewards, dones.copy(), [dict(info) for info in infos]

    def decide(self, actions: np.ndarray) -> None:
        """Write the opponents' decisions into `actions` int64[G]: one batch for each of them."""
        for number in np.unique(self._holder[~self.learner]):
            rows = np.flatnonzero(self._holder == number)
            policy = self.lineups.opponents[int(number)].policy
            actions[rows] = policy.act(Decisions.of(self.vector, rows))

    def advance(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step all games; `step_wait` without copies: the next call changes what this one returns.

        `actions` int64[G] are legal, the opponents' too (see `decide`).
        """
        acted = self.vector.seat.copy()
        for game in np.flatnonzero(self.vector.done):
            self._infos[game] = {}
        self.vector.step(actions)
        rewards = self.vector.reward[self._games, acted].astype(np.float32)
        finished = np.flatnonzero(self.vector.done)
        if len(finished):
            self._conclude(finished)
            self.lineup[finished] = self.lineups.draw(len(finished))
        self._look()
        return self.vector.observation, rewards, self.vector.done, self._infos

    def _conclude(self, finished: np.ndarray) -> None:
        """Write the infos of finished games and count their results."""
        lineup, reward = self.lineup[finished], self.vector.reward[finished]
        wins = self.vector.place[finished] == 0
        wins = wins / wins.sum(axis=1, keepdims=True)
        learner = lineup == LEARNER
        seats = learner.sum(axis=1)
        mean_reward = (reward * learner).sum(axis=1) / seats
        mean_score = (self.vector.final_scores[finished] * learner).sum(axis=1) / seats
        learner_wins = (wins * learner).sum(axis=1) / seats
        own_wins = (wins * ~learner).sum(axis=1) / np.maximum(self.vector.players - seats, 1)
        for i, game in enumerate(finished):
            length = int(self.vector.length[game])
            info: dict[str, Any] = {"r": float(mean_reward[i]), "l": length, "opponent": None}
            self._infos[game] = {"episode": info}
            number = int(lineup[i].max())
            if number != LEARNER:
                info["opponent"] = self.lineups.label(number)
                self._infos[game]["is_success"] = float(learner_wins[i])
                self.lineups.opponents[number].record(learner_wins[i], own_wins[i])
                self._count(f"win_share/{info['opponent']}", learner_wins[i])
            self._count("game_length", length)
            self._count("score", mean_score[i])

    def _count(self, name: str, value: float) -> None:
        total, games = self._totals.get(name, (0.0, 0))
        self._totals[name] = (total + float(value), games + 1)

    def statistics(self) -> dict[str, float]:
        """Return means over the games finished since the last call, by name.

        `win_share/OPPONENT` (what a seat of the learner's won, 1/P against an equal), `game_length`
        (decisions), `score` (of the learner's seats).
        """
        totals, self._totals = self._totals, {}
        return {name: total / games for name, (total, games) in totals.items()}

    def add_checkpoint(self, folder: str | Path) -> None:
        """Add a checkpoint to the opponents; raises ValueError if it cannot be loaded."""
        self.lineups.add_checkpoint(folder, np.unique(self.lineup))

    def snapshot(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return all that `restore` needs: arrays, and plain values for JSON."""
        arrays = {f"games.{name}": array for name, array in self.vector.snapshot().items()}
        data = {"rng": self.rng.bit_generator.state, "lineups": self.lineups.snapshot()}
        return {**arrays, "lineup": self.lineup.copy()}, data

    def restore(
        self,
        arrays: dict[str, np.ndarray],
        data: dict[str, Any],
        checkpoints: str | Path | None = None,
    ) -> None:
        """Continue from a snapshot of an environment with the same arguments."""
        self.lineups.restore(data["lineups"], checkpoints)
        self.rng.bit_generator.state = data["rng"]
        prefix = "games."
        self.vector.restore({n[len(prefix) :]: a for n, a in arrays.items() if n != "lineup"})
        self.lineup = arrays["lineup"].copy()
        self._infos = [{} for _ in range(self.num_envs)]
        self._look()

    def action_masks(self) -> np.ndarray:
        """Return the acting seats' masks, int8[G, A]: those of VectorGame, changed by each step."""
        return self.vector.mask

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Return the rows of `action_masks`, the only method that the games have one by one."""
        if method_name != _MASKS or method_args or method_kwargs:
            raise AttributeError(f"the games have no method {method_name!r}, only {_MASKS!r}")
        return [self.vector.mask[game].copy() for game in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return the environment's attribute, once for each game."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set the environment's attribute; the games share it."""
        del indices
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return false for each game: there is nothing to wrap."""
        del wrapper_class
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing to close."""
