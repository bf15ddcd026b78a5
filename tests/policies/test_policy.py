"""Names of policies, modes, and what every policy keeps to."""

import json
import pickle
import random

import numpy as np
import pytest

from emberdeck.envs import GAMES, IllegalAction
from emberdeck.envs.compiled import JIT
from emberdeck.envs.vector import VectorGame
from emberdeck.policies.policy import Decisions, ProbabilisticPolicy, load

from .policy_helpers import EVERY_SEAT, GAME_NAMES, decisions, write_bot, write_checkpoint

NETWORKS = ("checkpoint", "exported")
KINDS = ("random", "heuristic", *NETWORKS)


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory):
    """`policies(kind, game, **kwargs)`: a policy of that kind."""
    folder = tmp_path_factory.mktemp("bots")
    write = {"checkpoint": write_checkpoint, "exported": write_bot}

    def make(kind: str, game: str, **kwargs):
        if kind in NETWORKS:
            bot = folder / f"{game}-{kind}"
            if not bot.exists():
                write[kind](bot, GAMES[game])
            kind = str(bot)
        return load(kind, game, **kwargs)

    return make


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_every_decision_of_a_batch_gets_a_legal_action(game, kind, policies):
    policy = policies(kind, game)
    vector = VectorGame(game, 4, seed=1)
    for _ in range(60):
        actions = policy.act(vector)
        assert actions.dtype == np.int64
        assert actions.shape == (4,)
        assert vector.mask[np.arange(4), actions].all()
        vector.step(actions)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("game", "players", "seat"), EVERY_SEAT)
def test_every_policy_plays_at_every_seat(game, players, seat, kind, policies):
    policy, other = policies(kind, game), load("random", seed=seat)
    state = GAMES[game].new(players, seed=seat)
    while not state.over:
        mover = policy if state.to_act == seat else other
        state.apply(mover.act(Decisions.single(state))[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_equal_seeds_act_alike_and_no_global_generator_is_used(game, kind, policies):
    batch = decisions(GAMES[game], 50)
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 (the one not to be used)
    first = [policies(kind, game, seed=5).act(batch) for _ in range(2)]
    random.seed(1)
    again = policies(kind, game, seed=5).act(batch)
    random.setstate(before[0])
    now = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(before[1], now, strict=True))
    assert np.array_equal(first[0], first[1])
    assert np.array_equal(first[0], again)
    if kind != "heuristic":
        assert not np.array_equal(first[0], policies(kind, game, seed=6).act(batch))


@pytest.mark.parametrize("kind", ["random", *NETWORKS])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_batch_is_played_like_its_decisions_one_by_one(game, kind, policies):
    batch = decisions(GAMES[game], 30)
    together, alone = policies(kind, game).act(batch), policies(kind, game)
    single = [alone.act(Decisions.of(batch, np.array([row])))[0] for row in range(30)]
    assert np.array_equal(together, single)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_policy_pickles_with_its_generator(game, kind, policies):
    batch = decisions(GAMES[game], 50)
    policy = policies(kind, game)
    policy.act(batch)
    twin = pickle.loads(pickle.dumps(policy))
    assert twin.name == policy.name
    assert np.array_equal(policy.act(batch), twin.act(batch))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_o6_no_decision_without_a_mask(game, policies):
    batch = decisions(GAMES[game], 4)
    with pytest.raises(TypeError, match="mask"):
        Decisions(batch.game, observation=batch.observation, seat=batch.seat, states=batch.states)  # type: ignore
    batch.mask[2] = 0
    for kind in ("random", *NETWORKS):
        with pytest.raises(ValueError, match="no legal action: its mask is all zero"):
            policies(kind, game).act(batch)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_state_that_is_over_is_no_decision(game):
    state, policy = GAMES[game].new(seed=3), load("random")
    while not state.over:
        state.apply(policy.act(Decisions.single(state))[0])
    with pytest.raises(ValueError, match="the game is over"):
        Decisions.single(state)
    with pytest.raises(IllegalAction):
        state.apply(0)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_random_is_uniform_over_legal_actions(game):
    batch = decisions(GAMES[game], 1)
    many = Decisions.of(batch, np.zeros(20_000, np.int64))
    counts = np.bincount(load("random").act(many), minlength=batch.mask.shape[1])
    legal = batch.mask[0] == 1
    expected = 20_000 / legal.sum()
    assert counts[~legal].sum() == 0
    assert np.abs(counts[legal] - expected).max() < 6 * np.sqrt(expected)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_heuristic_is_the_scripted_player_and_leaves_the_states_alone(game):
    batch = decisions(GAMES[game], 12)
    before = batch.states.tobytes()
    actions = load("heuristic").act(batch)
    assert batch.states.tobytes() == before
    vector = VectorGame(game, 12, seed=0)
    assert np.array_equal(load("heuristic").act(vector), load("heuristic").act(vector))
    for row in range(12):
        state = GAMES[game].wrap(batch.states[row])
        assert state.heuristic_action() == actions[row]


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_o29_sample_varies_and_greedy_does_not(game, kind, policies):
    one = decisions(GAMES[game], 40)
    row = one.mask.sum(1).argmax()  # several legal actions
    batch = Decisions.of(one, np.array([row]))
    sample, greedy = (policies(kind, game, mode=mode) for mode in ("sample", "greedy"))
    assert len({int(sample.act(batch)[0]) for _ in range(200)}) >= 2
    assert len({int(greedy.act(batch)[0]) for _ in range(200)}) == 1


@pytest.mark.parametrize("mode", ["sample", "greedy", "0.5", 2.0, 1e-30, 1e30])
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_actions_follow_the_probabilities_at_the_modes_temperature(game, kind, mode, policies):
    count = 20_000 if JIT else 1_000
    row = decisions(GAMES[game], 40).mask.sum(1).argmax()
    batch = Decisions.of(decisions(GAMES[game], 40), np.array([row]))
    many = Decisions.of(batch, np.zeros(count, np.int64))
    policy = policies(kind, game, mode=mode)
    assert isinstance(policy, ProbabilisticPolicy)
    chances = policy.probabilities(batch)[0].astype(float)
    temperature = {"sample": 1.0, "greedy": 1e-30}.get(mode) or float(mode)  # type: ignore
    with np.errstate(divide="ignore", over="ignore"):
        logs = (np.log(chances) - np.log(chances.max())) / temperature
    expected = np.exp(logs) * (batch.mask[0] == 1)
    expected /= expected.sum()
    frequencies = np.bincount(policy.act(many), minlength=len(expected)) / count
    assert np.abs(frequencies - expected).max() < 2.5 / np.sqrt(count)


@pytest.mark.parametrize("mode", ["best", "", "0", "-1", 0, -0.5, "nan", float("inf"), None])
def test_a_bad_mode_is_refused(mode):
    with pytest.raises(ValueError, match=r"^mode must be sample, greedy or a temperature > 0, not"):
        load("random", mode=mode)


@pytest.mark.parametrize("seed", [-1, 1.5, None, "7"])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be an int >= 0"):
        load("random", seed=seed)


@pytest.mark.parametrize("name", ["", "rnd", "Random", "no/such/folder", "run@first"])
def test_an_unknown_name_is_refused_with_the_names_there_are(name):
    with pytest.raises(ValueError, match=rf"^unknown policy '{name}': allowed are random, heur"):
        load(name)


def test_an_unknown_game_is_refused():
    with pytest.raises(ValueError, match="there is no game 'poker'"):
        load("random", "poker")


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_run_names_its_latest_and_best_checkpoint(game, tmp_path, monkeypatch):
    run = tmp_path / "runs" / "first"
    for pointer, step in (("latest", "step_2"), ("best", "step_1")):
        write_checkpoint(run / "checkpoints" / step, GAMES[game])
        (run / f"{pointer}.json").write_text(json.dumps({"checkpoint": step}))
    monkeypatch.chdir(tmp_path)
    for name in ("first@latest", "runs/first@best", f"{run}@latest"):
        policy = load(name)
        assert policy.name == name
        assert policy.game is GAMES[game]
    (run / "latest.json").write_text(json.dumps({"checkpoint": "step_3"}))
    with pytest.raises(ValueError, match="step_3 is no checkpoint: cannot read bot"):
        load("first@latest")
    for content in ("", "[]", '{"checkpoint": 7}', "{}"):
        (run / "latest.json").write_text(content)
        with pytest.raises(ValueError, match=r"latest\.json names no checkpoint$"):
            load("first@latest")


@pytest.mark.parametrize("name", ["second@latest", "@best"])
def test_a_run_that_is_not_there_is_refused(name):
    with pytest.raises(ValueError, match=rf"^policy '{name}': no (latest|best)\.json of a run"):
        load(name)
