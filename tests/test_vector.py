"""VectorGame: what it shows of every game is what the single states say."""

import copy
import pickle

import numpy as np
import pytest

from emberdeck.envs import GAMES, IllegalAction
from emberdeck.envs.compiled import JIT, records
from emberdeck.envs.game import REWARDS
from emberdeck.envs.kernels import playouts
from emberdeck.envs.rng import GENERATOR
from emberdeck.envs.vector import VectorGame

from .contract_helpers import setups_of_every_size

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
each_setup = pytest.mark.parametrize("setup", setups_of_every_size(), ids=lambda setup: setup.label)


def random_actions(vector: VectorGame, rng: np.random.Generator) -> np.ndarray:
    """Pick a uniformly random legal action in each game."""
    return (vector.mask * rng.random(vector.mask.shape)).argmax(axis=1)


@each_setup
def test_shows_what_the_single_games_show(setup):
    """Three games to their end, in lock-step and one by one."""
    vector = VectorGame(setup.game, 3, setup.players, setup.options, seed=[4, 5, 6])
    states = [setup.game.new(setup.players, setup.options, seed) for seed in (4, 5, 6)]
    rng = np.random.default_rng(0)
    while running := [index for index, state in enumerate(states) if not state.over]:
        actions = random_actions(vector, rng)
        for index in running:
            state = states[index]
            assert vector.seat[index] == state.to_act
            assert np.array_equal(vector.mask[index], state.mask())
            assert np.array_equal(vector.observation[index], state.observation(state.to_act))
            assert setup.game.wrap(vector.states[index]) == state
            state.apply(int(actions[index]))
        vector.step(actions)
        assert [vector.done[index] for index in running] == [states[i].over for i in running]


@pytest.mark.plain
@pytest.mark.parametrize("reward", REWARDS)
@every_game
def test_a_finished_game_tells_its_outcome_and_the_next_begins(game, reward):
    vector = VectorGame(game, 2, seed=3, reward=reward)
    rng = np.random.default_rng(1)
    finished = 0
    while finished < (5 if JIT else 1):
        actions = random_actions(vector, rng)
        states = [game.wrap(record) for record in vector.states]
        vector.step(actions)
        for index, state in enumerate(states):
            state.apply(int(actions[index]))
            assert vector.done[index] == state.over
            if state.over:
                finished += 1
                assert vector.reward[index].tolist() == state.rewards(reward)
                assert vector.final_scores[index].tolist() == state.scores()
                assert np.flatnonzero(vector.place[index] == 0).tolist() == state.winners()
                assert game.wrap(vector.states[index]).options == state.options
            else:
                assert not vector.reward[index].any()
                assert not vector.final_scores[index].any()
                assert not vector.place[index].any()
                assert game.wrap(vector.states[index]) == state


@pytest.mark.plain
@every_game
def test_playouts_end_every_game_and_count_its_decisions(game):
    states = np.array(VectorGame(game, 3, seed=2).states)
    generator = records(np.zeros(1, GENERATOR))
    decisions = playouts(records(states), generator, np.zeros(game.num_actions, np.int8))
    assert all(game.wrap(record).over for record in states)
    assert decisions >= 3 * 2
    assert generator["rng"][0] != 0


@every_game
def test_lengths_count_decisions_of_one_game(game):
    vector = VectorGame(game, 4, seed=9)
    rng, counted = np.random.default_rng(2), np.zeros(4, int)
    for _ in range(400):
        vector.step(random_actions(vector, rng))
        counted += 1
        assert np.array_equal(vector.length, counted)
        counted[vector.done] = 0


@every_game
def test_a_seed_gives_the_same_games_one_after_the_other_and_no_two_alike(game):
    first, second = (VectorGame(game, 6, seed=11) for _ in range(2))
    other = VectorGame(game, 6, seed=12)
    assert first.states.tobytes() == second.states.tobytes() != other.states.tobytes()
    assert len({record.tobytes() for record in first.states}) == 6
    rng = np.random.default_rng(3)
    for _ in range(400):
        actions = random_actions(first, rng)
        first.step(actions)
        second.step(actions)
    assert first.states.tobytes() == second.states.tobytes()
    assert first.observation.tobytes() == second.observation.tobytes()


@pytest.mark.plain
@every_game
def test_illegal_actions_change_nothing_and_name_the_game(game):
    vector = VectorGame(game, 3, seed=1)
    before = pickle.dumps(vector)
    legal = vector.mask.argmax(axis=1)
    illegal = (vector.mask[1] == 0).argmax()
    for wrong in (illegal, -1, game.num_actions, 2**40):
        actions = legal.copy()
        actions[1] = wrong
        with pytest.raises(IllegalAction, match=r"^game 1: action"):
            vector.step(actions)
    for bad in (legal[:2], legal.astype(float), [*legal.tolist(), 0], [None] * 3):
        with pytest.raises(IllegalAction, match="3 ints"):
            vector.step(bad)
    assert pickle.dumps(vector) == before
    vector.step(legal.tolist())  # a list of ints will do


@every_game
def test_what_is_shown_cannot_be_written(game):
    vector = VectorGame(game, 2)
    for name in ("states", "seat", "observation", "mask", "reward", "done", "place", "length"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(vector, name)[:] = getattr(vector, name)


@every_game
def test_copies_pickles_and_snapshots_play_on_identically(game):
    vector = VectorGame(game, 4, seed=21)
    rng = np.random.default_rng(4)
    for _ in range(70):
        vector.step(random_actions(vector, rng))
    restored = VectorGame(game, 4, seed=0)
    restored.restore(vector.snapshot())
    twins = [copy.deepcopy(vector), pickle.loads(pickle.dumps(vector)), restored]
    for _ in range(200):
        actions = random_actions(vector, rng)
        vector.step(actions)
        for twin in twins:
            twin.step(actions)
    for twin in twins:
        for name in ("states", "observation", "mask", "reward", "final_scores", "place", "length"):
            assert getattr(twin, name).tobytes() == getattr(vector, name).tobytes()


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="num_games must be at least 1, not 0"):
        VectorGame("pumafiosi", 0)
    with pytest.raises(ValueError, match="reward must be one of win, rank, score"):
        VectorGame("pumafiosi", 1, reward="money")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2 of them"):
        VectorGame("pumafiosi", 2, seed=[1])
    with pytest.raises(ValueError, match="no game 'chess'"):
        VectorGame("chess", 1)
    with pytest.raises(ValueError, match="holds 2 games, not 3"):
        VectorGame("pumafiosi", 3).restore(VectorGame("pumafiosi", 2).snapshot())
