"""The generator inside a state (SplitMix64, in the field `rng`), and how seeds become one."""

import hashlib
from collections.abc import Sequence

import numpy as np

from .compiled import JIT, njit

# Constants of SplitMix64 (Steele, Lea and Flood, 2014).
GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
# A generator by itself. Without a field of its own it would be the start of every state record,
# and Numba would take states for it.
GENERATOR = np.dtype([("rng", np.uint64), ("alone", np.int16)])
SHIFT_1, SHIFT_2, SHIFT_3, HALF = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def seed_bits(seed: int) -> int:
    """Hash `seed`, any int >= 0, to 64 bits, so that neighbouring seeds give unrelated games.

    Raises ValueError on anything else.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed must be an int >= 0, not {seed!r}")
    return int.from_bytes(hashlib.blake2b(str(int(seed)).encode(), digest_size=8).digest())


def seed_many(seed: int | Sequence[int] | np.ndarray, count: int) -> np.ndarray:
    """Return uint64[count]: the 64 bits of `count` games, from one seed or from one seed a game.

    Raises ValueError on a bad seed or a wrong number of them.
    """
    if isinstance(seed, Sequence | np.ndarray):
        if len(seed) != count:
            raise ValueError(f"seed must be an int or {count} of them, one a game, not {len(seed)}")
        return np.array([seed_bits(one) for one in seed], dtype=np.uint64)
    return np.random.SeedSequence(seed_bits(seed)).generate_state(count, np.uint64)


@njit
def _next_bits(s: np.record) -> np.uint64:
    s.rng += GAMMA
    bits = s.rng
    bits = (bits ^ (bits >> SHIFT_1)) * MIX_1
    bits = (bits ^ (bits >> SHIFT_2)) * MIX_2
    return bits ^ (bits >> SHIFT_3)


if JIT:
    next_bits = _next_bits
else:

    def next_bits(s: np.record) -> np.uint64:
        """Advance the generator of record `s` and return 64 random bits."""
        with np.errstate(over="ignore"):  # plain NumPy warns where uint64 wraps, as it must here
            return _next_bits(s)


@njit
def draw_below(s: np.record, bound: int) -> int:
    """Draw an int in 0..bound-1 (bound up to 2**31) from the generator of record `s`."""
    return int(((next_bits(s) >> HALF) * np.uint64(bound)) >> HALF)


@njit
def shuffle(s: np.record, cards: np.ndarray, count: int) -> None:
    """Put the first `count` elements of `cards` into a uniformly random order (Fisher-Yates)."""
    for last in range(count - 1, 0, -1):
        other = draw_below(s, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
