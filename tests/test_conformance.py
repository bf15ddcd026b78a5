"""PettingZoo's own test kit on every game and player count; in soak runs every option value."""

import copy
import json
import pickle
import warnings
from importlib import import_module

import numpy as np
import pettingzoo
import pytest

from emberdeck.envs import GAMES, Game
from emberdeck.envs.compiled import JIT

from .contract_helpers import games, setups_of_every_size

with warnings.catch_warnings(action="ignore"):  # it imports games of its own, in a deprecated way
    from pettingzoo.test import api_test, render_test, seed_test

# What PettingZoo's `api_test` warns of here, all other warnings being errors: that observations are
# dictionaries (it knows its own games by name), and that an agent that is done has no legal action.
KEPT_WARNINGS = (
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
SETUPS = setups_of_every_size()
if not JIT:  # far slower, and only there to measure coverage: one setup a game
    SETUPS = list({setup.game.name: setup for setup in reversed(SETUPS)}.values())
every_setup = pytest.mark.parametrize(
    ("game", "players", "options"),
    [pytest.param(s.game, s.players, s.options, id=s.label) for s in SETUPS],
)
both_envs = pytest.mark.parametrize("kind", ["env", "raw_env"])


def make(game: Game, kind: str, **arguments):
    """Return `env` or `raw_env` of a game, from its own module."""
    return getattr(import_module(f"emberdeck.envs.{game.name}"), kind)(**arguments)


def play(env, seed: int) -> list:
    """Play `env` from where it is to the end; return all that an agent could see on the way."""
    rng = np.random.default_rng(seed)
    seen = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        picture = [part.tobytes() for part in (*observation.values(), *info.values())]
        seen.append((agent, *picture, reward, terminated, truncated))
        legal = np.flatnonzero(observation["action_mask"])
        env.step(rng.choice(legal) if len(legal) else None)
    return seen


@pytest.mark.filterwarnings(*KEPT_WARNINGS)
@both_envs
@every_setup
def test_api_test(game, players, options, kind, capsys):
    """O-23, O-24."""
    api_test(make(game, kind, players=players, **options), num_cycles=games(100, 1000))
    assert "Passed API test" in capsys.readouterr().out


@both_envs
@every_setup
def test_seed_test(game, players, options, kind):
    """O-18, O-24."""
    seed_test(lambda: make(game, kind, players=players, **options), num_cycles=500)


@every_setup
def test_render_test(game, players, options, capsys):
    """O-24."""
    render_test(
        lambda render_mode: make(game, "env", players=players, render_mode=render_mode, **options)
    )
    assert capsys.readouterr().out  # `human` prints


@both_envs
@every_setup
def test_pickle_and_deepcopy_play_on_identically(game, players, options, kind):
    """O-24: a copy taken at any point of a game sees the same game to its end, and the next one."""
    for moves in range(0, games(12, 60), 6):
        env = make(game, kind, players=players, **options)
        env.reset(seed=moves)
        for _ in range(moves):
            mask = env.last()[0]["action_mask"]
            env.step(int(np.flatnonzero(mask)[-1]) if mask.any() else None)
            if not env.agents:
                break
        copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
        expected = play(env, moves)
        env.reset()  # the environment's own generator is part of the copy
        expected += play(env, moves)
        for other in copies:
            seen = play(other, moves)
            other.reset()
            assert seen + play(other, moves) == expected


@every_setup
def test_seeds(game, players, options):
    """O-18: neighbouring seeds give different deals, the same seed the same one, 0 is a seed."""
    env = make(game, "raw_env", players=players, **options)

    def deal(seed: int | None) -> str:
        env.reset(seed=seed)
        return json.dumps(env.game_state.to_dict())

    deals = [deal(seed) for seed in range(50)]
    assert len(set(deals)) >= 49
    assert [deal(seed) for seed in range(50)] == deals
    assert deal(None) != deal(None)


@every_game
def test_a_seed_fixes_the_resets_that_follow(game):
    """O-18: without a seed a reset draws from the environment's own generator, no global one."""
    first, second = make(game, "env"), make(game, "env")
    first.reset(seed=3)
    second.reset()
    second.reset(seed=3)
    for _ in range(3):
        first.reset()
        second.reset()
        assert first.unwrapped.game_state.to_dict() == second.unwrapped.game_state.to_dict()


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
@every_game
def test_bad_seeds(game, seed):
    env = make(game, "raw_env")
    env.reset(seed=2)
    before = env.game_state.copy()
    with pytest.raises(ValueError, match="seed must be an int >= 0"):
        env.reset(seed=seed)
    assert env.game_state == before


@every_setup
def test_observations_are_in_their_box(game, players, options):
    """O-23."""
    env = make(game, "raw_env", players=players, **options)
    decisions = 0
    rng = np.random.default_rng(0)
    while decisions < games(200, 10_000):
        env.reset(seed=decisions)
        for agent in env.agent_iter():
            observation = env.last()[0]
            space = env.observation_space(agent)
            assert space.contains(observation)
            for name, part in observation.items():
                assert part.dtype == space[name].dtype
                assert np.isfinite(part).all()
            legal = np.flatnonzero(observation["action_mask"])
            env.step(rng.choice(legal) if len(legal) else None)
            decisions += 1


@every_setup
def test_registered_with_pettingzoo(game, players, options):
    env = pettingzoo.make(
        "aec", f"emberdeck/{game.name}-v{game.version}", players=players, reward="rank", **options
    )
    assert env.unwrapped.options == options
    assert len(env.possible_agents) == players
    assert env.unwrapped.reward_kind == "rank"
    assert env.metadata["name"] == f"{game.name}_v{game.version}"
    env.reset(seed=1)
    assert env.unwrapped.game_state == game.new(players, options, seed=1)


@every_game
def test_defaults(game):
    env = make(game, "env")
    assert len(env.possible_agents) == game.default_players
    assert env.unwrapped.options == game.resolve(None, None)[1]
    assert env.unwrapped.reward_kind == "win"
    assert env.render_mode is None
