"""The contract of every game: the public handle, by random play in every setup."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emberdeck.envs import GAMES, Game, IllegalAction, State, get_game
from emberdeck.envs.compiled import JIT

from .contract_helpers import (
    Setup,
    canonical,
    fingerprints,
    games,
    play_out,
    positions,
    random_positions,
    run_python,
    setups_of_every_size,
    without_generator,
)

SETUPS = setups_of_every_size()
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
in_every_setup = pytest.mark.parametrize("setup", SETUPS, ids=[setup.label for setup in SETUPS])

LONGEST = 2000  # decisions; no game may take more
REWARDS = ("win", "rank", "score")


# The action table


@every_game
def test_action_names_are_unique_and_lead_back_to_their_ids(game: Game):
    assert len(game.action_names) == len(set(game.action_names)) == game.num_actions
    assert [game.action_id(name) for name in game.action_names] == list(range(game.num_actions))
    with pytest.raises(ValueError, match="no such move"):
        game.action_id("no such move")


@in_every_setup
def test_action_table_and_observation_size_are_those_of_the_game(setup: Setup):
    state = setup.new(0)
    assert state.mask().shape == (setup.game.num_actions,)
    assert state.observation(0).shape == (setup.game.observation_size,)


@every_game
def test_observation_blocks_are_named_and_fill_the_vector(game: Game):
    names = [block.name for block in game.observation_blocks]
    assert len(set(names)) == len(names)
    end = 0
    for block in game.observation_blocks:
        assert block.offset == end
        assert block.length > 0
        assert block.meaning
        end += block.length
    assert end == game.observation_size


# Decisions


@in_every_setup
def test_one_seat_has_a_legal_action_until_the_end(setup: Setup):
    for seed in range(games(3, 200)):
        for length, state in enumerate(positions(setup.new(seed), seed)):
            assert length < LONGEST
            mask, legal = state.mask(), state.legal_actions()
            assert mask.dtype == np.int8
            assert set(mask.tolist()) <= {0, 1}
            assert legal == np.flatnonzero(mask).tolist()
            assert all(type(action) is int for action in legal)
            if state.over:
                assert state.to_act is None
                assert legal == []
            else:
                assert type(state.to_act) is int
                assert 0 <= state.to_act < setup.players
                assert legal


@in_every_setup
def test_illegal_action_is_refused_and_changes_nothing(setup: Setup):
    num_actions = setup.game.num_actions
    never = [-1, num_actions, 2**70, -(2**70), 0.0, 1.5, math.nan, None, "0", [0], True, False]
    for state in random_positions(setup, 1, 10):
        before = state.array.tobytes()
        illegal = np.flatnonzero(state.mask() == 0).tolist()
        for action in [*illegal[:3], *illegal[-3:], *never]:
            with pytest.raises(IllegalAction):
                state.apply(action)
        assert state.array.tobytes() == before


@in_every_setup
def test_numpy_integers_are_actions(setup: Setup):
    one, two = setup.new(0), setup.new(0)
    action = one.legal_actions()[0]
    one.apply(action)
    two.apply(np.int64(action))
    assert one.array.tobytes() == two.array.tobytes()


def test_illegal_action_names_the_action_the_seat_and_what_is_legal():
    state = GAMES["pumafiosi"].new(2, seed=0)
    legal = [state.game.action_names[action] for action in state.legal_actions()]
    with pytest.raises(IllegalAction) as error:
        state.apply(state.game.action_id("keep ring"))
    for text in ("keep ring", str(state.to_act), *legal):
        assert text in str(error.value)


# Outcome


@in_every_setup
def test_nobody_wins_while_the_game_runs(setup: Setup):
    for state in random_positions(setup, 1, 20):
        if not state.over:
            assert state.winners() == []
            assert [state.rewards(kind) for kind in REWARDS] == [[0.0] * setup.players] * 3


@in_every_setup
def test_rewards_at_the_end_follow_from_scores_and_winners(setup: Setup):
    for seed in range(games(5, 500)):
        state = setup.new(seed)
        play_out(state, seed)
        n, scores, winners = setup.players, state.scores(), state.winners()
        assert winners
        assert winners == sorted(set(winners))
        shares = [(n * (seat in winners) / len(winners) - 1) / (n - 1) for seat in range(n)]
        assert state.rewards("win") == pytest.approx(shares)

        ranks = state.rewards("rank")
        assert sum(ranks) == pytest.approx(0)
        assert [seat for seat in range(n) if ranks[seat] == max(ranks)] == winners
        for i in range(n):
            assert ranks[i] * (n - 1) == pytest.approx(
                sum(ranks[i] > other for other in ranks) - sum(ranks[i] < other for other in ranks)
            )

        for i in range(n):
            margin = scores[i] - (sum(scores) - scores[i]) / (n - 1)
            expected = max(-1.0, min(1.0, margin / setup.game.score_scale))
            assert state.rewards("score")[i] == pytest.approx(expected)


@every_game
def test_unknown_reward_is_refused(game: Game):
    with pytest.raises(ValueError, match="win"):
        game.new().rewards("chips")


# Documents and views


def assert_plain(value: object) -> None:
    """Check that there is nothing but what JSON knows: no tuples, no NumPy numbers."""
    if type(value) is dict:
        for key, item in value.items():
            assert type(key) is str
            assert_plain(item)
    elif type(value) is list:
        for item in value:
            assert_plain(item)
    else:
        assert value is None or type(value) in (str, int, bool), value


@in_every_setup
def test_documents_have_the_keys_of_every_game(setup: Setup):
    for state in random_positions(setup, 1, 10):
        document = state.to_dict()
        assert document["game"] == setup.game.name
        assert document["players"] == state.players == setup.players
        assert document["options"] == state.options == setup.options
        assert document["to_act"] == state.to_act
        assert document["phase"] == state.phase
        assert document["over"] is state.over
        assert document["scores"] == state.scores()


@in_every_setup
def test_documents_and_views_are_plain_json(setup: Setup):
    for state in random_positions(setup, 1, 10):
        views = [state.view(seat) for seat in range(setup.players)]
        for document in [state.to_dict(), state.spectator_view(), *views]:
            assert_plain(document)
            text = canonical(document)
            assert canonical(json.loads(text)) == text


@in_every_setup
def test_document_leads_back_to_the_state(setup: Setup):
    for state in random_positions(setup, 1, 20):
        document = state.to_dict()
        again = setup.game.from_dict(document, seed=5)
        assert again == state
        assert again.to_dict() == document == state.to_dict()
        assert without_generator(again) == without_generator(state)


@every_game
def test_missing_and_unknown_keys_are_refused(game: Game):
    document = game.new(seed=1).to_dict()
    for key in document:
        with pytest.raises(ValueError, match=rf"\b{key}\b"):
            game.from_dict({name: value for name, value in document.items() if name != key})
    with pytest.raises(ValueError, match="weather"):
        game.from_dict(document | {"weather": "fine"})


@every_game
@pytest.mark.parametrize("document", [None, [], "a game", 3, {}])
def test_what_is_no_document_is_refused(game: Game, document):
    with pytest.raises(ValueError, match=r"document|game"):
        game.from_dict(document)


@in_every_setup
def test_state_from_a_document_plays_on_identically(setup: Setup):
    # It gets the original's generator, which no document holds, to draw the same cards.
    for count, state in enumerate(random_positions(setup, 1, 5)):
        if count % 10 == 0:
            again = setup.game.from_dict(json.loads(json.dumps(state.to_dict())))
            again.array["rng"] = state.array["rng"]
            assert play_out(again, count) == play_out(state.copy(), count)


@in_every_setup
def test_document_is_a_copy(setup: Setup):
    state = setup.new(0)
    before = canonical(state.to_dict())
    document = state.to_dict()
    document["scores"][0] = 99
    document["options"].clear()
    state.view(0)["scores"][0] = 99
    state.options.clear()
    assert canonical(state.to_dict()) == before


def hidden_in(view: object, document: object) -> object:
    """Return `view` with its nulls filled from `document`: the document again, if it is a view."""
    if view is None:
        return document
    if isinstance(view, dict) and isinstance(document, dict):
        assert view.keys() == document.keys()
        return {key: hidden_in(view[key], document[key]) for key in view}
    if isinstance(view, list) and isinstance(document, list):
        assert len(view) == len(document)
        return [hidden_in(*pair) for pair in zip(view, document, strict=True)]
    return view


def common(views: list) -> object:
    """Return what all views show, null where any has null."""
    first = views[0]
    if any(view is None for view in views):
        return None
    if isinstance(first, dict):
        return {key: common([view[key] for view in views]) for key in first}
    if isinstance(first, list):
        return [common(list(items)) for items in zip(*views, strict=True)]
    assert all(view == first for view in views)
    return first


@in_every_setup
def test_views_are_the_document_with_nulls(setup: Setup):
    for state in random_positions(setup, 1, 20):
        document = state.to_dict()
        views = [state.view(seat) for seat in range(setup.players)]
        for view in views:
            assert state.over or view != document  # an end may hide nothing
            assert hidden_in(view, document) == document
        assert state.spectator_view() == common(views)


@in_every_setup
def test_from_view_shows_the_same_view_and_observation(setup: Setup):
    for count, state in enumerate(random_positions(setup, 1, 10)):
        for seat in range(setup.players):
            view = state.view(seat)
            sampled = setup.game.from_view(view, seat, seed=count)
            assert sampled.view(seat) == view == state.view(seat)
            assert sampled.observation(seat).tobytes() == state.observation(seat).tobytes()
            assert sampled.to_act == state.to_act
            if seat == state.to_act:
                assert sampled.legal_actions() == state.legal_actions()


@in_every_setup
def test_state_from_a_view_can_be_played_out(setup: Setup):
    for count, state in enumerate(random_positions(setup, 1, 5)):
        if count % 10 == 0:
            seat = count % setup.players
            sampled = setup.game.from_view(state.view(seat), seat, seed=count)
            play_out(sampled, count)
            assert sampled.over


@every_game
def test_from_view_is_drawn_from_its_seed(game: Game):
    view = game.new(seed=1).view(0)
    one, two, other = (game.from_view(view, 0, seed) for seed in (5, 5, 6))
    assert one.array.tobytes() == two.array.tobytes()
    assert one != other


@every_game
@pytest.mark.parametrize("seat", [-1, 99, None, 0.0, "0"])
def test_a_seat_that_is_not_there_is_refused(game: Game, seat):
    state = game.new()
    view = state.view(0)
    calls = [
        lambda: state.view(seat),
        lambda: state.observation(seat),
        lambda: state.determinize(seat, 0),
        lambda: game.from_view(view, seat),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="seat"):
            call()


# Observations


@in_every_setup
def test_observations_are_finite_and_in_bounds(setup: Setup):
    for state in random_positions(setup, 2, 100):
        for seat in range(setup.players):
            observation = state.observation(seat)
            assert observation.dtype == np.float32
            assert np.abs(observation).max() <= 1  # false for NaN too


@in_every_setup
def test_observing_changes_nothing_and_gives_independent_arrays(setup: Setup):
    for state in random_positions(setup, 1, 10):
        before = state.array.tobytes()
        first = state.observation(0)
        expected = first.tobytes()
        first[:] = 7
        state.mask()[:] = 7
        assert state.observation(0).tobytes() == expected
        assert state.array.tobytes() == before


@in_every_setup
def test_what_a_seat_sees_and_does_depends_on_its_view_alone(setup: Setup):
    for count, state in enumerate(random_positions(setup, 1, 20)):
        for seat in range(setup.players):
            other = state.determinize(seat, count)
            assert other.view(seat) == state.view(seat)
            assert other.observation(seat).tobytes() == state.observation(seat).tobytes()
            if seat == state.to_act:
                assert other.mask().tobytes() == state.mask().tobytes()
                assert other.heuristic_action() == state.heuristic_action()


@in_every_setup
def test_scripted_player_plays_legal_games(setup: Setup):
    for seed in range(games(1, 100)):
        state = setup.new(seed)
        while not state.over:
            before = state.array.tobytes()
            action = state.heuristic_action()
            assert type(action) is int
            assert state.array.tobytes() == before
            state.apply(action)


# Seeds and copies


@in_every_setup
def test_seeds_give_distinct_deals(setup: Setup):
    deals = {canonical(setup.new(seed).to_dict()) for seed in range(50)}
    assert len(deals) >= 49


@in_every_setup
def test_a_seed_gives_the_same_game(setup: Setup):
    for seed in (0, 1, 2**64 + 5):
        assert play_out(setup.new(seed), 3) == play_out(setup.new(seed), 3)
    assert setup.new(5) != setup.new(2**64 + 5)


@every_game
@pytest.mark.parametrize("seed", [-1, 1.0, None, "1", True])
def test_a_bad_seed_is_refused(game: Game, seed):
    state = game.new()
    calls = [
        lambda: game.new(seed=seed),
        lambda: game.from_dict(state.to_dict(), seed=seed),
        lambda: game.from_view(state.view(0), 0, seed=seed),
        lambda: state.determinize(0, seed),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="seed"):
            call()


@pytest.mark.skipif(not JIT, reason="slow, and the same in compiled code")
def test_a_new_process_with_another_hash_seed_plays_the_same_games():
    code = "import json; print(json.dumps(helpers.fingerprints()))"
    assert json.loads(run_python(code, PYTHONHASHSEED="1234")) == fingerprints()


@in_every_setup
@pytest.mark.parametrize(
    "duplicate",
    [State.copy, copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))],
    ids=["State.copy", "copy", "deepcopy", "pickle"],
)
def test_copies_play_on_identically_and_apart(setup: Setup, duplicate):
    for count, state in enumerate(random_positions(setup, 1, 5)):
        if count % 10 == 0:
            before = state.array.tobytes()
            one, two = duplicate(state), duplicate(state)
            assert one == state
            assert play_out(one, count) == play_out(two, count)
            assert state.array.tobytes() == before


@every_game
def test_pickle_of_a_game_is_the_game(game: Game):
    assert pickle.loads(pickle.dumps(game)) is game
    assert copy.deepcopy(game) is game


@in_every_setup
def test_states_are_equal_if_their_documents_are(setup: Setup):
    state = setup.new(0)
    same = setup.game.from_dict(state.to_dict(), seed=9)
    assert state == same
    same.apply(same.legal_actions()[0])
    assert state != same
    assert state != state.to_dict()


def test_global_generators_are_neither_read_nor_moved():
    code = """
import random, sys
import numpy as np

def play():
    for setup in helpers.every_setup()[::7]:
        yield helpers.fingerprint(setup, 1)
        state = setup.new(2)
        state.game.from_view(state.view(0), 0, 3)

random.seed(1)
np.random.seed(1)
before = random.getstate(), np.random.get_state()[1].tobytes()
games = list(play())
assert before == (random.getstate(), np.random.get_state()[1].tobytes())
random.seed(2)
np.random.seed(2)
assert games == list(play())
assert "torch" not in sys.modules  # so its generator was not touched either
"""
    run_python(code)


# Setups that do not exist


@every_game
def test_a_wrong_number_of_players_is_refused(game: Game):
    allowed = [str(game.players[0]), str(game.players[-1])]
    for players in (game.players[0] - 1, game.players[-1] + 1, 0, -1, 3.0, "3", True):
        with pytest.raises(ValueError, match="players") as error:
            game.new(players)
        assert all(text in str(error.value) for text in allowed)


@every_game
def test_an_unknown_option_or_value_is_refused(game: Game):
    with pytest.raises(ValueError, match="turbo") as error:
        game.new(options={"turbo": True})
    assert all(name in str(error.value) for name in game.options)
    for name, option in game.options.items():
        for value in ("no such value", None, 99, -1):
            with pytest.raises(ValueError, match=name) as error:
                game.new(options={name: value})
            assert all(str(allowed) in str(error.value) for allowed in option.values)


@every_game
def test_defaults_are_used_for_what_is_not_given(game: Game):
    state = game.new()
    assert state.players == game.default_players
    for name, option in game.options.items():
        plain = option.automatic(state.players) if option.automatic else option.default
        assert state.options[name] == plain


@every_game
def test_auto_stands_for_a_value_by_the_number_of_players(game: Game):
    for name, option in game.options.items():
        for players in game.players if option.automatic else ():
            state = game.new(players, {name: "auto"}, seed=1)
            plain = option.automatic(players)
            assert state.options[name] == plain
            assert state == game.new(players, {name: plain}, seed=1)


def test_an_unknown_game_is_refused():
    with pytest.raises(ValueError, match="pumafiosi"):
        get_game("poker")
    assert get_game("pumafiosi") is get_game(GAMES["pumafiosi"])


# Anything goes


@given(
    setup=st.sampled_from(SETUPS),
    seed=st.integers(min_value=0),
    choices=st.lists(st.integers(min_value=0, max_value=200), max_size=300),
)
def test_any_sequence_of_actions_keeps_the_contract(setup: Setup, seed: int, choices: list[int]):
    state = setup.new(seed)
    for choice in choices:
        legal = state.legal_actions()
        if not legal:
            break
        state.apply(legal[choice % len(legal)])
    assert state.over == (state.legal_actions() == [])
    assert setup.game.from_dict(state.to_dict()) == state
    for seat in range(setup.players):
        view, observation = state.view(seat), state.observation(seat)
        sampled = setup.game.from_view(view, seat, seed)
        assert sampled.view(seat) == view
        assert np.array_equal(sampled.observation(seat), observation)
        assert np.abs(observation).max() <= 1
    play_out(state, seed % 1000)
    assert sum(state.rewards("win")) == pytest.approx(0)
