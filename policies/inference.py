"""The compiled parts of a network's forward pass."""

import numpy as np

from ..envs.compiled import njit


@njit
def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, out: np.ndarray) -> None:
    """Write `x @ weight + bias` into `out`; inputs that are 0, most of an observation, are free.

    `x` [inputs], `weight` [inputs * outputs] in rows of one input each, `bias` and `out` [outputs].
    """
    units = bias.size
    for unit in range(units):  # as loops they need no temporary arrays
        out[unit] = bias[unit]
    first = next_input(x, 0)
    while first < x.size:  # four inputs at a time: a sum is loaded and stored once for all
        second = next_input(x, first + 1)
        third = next_input(x, second + 1)
        fourth = next_input(x, third + 1)
        after = next_input(x, fourth + 1)
        value1, row1 = input_and_row(x, weight, units, first)
        value2, row2 = input_and_row(x, weight, units, second)
        value3, row3 = input_and_row(x, weight, units, third)
        value4, row4 = input_and_row(x, weight, units, fourth)
        for unit in range(units):
            out[unit] += (
                value1 * row1[unit]
                + value2 * row2[unit]
                + value3 * row3[unit]
                + value4 * row4[unit]
            )
        first = after


@njit
def next_input(x: np.ndarray, index: int) -> int:
    """Return the first index from `index` on whose input is not 0, at least `x.size` if none is."""
    while index < x.size and x[index] == 0:
        index += 1
    return index


@njit
def input_and_row(
    x: np.ndarray, weight: np.ndarray, units: int, index: int
) -> tuple[np.float32, np.ndarray]:
    """Return an input and its row of the weight; beyond the last input 0 and the first row."""
    if index >= x.size:
        return np.float32(0), weight[:units]
    return x[index], weight[index * units : (index + 1) * units]


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
