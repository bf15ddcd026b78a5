"""What the tests of all games' documents share: changes at paths, refusals by key."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from emberdeck.envs import Game


def value_at(document: Any, path: str) -> Any:
    """Return the value at a path such as `hands.0.1`."""
    for key in path.split("."):
        document = document[int(key) if key.isdigit() else key]
    return document


def changed(document: dict, changes: Mapping[str, Any]) -> dict:
    """Return a copy with the values at paths such as `hands.0.1` replaced."""
    document = deepcopy(document)
    for path, value in changes.items():
        above, _, last = path.rpartition(".")
        inner = value_at(document, above) if above else document
        inner[int(last) if last.isdigit() else last] = value
    return document


def swapped(document: dict, one: str, two: str) -> dict[str, Any]:
    """Return the changes that exchange the values at two paths."""
    return {one: deepcopy(value_at(document, two)), two: deepcopy(value_at(document, one))}


def name_of(case: tuple) -> str:
    """Return the test id of a (base, changes, keys) case."""
    base, changes, _ = case
    return f"{base}-{','.join(changes)}"


def assert_refused(game: Game, document: dict, changes: Mapping[str, Any], keys: str) -> None:
    """Check that the changed document is refused with one of `keys`, separated by spaces."""
    broken = changed(document, changes)
    assert repr(broken) != repr(document)
    with pytest.raises(ValueError, match=rf"\b({'|'.join(keys.split())})\b"):
        game.from_dict(broken)
