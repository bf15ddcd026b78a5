"""The two policies that need no training: uniformly random, and each game's scripted player."""

import numpy as np

from ..envs import Game
from ..envs.compiled import records
from ..envs.kernels import heuristic_actions
from ..envs.rng import seed_bits
from .policy import NO_ACTION, Batch


class RandomPolicy:
    """Every legal action with the same probability."""

    name = "random"

    def __init__(self, game: Game | None = None, seed: int = 0) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed_bits(seed))

    def act(self, batch: Batch) -> np.ndarray:
        """Return a legal action for each decision, int64[B]."""
        legal = batch.mask.ravel().nonzero()[0]  # all legal actions, row by row
        counts = batch.mask.sum(1, dtype=np.int64)
        if not counts.all():
            raise ValueError(NO_ACTION)
        draws = (self.rng.random(len(counts)) * counts).astype(np.int64)
        return legal[counts.cumsum() - counts + draws] % batch.mask.shape[1]


class HeuristicPolicy:
    """The game's scripted player (see its rules), which looks at the acting seat's view alone."""

    name = "heuristic"

    def __init__(self, game: Game | None = None, seed: int = 0) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed_bits(seed))  # it draws nothing

    def act(self, batch: Batch) -> np.ndarray:
        """Return a legal action for each decision, int64[B]."""
        actions = np.empty(len(batch.seat), np.int64)
        heuristic_actions(records(np.array(batch.states)), actions)  # a copy: it tries moves there
        return actions
