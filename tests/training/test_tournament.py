"""Ratings: Elo's formula for two seats, Plackett-Luce for more, and tables that are fair."""

from itertools import permutations

import numpy as np
import pytest

from emberdeck.envs import GAMES
from emberdeck.envs.record import Recorder, read_records
from emberdeck.policies.policy import load
from emberdeck.training.tournament import (
    PRIOR,
    SCALE,
    draw_tables,
    finish,
    fit,
    rate,
    tournament,
)

from ..contract_helpers import games

GAME = GAMES["pumafiosi"]
SHORT = {"games": 1}


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize("wins", [50, 64, 76, 91])
def test_with_two_seats_the_difference_is_elos(wins):
    first, second = SCALE * fit(np.array([[0, 1], [1, 0]]), np.array([wins, 100 - wins]) * 1e4, 2)
    assert first - second == pytest.approx(400 * np.log10(wins / (100 - wins)), abs=0.1)
    assert first + second == pytest.approx(0, abs=1e-6)


def test_the_winner_of_one_more_game_gains_and_the_others_lose_what_it_gains():
    finishes = np.array(list(permutations(range(3))))
    before = fit(finishes, np.ones(6), 3)
    np.testing.assert_allclose(before, 0, atol=1e-6)
    won = finishes[:, 0] == 1
    after = fit(finishes, np.ones(6) + won, 3)
    assert after[1] > 0 > max(after[0], after[2])
    assert after.sum() == pytest.approx(0, abs=1e-6)


def test_a_fit_finds_the_strengths_that_finishes_were_drawn_from():
    truth = np.array([0.9, 0.2, -0.1, -0.4, -0.6])
    draw = rng()
    tables = draw_tables(5, 4, 20_000, draw)
    # The order of arrival of exponential clocks is Plackett-Luce's.
    arrival = draw.exponential(np.exp(-truth[tables]))
    found = fit(finish(tables, arrival, draw), np.ones(len(tables)), 5)
    np.testing.assert_allclose(found, truth, atol=0.05)


def test_a_fit_is_where_the_likelihood_is_highest():
    finishes = rng().permuted(np.tile(np.arange(4), (60, 1)), axis=1)
    best = fit(finishes, np.ones(60), 4)

    def likelihood(strengths: np.ndarray) -> float:
        total = -strengths @ strengths / (2 * PRIOR**2)
        for order in finishes:
            for stage in range(3):
                left = strengths[order[stage:]]
                total += left[0] - np.log(np.exp(left).sum())
        return total

    for step in 0.01 * np.concatenate([np.eye(4), -np.eye(4)]):
        assert likelihood(best + step) < likelihood(best)


def test_one_that_never_loses_has_a_finite_rating():
    ratings, low, high = rate(np.tile([1, 0], (50, 1)), np.arange(50), 2, rng())
    assert ratings[1] > 400
    assert np.isfinite([ratings, low, high]).all()


def test_intervals_cover_the_true_rating_and_games_of_a_deal_count_once(monkeypatch):
    monkeypatch.setattr("emberdeck.training.tournament.RESAMPLES", 100)
    truth, inside, trials = np.array([0.5, -0.5]), 0, games(60, 400)
    draw = rng()
    for _ in range(trials):
        deals = np.repeat(draw_tables(2, 2, 150, draw), 2, axis=0)
        # Both games of a deal end alike: 300 games know no more than 150.
        arrival = np.repeat(draw.exponential(np.exp(-truth[deals[::2]])), 2, axis=0)
        finishes = finish(deals, arrival, draw)
        _, low, high = rate(finishes, np.repeat(np.arange(150), 2), 2, draw)
        inside += bool(low[0] <= SCALE * truth[0] <= high[0])
    assert 0.85 <= inside / trials <= 0.99


def test_tied_seats_take_turns_in_being_first():
    seating = np.tile([2, 0, 1], (3000, 1))
    places = np.tile([0, 0, 2], (3000, 1))
    finishes = finish(seating, places, rng())
    assert (finishes[:, 2] == 1).all()
    assert 0.45 < (finishes[:, 0] == 2).mean() < 0.55


@pytest.mark.parametrize(("count", "players"), [(2, 2), (5, 2), (5, 4), (3, 5), (7, 3)])
def test_all_sit_equally_often_and_meet_each_other(count, players):
    tables = draw_tables(count, players, 420, rng())
    seated = np.bincount(tables.ravel(), minlength=count)
    assert seated.max() - seated.min() <= 1
    together = np.zeros((count, count), int)
    for table in tables:
        most = np.bincount(table, minlength=count).max()
        assert most == -(-players // count)  # nobody sits twice where others could
        for one in table:
            together[one, table] += 1
    off_diagonal = together[~np.eye(count, dtype=bool)]
    assert off_diagonal.min() > 0.6 * off_diagonal.mean()
    assert off_diagonal.max() < 1.4 * off_diagonal.mean()


def test_a_tournament_ranks_policies_as_matches_do(tmp_path):
    names = ["random", "search:32", "heuristic"]
    path, done = tmp_path / "games.jsonl", []
    policies = [load(name, GAME, seed=i) for i, name in enumerate(names)]
    result = tournament(policies, GAME, 2, SHORT, 60, 1, done.append, Recorder(path))
    assert [rated.policy for rated in result.ratings][-1] == "random"
    assert (result.deals, result.games, result.chance) == (60, 120, 0.5)
    assert done[-1] == 120
    assert sum(rated.rating for rated in result.ratings) == pytest.approx(0, abs=1e-3)
    assert sum(rated.games for rated in result.ratings) == 240
    for rated in result.ratings:
        assert rated.rating_interval[0] < rated.rating < rated.rating_interval[1]
        assert rated.win_share_interval[0] < rated.win_share < rated.win_share_interval[1]
    with path.open(encoding="utf-8") as file:
        records = list(read_records(file))
    assert len(records) == 120
    for rated in result.ratings:  # credited to whom the records name as the winner
        won = [
            record.result.winners.count(seat) / len(record.result.winners)
            for record in records
            if record.result
            for seat, name in enumerate(record.header.policies)
            if name == rated.policy
        ]
        assert len(won) == rated.games
        assert rated.win_share == pytest.approx(np.mean(won))


def test_fewer_policies_than_seats_and_the_same_seed():
    def run(seed: int):
        policies = [load("heuristic", GAME), load("random", GAME, seed=2)]
        return tournament(policies, GAME, 5, SHORT, games(12, 40), seed)

    result = run(4)
    assert result == run(4)
    assert result != run(5)
    assert [rated.policy for rated in result.ratings] == ["heuristic", "random"]


def test_what_cannot_be_rated_is_refused():
    heuristic, random = load("heuristic", GAME), load("random", GAME)
    with pytest.raises(ValueError, match="at least two"):
        tournament([random], GAME, 2)
    with pytest.raises(ValueError, match="'random' is named twice"):
        tournament([random, heuristic, random], GAME, 2)
    with pytest.raises(ValueError, match="1 deals of 2 seats do not seat 3"):
        tournament([random, heuristic, load("search:2", GAME)], GAME, 2, deals=1)
    with pytest.raises(ValueError, match="players"):
        tournament([random, heuristic], GAME, 9)
