"""Run the command `emberdeck` with a signal at a chosen moment: WHERE COUNT SIGNAL ARGUMENTS..."""

import os
import signal
import sys

import torch

import emberdeck.training.evaluate
import emberdeck.training.learn
from emberdeck.scripts.__main__ import main

MOMENTS = {
    "rollout": (emberdeck.training.learn.Keeper, "_on_step"),
    "update": (torch.optim.Adam, "step"),
    "evaluation": (emberdeck.training.evaluate, "play"),
    "save": (os, "fsync"),
}


def signal_at(where: str, count: int, number: int) -> None:
    """Send this process signal `number` in the `count`th call of the function at `where`."""
    owner, name = MOMENTS[where]
    function = getattr(owner, name)
    calls = 0

    def counted(*args, **kwargs):
        nonlocal calls
        calls += 1
        if calls == count:
            os.kill(os.getpid(), number)
        return function(*args, **kwargs)

    setattr(owner, name, counted)


if __name__ == "__main__":
    signal_at(sys.argv[1], int(sys.argv[2]), signal.Signals[sys.argv[3]])
    sys.exit(main(sys.argv[4:]))
