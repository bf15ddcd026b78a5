"""Settings of all tests: hypothesis' profile and how many games a test plays."""

from collections.abc import Callable

import hypothesis
import pytest

from . import contract_helpers

hypothesis.settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True)
many = contract_helpers.games(10, 1000)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=many)
hypothesis.settings.load_profile("soak" if contract_helpers.SOAK else "quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Trace no test a second time that the plain Python run has traced: it adds nearly half."""
    for item in items:
        if contract_helpers.JIT and item.get_closest_marker("plain"):
            item.add_marker("no_cover")


@pytest.fixture(scope="session")
def games() -> Callable[[int, int], int]:
    """`games(small, large)`: small in `make test`, large in `make soak`."""
    return contract_helpers.games
