"""Pompiers!, 3 to 5 seats: `GAME` is its handle, `env`, `raw_env` are for PettingZoo."""

from functools import partial

from ... import GAME_VERSIONS
from .. import aec
from ..dispatch import Rules
from ..game import AUTO, Game, Option
from . import document, encoding, heuristic, rules, sampling


def eleven_cards(players: int) -> str:
    """Return what "auto" stands for: eleven cards with three seats only (3, R27)."""
    return "on" if players == rules.MIN_PLAYERS else "off"


GAME = Game(
    name="pompiers",
    title="Pompiers!",
    version=GAME_VERSIONS["pompiers"],
    players=range(rules.MIN_PLAYERS, rules.MAX_PLAYERS + 1),
    default_players=4,
    options={
        "eleven_cards": Option(
            AUTO,
            ("off", "on", AUTO),
            "eleven cards a seat, one of them placed for the trump card; "
            "`auto` is `on` with 3 seats, else `off`",
            "eleven_cards",
            eleven_cards,
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
        determinize=sampling.determinize,
        heuristic=heuristic.heuristic,
    ),
    document=document,
    secret_actions=frozenset(range(rules.PLACE_AT, rules.REVEAL_AT)),
)

env, raw_env = partial(aec.env, GAME), partial(aec.raw_env, GAME)
"""For PettingZoo: inside its usual wrappers, and bare. Both take the arguments of `aec.GameEnv`."""
