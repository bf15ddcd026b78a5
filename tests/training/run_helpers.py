"""A run so small that a test can afford many of them, and checkpoints without any training."""

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from emberdeck import __version__
from emberdeck.envs import get_game
from emberdeck.training.config import RunConfig

TINY = {
    "game": "pumafiosi",
    "players": 2,
    "options": {"games": 1},
    "reward": "win",
    "seed": 7,
    "total_timesteps": 2000,
    "num_threads": 1,
    "network": {"hidden": [16], "activation": "relu"},
    "ppo": {
        "num_games": 16,
        "n_steps": 16,
        "batch_size": 64,
        "n_epochs": 2,
        "learning_rate": 1e-3,
        "schedule": "linear",
        "gamma": 1.0,
        "gae_lambda": 0.95,
        "clip_range": 0.2,
        "ent_coef": 0.01,
        "vf_coef": 0.5,
        "max_grad_norm": 0.5,
        "target_kl": None,
    },
    "opponents": {
        "weights": {"self": 0.4, "latest": 0.2, "pool": 0.2, "heuristic": 0.1, "search:3": 0.1},
        "pool_size": 2,
        "prioritisation": 1.0,
        "mode": "sample",
    },
    "evaluation": {"every": 800, "deals": 4, "opponents": ["random", "first"], "mode": "sample"},
    "checkpoint": {"every": 400},
}


def tiny_config(**changes: Any) -> RunConfig:
    return RunConfig.model_validate(TINY | changes)


def write_tiny(folder: Path, **changes: Any) -> Path:
    """Write the tiny config as a file; returns its path."""
    file = folder / "tiny.yaml"
    file.write_text(yaml.safe_dump(TINY | changes, sort_keys=False))
    return file


def make_card(step: int) -> dict[str, Any]:
    game = get_game("pumafiosi")
    return {
        "game": game.name,
        "game_version": game.version,
        "layout_hash": game.layout_hash,
        "players": 2,
        "options": {"items": False, "games": 1},
        "network": {"hidden": [4], "activation": "relu"},
        "step": step,
        "metrics": {},
        "emberdeck_version": __version__,
    }


def make_weights(seed: int) -> dict[str, np.ndarray]:
    game, rng = get_game("pumafiosi"), np.random.default_rng(seed)
    shapes = {
        "trunk.0": (4, game.observation_size),
        "action": (game.num_actions, 4),
        "value": (1, 4),
    }
    weights = {f"{layer}.weight": rng.normal(size=shape) for layer, shape in shapes.items()}
    biases = {f"{layer}.bias": np.zeros(shape[0]) for layer, shape in shapes.items()}
    return {name: array.astype(np.float32) for name, array in (weights | biases).items()}
