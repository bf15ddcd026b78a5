from itertools import pairwise

import numpy as np
import pytest

from emberdeck.envs import GAMES
from emberdeck.envs.record import Recorder, read_records
from emberdeck.envs.rng import seed_many
from emberdeck.policies.policy import load
from emberdeck.training.evaluate import Evaluation, bootstrap, evaluate, in_every_seat, play

from ..contract_helpers import games

GAME = GAMES["pumafiosi"]
SHORT = {"games": 1}


class Spy:
    """Plays the first legal action (or the last) and notes every decision it is asked for."""

    game = None

    def __init__(self, name: str, last: bool = False) -> None:
        self.name, self.last = name, last
        self.rng = np.random.default_rng(0)
        self.asked: list[tuple[int, bytes]] = []

    def act(self, batch):
        for seat, state in zip(batch.seat, batch.states, strict=True):
            assert state["to_act"] == seat
            self.asked.append((int(seat), state.tobytes()))
        flipped = batch.mask[:, ::-1].argmax(axis=1)
        return batch.mask.shape[1] - 1 - flipped if self.last else batch.mask.argmax(axis=1)


def replayed(deals: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Win shares and margins of a `Spy` against others that pick last, game by game."""
    shares, margins = np.zeros((2, len(deals), players))
    for deal, seed in enumerate(deals):
        for seat in range(players):
            state = GAME.new(players, SHORT, int(seed))
            while state.to_act is not None:
                legal = state.legal_actions()
                state.apply(legal[0] if state.to_act == seat else legal[-1])
            winners, scores = state.winners(), state.scores()
            shares[deal, seat] = 1 / len(winners) if seat in winners else 0
            others = [score for other, score in enumerate(scores) if other != seat]
            margins[deal, seat] = scores[seat] - np.mean(others)
    return shares, margins


@pytest.mark.parametrize("players", GAME.players)
def test_results_are_those_of_the_games_played_one_by_one(players):
    seeds = np.repeat(np.arange(100, 106, dtype=np.uint64), players)
    seating = in_every_seat(np.tile(np.minimum(np.arange(players), 1), (6, 1)))
    policies = [Spy("first"), Spy("last", last=True)]
    played = play(policies, seating, GAME, GAME.resolve(players, SHORT)[1], seeds)
    for i, (seats, seed) in enumerate(zip(seating, seeds, strict=True)):
        state, decisions = GAME.new(players, SHORT, int(seed)), 0
        while state.to_act is not None:
            legal = state.legal_actions()
            state.apply(legal[-1 if seats[state.to_act] else 0])
            decisions += 1
        winners, scores = state.winners(), state.scores()
        assert played.scores[i].tolist() == scores
        assert played.lengths[i] == decisions
        expected = [(seat in winners) / len(winners) for seat in range(players)]
        assert played.win_shares[i] == pytest.approx(expected)
        assert np.flatnonzero(played.places[i] == 0).tolist() == sorted(winners)


def test_the_figures_are_the_candidates():
    players, deals = 3, 5
    candidate, other = Spy("first"), Spy("last", last=True)
    result = evaluate(candidate, [other], GAME, players, SHORT, deals, seed=2)
    shares, margins = replayed(seed_many(2, deals), players)
    assert result.win_share == pytest.approx(shares.mean())
    assert result.margin == pytest.approx(margins.mean())


def test_every_deal_is_played_once_with_the_candidate_in_each_seat():
    players, deals = 3, np.arange(5, dtype=np.uint64)
    candidate, after, before = Spy("candidate"), Spy("after"), Spy("before")
    options = GAME.resolve(players, SHORT)[1]
    seating = in_every_seat(np.tile(np.arange(players), (len(deals), 1)))
    play([candidate, after, before], seating, GAME, options, np.repeat(deals, players))
    starts = {GAME.new(players, options, int(deal)).array.tobytes() for deal in deals}
    for spy in (candidate, after, before):
        openings = dict.fromkeys(range(players), 0)
        for seat, state in spy.asked:
            openings[seat] += state in starts
        leads = [GAME.new(players, options, int(deal)).to_act for deal in deals]
        assert openings == {seat: leads.count(seat) for seat in range(players)}
        assert len(spy.asked) == len(set(spy.asked))  # no game goes on after its end


def test_equal_policies_share_the_wins_equally_in_every_deal():
    for players in GAME.players:
        heuristic = load("heuristic", GAME)
        result = evaluate(heuristic, [heuristic], GAME, players, SHORT, deals=6)
        assert result.win_share == pytest.approx(1 / players)
        assert result.win_share_interval == pytest.approx((1 / players, 1 / players))
        assert result.margin == pytest.approx(0)
        assert (result.games, result.chance) == (6 * players, 1 / players)


def test_the_heuristic_beats_random_and_the_interval_excludes_chance():
    result = evaluate(load("heuristic", GAME), [load("random", GAME)], GAME, 2, SHORT, deals=100)
    assert result.win_share_interval[0] > 0.7
    assert result.margin_interval[0] > 0
    assert result.win_share_interval[0] < result.win_share < result.win_share_interval[1]
    reverse = evaluate(load("random", GAME), [load("heuristic", GAME)], GAME, 2, SHORT, deals=100)
    assert reverse.win_share_interval[1] < 0.3


@pytest.mark.parametrize("game", GAMES)
def test_a_search_beats_random_and_a_longer_one_beats_a_short_one(game):
    players = min(GAMES[game].players)
    small, large = load("search:4", game), load("search:64", game)
    for weaker in (load("random", game), small):
        result = evaluate(large, [weaker], game, players, deals=games(24, 120) // players)
        assert result.margin_interval[0] > 0


def test_the_same_seed_gives_the_same_evaluation_in_chunks_or_not(monkeypatch):
    def run(seed: int) -> Evaluation:
        opponent = load("random", GAME, seed=1)
        return evaluate(load("heuristic", GAME), [opponent], GAME, 2, SHORT, deals=40, seed=seed)

    assert run(3) == run(3)
    assert run(3) != run(4)
    heuristic, first = load("heuristic", GAME), Spy("first")
    whole = evaluate(heuristic, [first], GAME, 2, SHORT, deals=21)
    monkeypatch.setattr("emberdeck.training.evaluate.GAMES_AT_ONCE", 8)
    done = []
    assert evaluate(heuristic, [first], GAME, 2, SHORT, 21, progress=done.append) == whole
    assert done[-1] == 42
    assert all(before < after for before, after in pairwise(done))


@pytest.mark.parametrize("game", GAMES)
def test_recorded_games_are_those_that_count(game, tmp_path, monkeypatch):
    monkeypatch.setattr("emberdeck.training.evaluate.GAMES_AT_ONCE", 8)
    path, players, deals = tmp_path / "games.jsonl", max(GAMES[game].players), 3
    candidate = load("random", game)
    others = [Spy(f"follower {place}", last=True) for place in range(1, players)]
    recorder = Recorder(path)
    result = evaluate(candidate, others, game, players, None, deals, 4, recorder=recorder)
    with path.open(encoding="utf-8") as file:
        records = list(read_records(file))
    assert len(records) == result.games == deals * players
    assert np.mean([len(record.moves) for record in records]) == result.mean_length
    assert len({record.header.seed for record in records}) == deals
    assert len({(r.header.seed, *r.header.policies) for r in records}) == deals * players
    shares, margins = [], []
    for record in records:
        seat = record.header.policies.index("random")
        followers = [record.header.policies[(seat + k) % players] for k in range(1, players)]
        assert followers == [other.name for other in others]
        for state, move in zip(record.states(), record.moves, strict=False):
            if move.seat != seat:  # it was made by the policy that the header seats there
                assert move.action == record.game.action_names[state.legal_actions()[-1]]
        assert record.result
        winners, scores = record.result.winners, record.result.scores
        shares.append(1 / len(winners) if seat in winners else 0)
        margins.append(scores[seat] - (sum(scores) - scores[seat]) / (players - 1))
    assert result.win_share == pytest.approx(np.mean(shares))
    assert result.margin == pytest.approx(np.mean(margins))


def test_no_global_generator_moves():
    before = str(np.random.get_state())  # noqa: NPY002 (must not move)
    evaluate(load("random", GAME), [load("random", GAME)], GAME, 2, SHORT, deals=3)
    assert str(np.random.get_state()) == before  # noqa: NPY002


def test_a_number_of_opponents_that_does_not_fit_is_refused():
    random = load("random", GAME)
    with pytest.raises(ValueError, match="2 opponents: 4 seats need 1 or 3"):
        evaluate(random, [random, random], GAME, 4)
    with pytest.raises(ValueError, match="players"):
        evaluate(random, [random], GAME, 9)


def test_intervals_cover_the_true_mean_as_often_as_they_say():
    rng, inside = np.random.default_rng(5), 0
    for trial in range(200):
        values = rng.exponential(size=(80, 1))
        low, high = bootstrap(values, trial)
        inside += bool(low[0] <= 1 <= high[0])
    assert 0.88 <= inside / 200 <= 0.98


def test_a_bootstrap_interval_is_about_two_standard_errors_wide():
    values = np.random.default_rng(0).normal(size=(400, 2)) * [1, 10]
    low, high = bootstrap(values, 0)
    np.testing.assert_allclose(high - low, np.array([1, 10]) * 2 * 1.96 / 20, rtol=0.15)
    np.testing.assert_array_equal(bootstrap(values, 0)[0], low)
