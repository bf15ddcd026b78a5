"""The PettingZoo environment: masks, turns, endings, spaces, drawing.

The O-numbers are those of known complaints about comparable projects.
"""

import random
import re
from typing import NamedTuple

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils import random_demo
from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel
from pettingzoo.utils.env_logger import EnvLogger

from emberdeck.envs import Game, IllegalAction

from .contract_helpers import canonical, games, run_python
from .test_conformance import both_envs, every_game, every_setup, make, play


def decisions(env, seed: int):
    """Play one game at random and show the acting agent before each decision."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        yield env.agent_selection
        env.step(rng.choice(env.unwrapped.game_state.legal_actions()))


def an_illegal_action(env) -> int:
    return int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])


@both_envs
@every_setup
def test_masks(game, players, options, kind):
    """O-3, O-4: int8 zeros and ones, the engine's legal list for the acting seat, else all zero."""
    env = make(game, kind, players=players, **options)
    for seed in range(games(2, 50)):
        for actor in decisions(env, seed):
            for agent in env.agents:
                mask = env.observe(agent)["action_mask"]
                assert mask.dtype == np.int8
                assert mask.shape == (game.num_actions,)
                expected = env.unwrapped.game_state.legal_actions() if agent == actor else []
                assert np.flatnonzero(mask).tolist() == expected
                assert set(mask.tolist()) <= {0, 1}
                assert (env.infos[agent]["action_mask"] == mask).all()
                if agent == actor:
                    assert mask[env.action_space(agent).sample(mask)] == 1
        for agent in env.possible_agents:
            assert not env.observe(agent)["action_mask"].any()
            assert not env.infos[agent]["action_mask"].any()


@every_setup
def test_observe_changes_nothing(game, players, options):
    """O-5: any agent, any time, as often as one likes, in arrays of one's own."""

    def history(look: bool) -> list:
        env = make(game, "raw_env", players=players, **options)
        bytes_of_states = []
        for _ in decisions(env, 5):
            bytes_of_states.append(env.game_state.array.tobytes())
            for agent in env.agents if look else ():
                first, second = env.observe(agent), env.observe(agent)
                for name in first:
                    assert (first[name] == second[name]).all()
                    first[name][:] = 1
                    assert (env.observe(agent)[name] == second[name]).all()
        return bytes_of_states

    assert history(look=True) == history(look=False)


@every_game
def test_masks_given_out_may_be_overwritten(game):
    """O-5: the environment goes by its own legal list, not by the arrays it gave away."""
    env = make(game, "raw_env")
    env.reset(seed=0)
    illegal = an_illegal_action(env)
    env.last()[0]["action_mask"][:] = 1
    env.last()[4]["action_mask"][:] = 1
    with pytest.raises(IllegalAction):
        env.step(illegal)


@every_setup
@pytest.mark.parametrize("finish", [True, False], ids=["dead-steps", "reset-at-once"])
def test_the_game_after_an_illegal_action_is_a_fresh_one(game, players, options, finish):
    """O-10: in `env()` an illegal action ends the game, mover -1, others 0; no trace is left."""
    env = make(game, "env", players=players, **options)
    for seed in range(games(5, 50)):
        env.reset(seed=seed)
        for _ in range(seed % 7):
            env.step(env.unwrapped.game_state.legal_actions()[0])
        mover = env.agent_selection
        env.step(an_illegal_action(env))
        assert all(env.terminations.values())
        assert all(env.truncations.values())  # PettingZoo's wrapper sets both
        rewards = {agent: -1 if agent == mover else 0 for agent in env.possible_agents}
        assert env.rewards == rewards
        for agent in env.agent_iter():
            observation, reward, *_ = env.last()
            assert reward == rewards.pop(agent)
            assert not observation["action_mask"].any()
            env.step(None)
            if not finish:
                break
        assert not (finish and rewards)
        env.reset(seed=seed)
        fresh = make(game, "env", players=players, **options)
        fresh.reset(seed=seed)
        assert env.unwrapped.game_state.to_dict() == fresh.unwrapped.game_state.to_dict()
        assert play(env, seed) == play(fresh, seed)


@pytest.mark.parametrize("action", [-1, 10**6, 1.0, None, "play 1"])
@every_game
def test_raw_env_refuses_an_illegal_action_and_stays_as_it_was(game, action):
    env = make(game, "raw_env")
    env.reset(seed=0)
    for wrong in (action, an_illegal_action(env)):
        before = canonical(env.game_state.to_dict()), env.agent_selection
        with pytest.raises(IllegalAction):
            env.step(wrong)
        assert (canonical(env.game_state.to_dict()), env.agent_selection) == before
    assert not any(env.terminations.values())


@every_setup
def test_random_demo(game, players, options, capsys):
    """O-12: PettingZoo's own random player makes no illegal move."""
    EnvLogger.flush()
    random.seed(0)
    env = make(game, "env", players=players, **options)
    random_demo(env, render=False, episodes=games(2, 50))
    assert EnvLogger.mqueue == []
    assert "Average total reward" in capsys.readouterr().out


@both_envs
@every_setup
def test_the_end(game, players, options, kind):
    """O-13, O-19: rewards for all in one step, then one dead step an agent, then nobody is left."""
    env = make(game, kind, players=players, reward="score", **options)
    for seed in range(games(2, 50)):
        for _ in decisions(env, seed):
            assert env.agents == env.possible_agents
            for values in (env.terminations, env.truncations):
                assert values == dict.fromkeys(env.agents, False)
            assert env.rewards == dict.fromkeys(env.agents, 0)
            assert set(env.infos) == set(env.agents)
        outcome = dict(zip(env.agents, env.unwrapped.game_state.rewards("score"), strict=True))
        assert env.rewards == outcome
        done = []
        for agent in env.agent_iter():
            for values in (env.rewards, env.terminations, env.truncations, env.infos):
                assert set(values) == set(env.agents)
            _, reward, terminated, truncated, _ = env.last()
            assert (reward, terminated, truncated) == (outcome[agent], True, False)
            with pytest.raises(ValueError, match="only valid action is None"):
                env.step(0)
            env.step(None)
            done.append(agent)
        assert sorted(done) == sorted(env.possible_agents)
        assert env.agents == []


@every_setup
def test_several_decisions_in_a_turn(game, players, options):
    """O-14: the agent follows the engine's acting seat; nobody is skipped or doubled."""
    env = make(game, "raw_env", players=players, **options)
    continued = 0
    for seed in range(games(2, 50)):
        twin = game.new(players, options, seed)
        rng = random.Random(seed)
        env.reset(seed=seed)
        while not twin.over:
            agent, phase, mask = env.agent_selection, twin.phase, env.last()[0]["action_mask"]
            assert agent == f"player_{twin.to_act}"
            action = rng.choice(twin.legal_actions())
            twin.apply(action)
            env.step(action)
            if env.agent_selection == agent and not twin.over:
                assert twin.phase == phase or (env.last()[0]["action_mask"] != mask).any()
                continued += 1
        assert all(env.terminations.values())
    assert continued


@every_setup
def test_conversion_to_parallel(game, players, options):
    """O-15: only PettingZoo's turn-based wrapper converts such a game."""
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(make(game, "env", players=players, **options))
    env = make(game, "env", players=players, **options)
    assert env.metadata["is_parallelizable"] is False
    parallel = turn_based_aec_to_parallel(env)
    rng = np.random.default_rng(0)
    for seed in range(games(1, 20)):
        observations, _ = parallel.reset(seed=seed)
        rewards = {}
        while parallel.agents:
            actions = {
                agent: rng.choice(np.flatnonzero(seen["action_mask"]))
                for agent, seen in observations.items()
                if seen["action_mask"].any()
            }
            assert len(actions) == 1
            observations, rewards, *_ = parallel.step(actions)
        assert list(rewards.values()) == env.unwrapped.game_state.rewards("win")


@both_envs
@every_game
def test_spaces(game, kind):
    """O-16: one and the same object at each call, another one for each agent."""
    env = make(game, kind)
    for space in (env.observation_space, env.action_space):
        assert all(space(agent) is space(agent) for agent in env.possible_agents)
        assert len({id(space(agent)) for agent in env.possible_agents}) == len(env.possible_agents)
        assert all(space(agent) == space("player_0") for agent in env.possible_agents)
        space("player_1").seed(7)
        undisturbed = [str(space("player_1").sample()) for _ in range(5)]
        space("player_1").seed(7)
        space("player_0").seed(8)
        assert [str(space("player_1").sample()) for _ in range(5)] == undisturbed


@both_envs
@every_setup
def test_agents(game, players, options, kind):
    """O-17: names, not numbers; `possible_agents` never changes."""
    env = make(game, kind, players=players, **options)
    expected = [f"player_{seat}" for seat in range(players)]
    assert env.possible_agents == expected
    for _ in decisions(env, 1):
        assert env.possible_agents == expected
    for _ in env.agent_iter():
        env.step(None)
    assert env.possible_agents == expected


@every_game
def test_a_time_limit_truncates(game):
    """O-19: Gymnasium's step limit is reported as truncation, never as a loss."""
    env = gymnasium.make(f"emberdeck/{game.name}-v{game.version}", max_episode_steps=2)
    env.reset(seed=0)
    for step in (1, 2):
        legal = np.flatnonzero(env.unwrapped.action_masks())
        _, reward, terminated, truncated, _ = env.step(int(legal[0]))
        assert (reward, terminated, truncated) == (0, False, step == 2)
    env.close()


WITHOUT_A_DISPLAY = """
import os
import sys

sys.modules["pygame"] = None  # importing it now fails
import numpy as np
import pettingzoo
import emberdeck

for mode in ("rgb_array", "ansi", "human"):
    env = pettingzoo.make("aec", os.environ["ENV_ID"], render_mode=mode)
    env.reset(seed=0)
    for _ in range(8):
        env.step(env.unwrapped.game_state.legal_actions()[0])
    picture = env.render()
    if mode == "rgb_array":
        assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    elif mode == "ansi":
        assert "player_0" in picture
    else:
        assert picture is None
    env.close()
    env.close()
"""


@every_game
def test_drawing_needs_no_display(game):
    """O-25: no display, no SDL, no pygame."""
    nothing = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "SDL_VIDEODRIVER": "none"}
    env_id = f"emberdeck/{game.name}-v{game.version}"
    assert "player_0" in run_python(WITHOUT_A_DISPLAY, ENV_ID=env_id, **nothing)


@every_setup
def test_drawing_shows_the_acting_seats_view(game, players, options):
    env = make(game, "raw_env", players=players, render_mode="ansi", **options)
    for _ in decisions(env, 2):
        state = env.game_state
        assert env.render() == game.drawing.text(state.view(state.to_act))
    assert env.render() == game.drawing.text(env.game_state.spectator_view())


@every_game
def test_drawing_without_a_mode_warns(game):
    env = make(game, "raw_env")
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def wrong_arguments(game: Game) -> list[tuple[dict, list[str]]]:
    """Return wrong arguments of an environment, each with the words its error must contain."""
    allowed = [str(players) for players in game.players]
    wrong: list[tuple[dict, list[str]]] = [
        ({"players": players}, ["players", *allowed])
        for players in (0, -1, game.players.start - 1, game.players.stop, 2.5, "2", True)
    ]
    wrong += [({"no_such_option": 1}, ["no_such_option", *game.options])]
    for name, option in game.options.items():
        wrong += [({name: "nonsense"}, [name, "nonsense", *map(str, option.values)])]
    wrong += [({"reward": "money"}, ["reward", "win", "rank", "score", "money"])]
    wrong += [({"render_mode": "hologram"}, ["render_mode", "ansi", "rgb_array", "human"])]
    return wrong


@every_game
def test_action_spaces_hold_what_gymnasiums_hold(game):
    n = game.num_actions
    ours, theirs = make(game, "raw_env").action_space("player_0"), gymnasium.spaces.Discrete(n)
    assert ours == theirs
    for value in (
        0,
        n - 1,
        n,
        -1,
        2**70,
        True,
        1.0,
        None,
        "1",
        np.int64(3),
        np.int8(-1),
        np.array(2),
    ):
        assert ours.contains(value) == theirs.contains(value), value
        assert isinstance(ours.contains(value), bool)


@every_game
def test_wrong_arguments(game):
    """O-26: refused at construction, with what is allowed."""
    for arguments, words in wrong_arguments(game):
        for kind in ("env", "raw_env"):
            with pytest.raises(ValueError, match=re.escape(words[0])) as caught:
                make(game, kind, **arguments)
            assert all(word.lower() in str(caught.value).lower() for word in words)
        with pytest.raises(ValueError, match=re.escape(words[0])):
            pettingzoo.make("aec", f"emberdeck/{game.name}", **arguments)


class SeatKeys(NamedTuple):
    """Where a document names seats: paths from its top, or from a list's element."""

    one: frozenset[str] | set[str] = frozenset()  # names of keys at any depth: a seat or None
    ordered: frozenset[str] | set[str] = frozenset()  # a list of seats
    ascending: frozenset[str] | set[str] = frozenset()  # a list of seats in ascending order
    by_seat: frozenset[str] | set[str] = frozenset()  # a list with one element a seat


SEAT_KEYS = {
    "pumafiosi": SeatKeys(
        one={"to_act", "start_seat", "owner", "co_owner"},
        ordered={"age_order"},
        by_seat={"scores", "wealth", "penalty", "items", "hands", "piles", "table", "played"},
    ),
    "pompiers": SeatKeys(
        one={"to_act", "dealer", "chooser", "leader", "winner"},
        ascending={"met", "flipped"},
        by_seat={"scores", "acquired", "chips", "hands", "placed"},
    ),
    "pompeji": SeatKeys(one={"to_act", "turn"}, by_seat={"scores", "hands", "statues", "permits"}),
    "fire_bulls": SeatKeys(
        one={"to_act", "start", "by"},
        by_seat={
            *("scores", "colors", "bulls", "hands", "swapped"),
            *("drawn", "known", "beaten", "stolen.cards"),
        },
    ),
}


def renumbered(value, path: str, keys: SeatKeys, players: int):
    """Return part of a document with every seat s renumbered to s + 1 (mod `players`)."""
    if path.split(".")[-1] in keys.one:
        return None if value is None else (value + 1) % players
    if path in keys.ordered:
        return [(seat + 1) % players for seat in value]
    if path in keys.ascending:
        return sorted((seat + 1) % players for seat in value)
    if isinstance(value, dict):
        return {
            name: renumbered(part, f"{path}.{name}".lstrip("."), keys, players)
            for name, part in value.items()
        }
    if isinstance(value, list):
        parts = [renumbered(part, "", keys, players) for part in value]
        return parts[-1:] + parts[:-1] if path in keys.by_seat else parts
    return value


@every_setup
def test_seats_see_themselves_first(game, players, options):
    """O-21: with all seats renumbered, the next seat observes what this seat observed."""
    env = make(game, "raw_env", players=players, **options)
    for seed in range(games(1, 20)):
        for _ in decisions(env, seed):
            document = env.game_state.to_dict()
            turned = game.from_dict(renumbered(document, "", SEAT_KEYS[game.name], players))
            for seat in range(players):
                seen = turned.observation((seat + 1) % players)
                assert seen.tobytes() == env.game_state.observation(seat).tobytes()
            assert turned.legal_actions() == env.game_state.legal_actions()
