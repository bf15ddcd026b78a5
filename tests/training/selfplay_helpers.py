"""Small models and checkpoints for the tests of self-play training."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from gymnasium import spaces
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.utils import ConstantSchedule

from emberdeck import __version__
from emberdeck.envs import get_game
from emberdeck.policies.checkpoint import save_checkpoint
from emberdeck.training.network import SelfPlayPolicy, export_weights, policy_kwargs
from emberdeck.training.opponents import Lineups
from emberdeck.training.ppo import SelfPlayPPO
from emberdeck.training.vec_env import SelfPlayVecEnv

th.set_num_threads(1)  # networks this small lose time with more, above all on a busy machine

GAME = "pumafiosi"
HIDDEN = (16, 16)
MIXED = {"self": 1.0, "random": 1.0, "heuristic": 1.0}  # weights of opponents


def make_env(
    players: int = 2, num_games: int = 8, weights: dict[str, float] | None = None, **lineups: Any
) -> SelfPlayVecEnv:
    drawn = Lineups(GAME, players, weights or {"self": 1.0}, seed=3, **lineups)
    return SelfPlayVecEnv(GAME, num_games, players, None, "win", 5, drawn)


def make_model(env: SelfPlayVecEnv, **arguments: Any) -> SelfPlayPPO:
    settings = {"n_steps": 12, "batch_size": 64, "n_epochs": 2, "device": "cpu", "seed": 7}
    network = policy_kwargs(HIDDEN)
    return SelfPlayPPO("MlpPolicy", env, policy_kwargs=network, **{**settings, **arguments})


def make_policy(
    hidden: tuple[int, ...] = HIDDEN, activation: str = "relu", name: str = GAME
) -> SelfPlayPolicy:
    game = get_game(name)
    observation = spaces.Box(-np.inf, np.inf, (game.observation_size,), np.float32)
    actions = spaces.Discrete(game.num_actions)
    return SelfPlayPolicy(
        observation, actions, ConstantSchedule(1e-3), **policy_kwargs(hidden, activation)
    )


def make_checkpoint(
    folder: Path,
    policy: SelfPlayPolicy,
    hidden: tuple[int, ...] = HIDDEN,
    activation: str = "relu",
) -> Path:
    game = get_game(GAME)
    card = {
        "game": GAME,
        "game_version": game.version,
        "layout_hash": game.layout_hash,
        "players": 2,
        "options": {},
        "network": {"hidden": list(hidden), "activation": activation},
        "step": 0,
        "metrics": {},
        "emberdeck_version": __version__,
    }
    save_checkpoint(folder, export_weights(policy), card)
    return folder


class Log(KVWriter):
    """Keeps everything that a model logs, one dict a dump."""

    def __init__(self, model: SelfPlayPPO) -> None:
        self.dumps: list[dict[str, Any]] = []
        model.set_logger(Logger(None, [self]))

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        del key_excluded, step
        self.dumps.append(dict(key_values))

    def close(self) -> None:
        pass


class Hooks(BaseCallback):
    """Calls functions at the start and end of every rollout; `stop` ends the training."""

    def __init__(self, start: Callable | None = None, end: Callable | None = None) -> None:
        super().__init__()
        self.start, self.end = start, end
        self.stop = False
        self.steps = 0

    def _on_rollout_start(self) -> None:
        if self.start:
            self.start(self)

    def _on_step(self) -> bool:
        self.steps += 1
        assert {"new_obs", "rewards", "dones", "infos", "actions"} <= self.locals.keys()
        return not self.stop

    def _on_rollout_end(self) -> None:
        if self.end:
            self.end(self)
