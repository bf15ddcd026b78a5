"""What policies with a network share: how logits become actions, and values rewards."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..envs import Game, get_game
from ..envs.compiled import records
from ..envs.kernels import fill_standing
from ..envs.rng import seed_bits
from .inference import pick
from .policy import NO_ACTION, Batch, temperature


class NetworkPolicy:
    """A policy that picks by a network's logits; a subclass computes these and the value head.

    `card` says of which game it is, and how it was trained.
    """

    def __init__(self, card: Mapping[str, Any], mode: str | float = "sample", seed: int = 0):
        self.name = f"{card['game']} step {card['step']}"
        self.game: Game = get_game(card["game"])
        self.card = card
        self.mode = mode
        self.rng = np.random.default_rng(seed_bits(seed))
        self._temperature = temperature(mode)

    def act(self, batch: Batch) -> np.ndarray:
        """Return a legal action for each decision, int64[B], picked as the mode says."""
        actions = np.empty(len(batch.seat), np.int64)
        draws = self.rng.random(len(actions)) if self._temperature else np.zeros(len(actions))
        if not pick(self.logits(batch), batch.mask, self._temperature, draws, actions):
            raise ValueError(self._broken("logits") if batch.mask.any(1).all() else NO_ACTION)
        return actions

    def probabilities(self, batch: Batch) -> np.ndarray:
        """Return the network's probabilities (temperature 1 in every mode), float32[B, A]."""
        logits = np.where(batch.mask, self._finite(self.logits(batch), "logits"), -np.inf)
        chances = np.exp(logits - logits.max(1, keepdims=True))
        return (chances / chances.sum(1, keepdims=True)).astype(np.float32)

    def values(self, batch: Batch) -> np.ndarray:
        """Return the reward that the network expects for each acting seat, float32[B]."""
        standing = np.empty(len(batch.seat), np.float32)
        games = np.arange(len(standing))
        fill_standing(records(batch.states), games, self.game.score_scale, standing)
        return standing + self._finite(self.added(batch), "value")

    def logits(self, batch: Batch) -> np.ndarray:
        """Return the logit of every action, float32[B, A]; those of illegal ones mean nothing."""
        raise NotImplementedError

    def added(self, batch: Batch) -> np.ndarray:
        """Return what the value head expects to be added to each seat's standing, float32[B]."""
        raise NotImplementedError

    def check_game(self, batch: Batch) -> None:
        """Raise ValueError if these are decisions of another game."""
        if batch.game.name != self.game.name:
            raise ValueError(f"policy {self.name!r} plays {self.game.name}, not {batch.game.name}")

    def _finite(self, outputs: np.ndarray, name: str) -> np.ndarray:
        if not np.isfinite(outputs).all():
            raise ValueError(self._broken(name))
        return outputs

    def _broken(self, name: str) -> str:
        return f"policy {self.name!r}: the network's {name} holds NaN or infinity"
