"""The compiled parts of a network's forward pass."""

import numpy as np

from ..envs.compiled import njit


@njit
def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, out: np.ndarray) -> None:
    """Write `x @ weight + bias` into `out`; inputs that are 0, most of an observation, are free.

    `x` [inputs], `weight` [inputs * outputs] in rows of one input each, `bias` and `out` [outputs].
    """
    units = bias.size
    used = np.empty(x.size, np.int64)  # the inputs that are not 0
    count = 0
    for index in range(x.size):  # without a branch, which no processor could predict
        used[count] = index
        count += x[index] != 0
    for unit in range(units):  # as loops they need no temporary arrays
        out[unit] = bias[unit]
    fours = count - count % 4
    for place in range(0, fours, 4):  # four inputs at a time: a sum is loaded and stored once
        i, j, k, m = used[place], used[place + 1], used[place + 2], used[place + 3]
        x1, x2, x3, x4 = x[i], x[j], x[k], x[m]
        row1, row2 = weight[i * units : (i + 1) * units], weight[j * units : (j + 1) * units]
        row3, row4 = weight[k * units : (k + 1) * units], weight[m * units : (m + 1) * units]
        for unit in range(units):
            out[unit] += x1 * row1[unit] + x2 * row2[unit] + x3 * row3[unit] + x4 * row4[unit]
    for i in used[fours:count]:
        row = weight[i * units : (i + 1) * units]
        for unit in range(units):
            out[unit] += x[i] * row[unit]


@njit
def linear_batch(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, out: np.ndarray) -> None:
    """Apply `linear` to every row of `x` [B, inputs]; `weight` [inputs, outputs]."""
    flat = weight.ravel()
    for row in range(len(x)):
        linear(x[row], flat, bias, out[row])


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
