"""Fire Bulls, 2 to 5 seats: `GAME` is its handle, `env`, `raw_env` are for PettingZoo."""

from functools import partial

from ... import GAME_VERSIONS
from .. import aec
from ..dispatch import Rules
from ..game import Game, Option
from . import document, encoding, heuristic, rules

GAME = Game(
    name="fire_bulls",
    title="Fire Bulls",
    version=GAME_VERSIONS["fire_bulls"],
    players=range(2, rules.MAX_PLAYERS + 1),
    default_players=3,
    options={
        "reach": Option(
            "graded", rules.REACHES, "Yen cards in one attack, by distance from the bull", "reach"
        ),
    },
    phases=rules.PHASES,
    action_names=rules.ACTION_NAMES,
    observation_blocks=encoding.BLOCKS,
    state_dtype=rules.STATE,
    score_scale=rules.SCORE_SCALE,
    rules=Rules(
        init=rules.init,
        legal=rules.legal,
        step=rules.step,
        observe=encoding.observe,
        outcome=rules.outcome,
        determinize=encoding.determinize,
        heuristic=heuristic.heuristic,
    ),
    document=document,
)

env, raw_env = partial(aec.env, GAME), partial(aec.raw_env, GAME)
"""For PettingZoo: inside its usual wrappers, and bare. Both take the arguments of `aec.GameEnv`."""
