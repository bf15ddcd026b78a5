"""What the games' observations share."""

import numpy as np

from .compiled import njit


@njit
def relative(s: np.record, seat: int, observer: int) -> int:
    """Return how many places `seat` sits clockwise of `observer`."""
    return seat - observer if seat >= observer else seat - observer + s.players
