"""Compilation of the engine: Numba's `njit` with a cache folder that cannot serve stale code.

Numba's own cache notices an edit of the file that a function stands in, but not of the functions
it calls in other files, nor a change of `NUMBA_BOUNDSCHECK`. Here the cache folder is named by a
hash of all of that, so a changed source is a new folder.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numba.core.config
import numpy as np
import platformdirs

config: Any = numba.core.config  # its attributes are made at run time
JIT: bool = not config.DISABLE_JIT
"""False under `NUMBA_DISABLE_JIT=1`: every engine function then runs as plain Python."""

PACKAGE = Path(__file__).resolve().parent.parent
UNUSED_DAYS = 30  # a cache folder that nobody used for so long is removed

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _source_files() -> list[Path]:
    """Return the files that kernels depend on: all of `envs`, elsewhere those with `njit`."""
    others = [file for name in ("policies", "training") for file in (PACKAGE / name).rglob("*.py")]
    compiled = [file for file in others if b"njit" in file.read_bytes()]
    return sorted([*(PACKAGE / "envs").rglob("*.py"), *compiled])


def _fingerprint() -> str:
    """Hash what compiled code depends on: the sources, Numba's version, the bounds check."""
    digest = hashlib.sha256(f"{numba.__version__} {bool(config.BOUNDSCHECK)}".encode())
    for file in _source_files():
        digest.update(str(file.relative_to(PACKAGE)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:20]


def _cache_folder() -> str:
    """Make and return this version's cache folder, below `NUMBA_CACHE_DIR` if that is set.

    A temporary folder where neither can be written: Numba would silently use one without the hash.
    """
    home = config.CACHE_DIR or platformdirs.user_cache_dir("emberdeck", appauthor=False)
    parent = Path(home) / "emberdeck-kernels"
    folder = parent / _fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # its age is the time of the last use
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return tempfile.mkdtemp(prefix="emberdeck-kernels-")
    for other in parent.iterdir():
        with suppress(OSError):  # another process removes it too
            if time.time() - other.stat().st_mtime > UNUSED_DAYS * 86400:
                shutil.rmtree(other)
    return str(folder)


CACHE_FOLDER = _cache_folder() if JIT else ""


@overload
def njit(function: _Function) -> _Function: ...
@overload
def njit(*, nogil: bool) -> Callable[[_Function], _Function]: ...
def njit(function: Any = None, *, nogil: bool = False) -> Any:
    """Compile `function` with `numba.njit`, cached in the package's own folder.

    Engine code never divides by zero, so the checks for it are left out (`error_model`). With
    `nogil`, `@njit(nogil=True)`, other Python threads run while the function does.

    Numba fixes a function's cache folder while it is decorated, so its setting is changed for the
    length of this call only: other people's kernels keep theirs.
    """
    if function is None:
        return partial(njit, nogil=nogil)
    if not JIT:
        return function
    previous = config.CACHE_DIR
    config.CACHE_DIR = CACHE_FOLDER
    try:
        return numba.njit(cache=True, nogil=nogil, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = previous


def records(array: np.ndarray) -> np.ndarray:
    """Return `array` (structured, any shape) so that its elements have their fields as attributes.

    Compiled code needs nothing for that; plain Python needs a `np.recarray` view.
    """
    return array if JIT else array.view(np.recarray)
