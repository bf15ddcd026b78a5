"""Compile what all tests need, one process a game: else each test process would compile all of it.

    python -m tests.warm_cache

Has no effect where the kernel cache already holds it.
"""

from concurrent.futures import ProcessPoolExecutor

from emberdeck.envs import GAMES

from .contract_helpers import batch_fingerprint, every_setup, fingerprint


def warm(name: str) -> None:
    """Call every kernel for the game of that name."""
    setup = next(setup for setup in every_setup() if setup.game.name == name)
    fingerprint(setup, seed=0)
    batch_fingerprint(setup, seed=0)


if __name__ == "__main__":
    with ProcessPoolExecutor() as pool:
        list(pool.map(warm, GAMES))
