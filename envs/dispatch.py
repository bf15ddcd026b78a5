"""From a state record to its game's functions, in compiled code and in plain Python.

Generic kernels call the functions below on a record `s` of any game. In compiled code an overload
picks the game by the record's Numba type while the kernel is compiled (so a call costs nothing and
the kernel lands in Numba's disk cache); in plain Python the function's own body does it by dtype.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numba.np.numpy_support import from_dtype


class Rules(NamedTuple):
    """The functions of one game, each compiled with `njit`, on one record `s` of its state."""

    init: Callable[..., None]  # (s, players, options int64[n], seed uint64): `s` arrives zeroed
    legal: Callable[..., None]  # (s, mask int8[A]): for the acting seat; all zero when over
    step: Callable[..., None]  # (s, action): a legal one, up to the next decision or the end
    observe: Callable[..., None]  # (s, seat, out float32[OBS]): from what `seat` may know
    outcome: Callable[..., None]  # (s, scores int64[P], places int64[P]): 0 = a winner
    determinize: Callable[..., None]  # (s, seat, seed uint64): resample what `seat` cannot know
    heuristic: Callable[..., int]  # (s) -> action of the scripted player, from its view alone


_BY_DTYPE: dict[np.dtype, Rules] = {}
_BY_NUMBA_TYPE: dict[Any, Rules] = {}


def register(dtype: np.dtype, rules: Rules) -> None:
    """Make `rules` those of every record of `dtype`."""
    _BY_DTYPE[dtype] = rules
    _BY_NUMBA_TYPE[from_dtype(dtype)] = rules


def _dispatched(name: str) -> Callable[..., Any]:
    """Return the generic form of the rule function `name`."""

    def generic(s: np.record, *args: Any) -> Any:
        return getattr(_BY_DTYPE[s.dtype], name)(s, *args)

    generic.__name__ = generic.__qualname__ = name

    @overload(generic)
    def compiled(s, *args):  # noqa: ARG001 - Numba wants the signature of the lambda, bare
        function = getattr(_BY_NUMBA_TYPE[s], name)
        return lambda s, *args: function(s, *args)

    return generic


init = _dispatched("init")
legal = _dispatched("legal")
step = _dispatched("step")
observe = _dispatched("observe")
outcome = _dispatched("outcome")
determinize = _dispatched("determinize")
heuristic = _dispatched("heuristic")
