"""Pompeji, 2 to 4 seats: `GAME` is its handle, `env`, `raw_env` are for PettingZoo."""

from functools import partial

from ... import GAME_VERSIONS
from .. import aec
from ..dispatch import Rules
from ..game import Game, Option
from . import document, encoding, heuristic, rules

GAME = Game(
    name="pompeji",
    title="Pompeji",
    version=GAME_VERSIONS["pompeji"],
    players=range(2, rules.MAX_PLAYERS + 1),
    default_players=2,
    options={
        "permits": Option(1, (1, 2), "special building permits of each seat", "permits_option"),
        "values": Option(
            "latin",
            ("latin", "building"),
            "numbers on the cards: 1 to 7 for each building and each colour, or one a building",
            "values_option",
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
    secret_actions=rules.SECRET_ACTIONS,
)

env, raw_env = partial(aec.env, GAME), partial(aec.raw_env, GAME)
"""For PettingZoo: inside its usual wrappers, and bare. Both take the arguments of `aec.GameEnv`."""
