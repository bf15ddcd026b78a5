"""What the tests of policies share: small random checkpoints, and decisions to take."""

from pathlib import Path

import numpy as np

from emberdeck.envs import GAMES, Game
from emberdeck.envs.vector import VectorGame
from emberdeck.policies.checkpoint import save_checkpoint
from emberdeck.policies.export import export
from emberdeck.policies.policy import Decisions
from emberdeck.policies.scripted import RandomPolicy

GAME_NAMES = list(GAMES)
EVERY_SEAT = [
    (game.name, players, seat)
    for game in GAMES.values()
    for players in game.players
    for seat in range(players)
]


def network(
    game: Game, hidden: tuple[int, ...] = (16, 8), activation: str = "relu", seed: int = 0
) -> tuple[dict[str, np.ndarray], dict]:
    """Return random weights and the card of an untrained checkpoint."""
    rng = np.random.default_rng(seed)
    sizes = [game.observation_size, *hidden]
    layers = {f"trunk.{i}": (sizes[i + 1], sizes[i]) for i in range(len(hidden))}
    layers |= {"action": (game.num_actions, hidden[-1]), "value": (1, hidden[-1])}
    layers |= {"hint": (len(game.hints), hidden[-1])} if game.hints else {}
    weights = {}
    for name, (outputs, inputs) in layers.items():
        scale = np.float32(2 / np.sqrt(inputs))
        weights[f"{name}.weight"] = rng.standard_normal((outputs, inputs), np.float32) * scale
        weights[f"{name}.bias"] = rng.standard_normal(outputs, np.float32)
    card = {
        "game": game.name,
        "game_version": game.version,
        "layout_hash": game.layout_hash,
        "players": game.default_players,
        "options": {},
        "network": {"hidden": list(hidden), "activation": activation, "hints": game.hints},
        "step": 1000,
        "metrics": {},
        "emberdeck_version": "0",
    }
    return weights, card


def write_checkpoint(folder: Path, game: Game, **kwargs) -> Path:
    """Save a random network in `folder` and return that."""
    save_checkpoint(folder, *network(game, **kwargs))
    return folder


def write_bot(folder: Path, game: Game, num_vectors: int = 50, **kwargs) -> Path:
    """Export a random network to `folder` and return that; the checkpoint lies beside it."""
    checkpoint = write_checkpoint(folder.with_name(f"{folder.name}-checkpoint"), game, **kwargs)
    export(str(checkpoint), folder, num_vectors=num_vectors)
    return folder


def standings(batch) -> np.ndarray:
    """Return the `score` rewards of the acting seats if the games ended now, in plain Python."""
    rewards = []
    for record, seat in zip(batch.states, batch.seat, strict=True):
        scores = batch.game.wrap(record).scores()
        others = (sum(scores) - scores[seat]) / (len(scores) - 1)
        rewards.append(np.clip((scores[seat] - others) / batch.game.score_scale, -1, 1))
    return np.array(rewards)


def decisions(game: Game, count: int, players: int | None = None, seed: int = 0) -> Decisions:
    """Return decisions of different games, some moves after their start."""
    vector = VectorGame(game, count, players, seed=seed)
    rng = RandomPolicy(seed=seed)
    for _ in range(7):
        vector.step(rng.act(vector))
    return Decisions.of(vector, np.arange(count))
