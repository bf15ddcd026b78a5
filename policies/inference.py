"""The compiled parts of a network's forward pass."""

import numpy as np

from ..envs.compiled import njit


@njit
def sparse_layer(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, out: np.ndarray) -> None:
    """Write `x @ weight + bias` into `out`; inputs that are 0, most of an observation, are free."""
    for row in range(x.shape[0]):
        out[row] = bias
        for column in range(x.shape[1]):
            value = x[row, column]
            if value != 0:
                for unit in range(weight.shape[1]):  # as a loop it needs no temporary array
                    out[row, unit] += value * weight[column, unit]


@njit
def pick(
    logits: np.ndarray,
    mask: np.ndarray,
    temperature: float,
    draws: np.ndarray,
    actions: np.ndarray,
) -> bool:
    """Fill `actions`, int64[B]: each by its draw in [0, 1), or the likeliest at temperature 0.

    Returns False if a row has no legal action, or a logit of one that is NaN or infinite.
    """
    for row in range(actions.size):
        legal = np.flatnonzero(mask[row])
        if legal.size == 0:
            return False
        scores = logits[row][legal].astype(np.float64)
        if not np.isfinite(scores.sum()):
            return False
        best = scores.argmax()
        actions[row] = legal[best]
        if temperature > 0:
            chances = np.exp((scores - scores[best]) / temperature).cumsum()
            place = np.searchsorted(chances, draws[row] * chances[-1], "right")
            actions[row] = legal[place]
    return True
