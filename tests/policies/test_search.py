"""Search players: they see their view alone, play well where it can be computed, stay in bounds."""

from importlib.resources import files

import numpy as np
import pytest
import yaml

from emberdeck.envs import GAMES, State
from emberdeck.envs.compiled import records
from emberdeck.envs.vector import VectorGame
from emberdeck.policies import search as search_module
from emberdeck.policies.checkpoint import load_checkpoint, save_checkpoint
from emberdeck.policies.guided import UNKNOWN, Network, best_child, fill_priors, forward
from emberdeck.policies.policy import Decisions, load
from emberdeck.policies.search import Found, SearchPolicy, Settings, load_search, usual_settings
from emberdeck.policies.tree import NODE, add_child

from ..contract_helpers import games, positions
from .policy_helpers import GAME_NAMES, decisions, network, standings, write_checkpoint

every_game = pytest.mark.parametrize("game", GAME_NAMES)
KINDS = ["search:40", "search:20:rollout=heuristic", "flat:40", "search:40:GUIDE"]
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Fill in a checkpoint: `named(kind, game)` is a name that can be loaded."""
    folder = tmp_path_factory.mktemp("guides")
    for game in GAME_NAMES:
        write_checkpoint(folder / game, GAMES[game], hidden=(16, 12, 8), activation="tanh")
    return lambda kind, game: kind.replace("GUIDE", str(folder / game))


def found(state: State, name: str = "search:60", seed: int = 1) -> Found:
    return load_search(name, state.game, seed).search(Decisions.single(state))[0]


def middle(game: str, seed: int = 0, decisions: int = 12) -> State:
    """Return a game after some random decisions, with a choice to make."""
    state = GAMES[game].new(seed=seed)
    for count, now in enumerate(positions(state, seed)):
        if count >= decisions and len(now.legal_actions()) > 1:
            break
    return state


class Cheat(SearchPolicy):
    """Plays every action out from the true state: what a search must not do."""

    def _search(self, game, record, seed):
        rng = np.random.default_rng(int(seed))
        visits, values = np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions)
        for action in game.wrap(record).legal_actions():
            state = game.wrap(record)
            seat = state.to_act
            state.apply(action)
            while not state.over:
                state.apply(int(rng.choice(state.legal_actions())))
            visits[action] = 1 + state.array.view(np.uint8).sum()  # all of the true end counts
            values[action] = state.rewards("score")[seat]
        return Found(visits, values, 1, 1)


def depends_on_the_view_alone(policy_of_seed, game: str) -> bool:
    """Tell whether states that differ only in what the seat cannot see get the same search."""
    for seed in range(games(3, 100)):
        state = middle(game, seed)
        seat = state.to_act
        assert seat is not None
        other = state.determinize(seat, 1000 + seed)
        assert other.array.tobytes() != state.array.tobytes()
        results = [policy_of_seed(seed).search(Decisions.single(one))[0] for one in (state, other)]
        if not np.array_equal(results[0].visits, results[1].visits):
            return False
        if not np.array_equal(results[0].values, results[1].values):
            return False
    return True


@every_game
@every_kind
def test_sees_its_view_alone(game, kind, named):
    name = named(kind, game)
    assert depends_on_the_view_alone(lambda seed: load_search(name, GAMES[game], seed), game)


@every_game
def test_a_search_that_cheats_is_seen(game):
    assert not depends_on_the_view_alone(lambda seed: Cheat(simulations=1, seed=seed), game)


@every_game
@every_kind
def test_the_searched_state_and_its_generator_stay_as_they_are(game, kind, named):
    state = middle(game)
    before = state.array.tobytes()
    found(state, named(kind, game))
    assert state.array.tobytes() == before


@every_game
@pytest.mark.parametrize("kind", [*KINDS, "search:1ms", "search:1ms:GUIDE"])
def test_plays_legal_actions_to_the_end(game, kind, named):
    state = GAMES[game].new(min(GAMES[game].players), seed=3)
    policy = load(named(kind, game), game)
    for _ in range(games(60, 10_000)):
        if state.over:
            break
        state.apply(int(policy.act(Decisions.single(state))[0]))


@every_game
def test_every_simulation_is_one_visit_of_one_action(game):
    state = middle(game)
    result = found(state, "search:200")
    assert result.simulations == result.visits.sum() == 200
    assert set(np.flatnonzero(result.visits)) <= set(state.legal_actions())
    assert np.abs(result.values).max() <= 1
    flat = found(state, "flat:200").visits[state.legal_actions()]
    assert flat.max() - flat.min() <= 1


@pytest.mark.plain
@every_game
@pytest.mark.parametrize(
    "kind", ["search:9", "search:1:rollout=heuristic", "flat:4", "search:9:GUIDE"]
)
def test_a_short_search_visits_legal_actions(game, kind, named):
    state = middle(game, decisions=40)
    result, simulations = found(state, named(kind, game)), int(kind.split(":")[1])
    assert result.visits.sum() == simulations - ("GUIDE" in kind)  # which evaluates the root first
    assert result.action in state.legal_actions()
    assert not result.visits[state.mask() == 0].any()


@every_game
@every_kind
def test_a_seed_gives_the_same_search_and_another_seed_another_one(game, kind, named):
    state = middle(game)
    one, two, *others = (found(state, named(kind, game), seed).values for seed in (5, 5, 6, 7))
    assert (one == two).all()
    assert "GUIDE" in kind or any((one != other).any() for other in others)  # it may be sure


@every_game
def test_a_batch_is_searched_like_its_decisions_one_by_one(game, monkeypatch):
    vector = VectorGame(game, 6, seed=2)
    results = []
    for cores in (1, 3):
        monkeypatch.setattr(search_module, "usable_cores", lambda cores=cores: cores)
        results.append(load_search("search:40", GAMES[game], 4).search(vector))
    for one, other in zip(*results, strict=True):
        assert (one.visits == other.visits).all()
        assert (one.values == other.values).all()
    assert len({one.values.tobytes() for one in results[0]}) == 6


def test_one_legal_action_needs_no_search(monkeypatch):
    state = GAMES["pumafiosi"].new(2, {"games": 1}, seed=1)
    for now in positions(state, 1):
        if len(now.legal_actions()) == 1:
            break
    monkeypatch.setattr(SearchPolicy, "_search", None)
    assert load("search:1000000").act(Decisions.single(state)) == state.legal_actions()


@every_game
@pytest.mark.parametrize("kind", ["search:500", "search:500:GUIDE"])
def test_the_tree_has_a_limit_and_a_full_one_only_gains_visits(game, kind, named, monkeypatch):
    state = middle(game)
    monkeypatch.setattr(search_module, "MAX_NODES", 40)
    result = found(state, named(kind, game))
    assert result.nodes == 40
    assert result.simulations == 500
    assert 499 <= result.visits.sum() <= 500  # the first one evaluates the root for a guide


@every_game
@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(9,), (16, 8), (8, 16, 12)])
def test_the_network_is_the_checkpoints(game, activation, hidden, tmp_path):
    folder = write_checkpoint(tmp_path / "bot", GAMES[game], hidden=hidden, activation=activation)
    policy, batch = load_checkpoint(folder), decisions(GAMES[game], 5)
    compiled = Network.of(policy)
    scratch = np.empty((2, compiled.sizes[1:].max()), np.float32)
    logits = np.empty(GAMES[game].num_actions, np.float32)
    priors = np.empty_like(logits)
    for row, observation in enumerate(batch.observation):
        value = forward(compiled, observation, scratch, logits)
        fill_priors(logits, batch.mask[row], priors)
        added = policy.values(batch)[row] - standings(batch)[row]
        assert value == pytest.approx(added, abs=1e-4)
        legal = batch.mask[row] == 1
        np.testing.assert_allclose(
            priors[legal], policy.probabilities(batch)[row][legal], atol=1e-4
        )
        assert (priors[~legal] == UNKNOWN).all()


@every_game
def test_a_guide_of_another_game_is_refused(game, named):
    for other in GAME_NAMES:
        if other != game:
            with pytest.raises(ValueError, match=f"plays {other}, not {game}"):
                load(named("search:10:GUIDE", other), game)


def test_a_guide_leads_to_what_it_likes(tmp_path):
    game = GAMES["pumafiosi"]
    state = middle("pumafiosi")
    liked = state.legal_actions()[-1]
    weights, card = network(game)
    for name in ("action.weight", "value.weight", "value.bias"):
        weights[name][:] = 0  # it expects nothing anywhere
    weights["action.bias"][:] = 0
    weights["action.bias"][liked] = 8
    save_checkpoint(tmp_path / "bot", weights, card)
    result = found(state, f"search:100:{tmp_path / 'bot'}")
    assert result.action == liked
    assert result.visits[liked] > 80


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ([4, -6], 1),  # untried ones are worth (0.5 + 4 - 6) / 21
        ([-6, -6], 3),  # (0.5 - 6 - 6) / 21, more than -6 / 10
    ],
)
def test_what_was_not_tried_is_worth_the_mean_of_the_node(totals, expected):
    nodes = records(np.zeros(4, NODE))
    for number, total in enumerate(totals, 1):
        add_child(nodes, number, 0, number)
        nodes["visits"][number], nodes["total"][number] = 10, total
    mask, priors = np.ones(4, np.int8), np.full(4, 0.25, np.float32)
    assert best_child(nodes, 3, 0, mask, priors, 0.5, 0.0) == expected


@every_game
def test_finds_the_best_action_where_the_end_is_near(game):
    """In the last decisions the mean over many sampled ends of every action can be computed."""
    checked = 0
    for seed in range(400):
        if checked == games(3, 20):
            return
        final = None
        for now in positions(GAMES[game].new(min(GAMES[game].players), seed=seed), seed):
            if not now.over and len(now.legal_actions()) > 1:
                final = now.copy()
        assert final is not None
        expected = mean_rewards(final)
        if expected is None or np.ptp([*expected.values()]) < 0.15:
            continue
        result = found(final, "search:1000:exploration=0.3:reward=score", seed)
        best = max(expected.values())
        assert expected[result.action] > best - 0.1  # both are means of samples
        checked += 1
    pytest.fail("too few games end with a decision that can be checked")


def mean_rewards(state: State, samples: int = 60) -> dict[int, float] | None:
    """Return the mean reward of each action when all that follows is forced, else None."""
    seat = state.to_act
    assert seat is not None
    means = {}
    for action in state.legal_actions():
        total = 0.0
        for seed in range(samples):
            sampled = state.determinize(seat, seed)
            sampled.apply(action)
            while not sampled.over:
                if len(sampled.legal_actions()) > 1:
                    return None
                sampled.apply(sampled.legal_actions()[0])
            total += sampled.rewards("score")[seat]
        means[action] = total / samples
    return means


def test_a_time_limit_is_looked_at():
    few, many = (found(middle("pumafiosi"), f"search:{ms}ms").simulations for ms in (1, 60))
    assert 0 < few < many


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("search:", "search:N, search:Nms or flat:N"),
        ("search:many", "search:N, search:Nms or flat:N"),
        ("search:-5", "search:N, search:Nms or flat:N"),
        ("flat:50ms", "search:N, search:Nms or flat:N"),
        ("search:0", "1 to 1000000 simulations, not 0"),
        ("search:0ms", "1 to 1000000 ms, not 0"),
        ("search:2000000", "1 to 1000000 simulations, not 2000000"),
        ("search:10:depth=3", "'depth' is no setting (settings: rollout, exploration, reward)"),
        ("search:10:nowhere", "unknown policy 'nowhere'"),
        ("flat:10:nowhere", "'nowhere' is no setting"),
        ("search:10:rollout=best", "rollout must be random or heuristic, not 'best'"),
        ("search:10:exploration=-1", "exploration must be a number >= 0"),
        ("search:10:exploration=nan", "exploration must be a number >= 0"),
        ("search:10:exploration=much", "could not convert string to float: 'much'"),
        ("search:10:reward=money", "reward must be one of win, rank, score, not 'money'"),
    ],
)
def test_a_bad_name_is_refused_in_one_line(name, message):
    with pytest.raises(ValueError, match=f"policy '{name}'") as error:
        load(name, "pumafiosi")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_settings_of_a_name_go_before_the_games(named):
    for game in GAMES.values():
        usual = Settings(**usual_settings(game.name, False))
        assert load_search("search:9", None, 0).settings(game) == usual
        policy = load_search("search:9:exploration=0.5:rollout=heuristic", game, 0)
        assert policy.settings(game) == Settings("heuristic", 0.5, usual.reward)
        assert policy.name == "search:9:exploration=0.5:rollout=heuristic"
        guided = load_search(named("search:9:GUIDE:reward=win", game.name), None, 0)
        exploration = usual_settings(game.name, True)["exploration"]
        assert guided.settings(game) == Settings("random", exploration, "win")


def test_a_game_that_nobody_tuned_is_searched_all_the_same():
    assert Settings(**usual_settings("a new game", False)) == Settings()


def test_every_game_is_tuned():
    tuned = yaml.safe_load(files("emberdeck.policies").joinpath("search.yaml").read_text())
    assert set(tuned) == set(GAMES)
    for kinds in tuned.values():
        assert set(kinds) == {"search", "guided"}
        for settings in kinds.values():
            Settings(**settings)


def test_a_search_has_one_limit():
    for limits in ({}, {"simulations": 1, "milliseconds": 1}):
        with pytest.raises(ValueError, match="either a number of simulations or milliseconds"):
            SearchPolicy(**limits)
