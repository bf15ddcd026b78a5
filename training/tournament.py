"""Ratings of policies from games among them, by a Plackett-Luce fit.

The model: of the seats that are not placed yet, each takes the next place with a chance in
proportion to 10 ** (rating / 400). With two seats that is Elo's formula: 400 points more are odds
of 10 to 1. The mean of the ratings is 0; they hold for these policies, seats and options.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ..envs.game import Game, get_game
from ..envs.record import Recorder
from ..envs.rng import seed_bits, seed_many
from ..policies.policy import Policy
from .evaluate import LEVEL, bootstrap, in_every_seat, play

SCALE = 400 / np.log(10)  # points for a factor e in the odds
PRIOR = 1000 / SCALE  # ratings are taken to spread like this: one that never loses stays finite
RESAMPLES = 500  # of the bootstrap of the ratings


@dataclass(frozen=True)
class Rating:
    """A policy's rating and the share of its games that it won; 95 % intervals over deals."""

    policy: str
    rating: float
    rating_interval: tuple[float, float]
    win_share: float
    win_share_interval: tuple[float, float]
    games: int


@dataclass(frozen=True)
class Tournament:
    """The ratings, best first; `chance` is the win share among equals, `games` deals x seats."""

    game: str
    players: int
    options: dict[str, Any]
    deals: int
    games: int
    chance: float
    ratings: list[Rating]


def tournament(
    policies: Sequence[Policy],
    game: Game | str,
    players: int | None = None,
    options: dict[str, Any] | None = None,
    deals: int = 500,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    recorder: Recorder | None = None,
) -> Tournament:
    """Rate two or more policies by `deals` deals among them.

    For each deal a table is drawn, all policies equally often, and moves through all the seats. If
    there are fewer policies than seats, some sit there more than once. `progress` and `recorder` as
    for `evaluate`. Raises `ValueError` for players or options that do not fit, policies of the
    same name, or fewer deals than it takes to seat every policy.
    """
    game = get_game(game)
    players, options, _ = game.resolve(players, options or {})
    names = [policy.name for policy in policies]
    if len(names) < 2:
        raise ValueError("a tournament takes at least two policies")
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"policy {min(twice)!r} is named twice")
    if deals * players < len(names):
        raise ValueError(f"{deals} deals of {players} seats do not seat {len(names)} policies")
    rng = np.random.default_rng([seed_bits(seed), RESAMPLES])
    tables = draw_tables(len(names), players, deals, rng)
    seating = in_every_seat(tables)
    seeds = np.repeat(seed_many(seed, deals), players)
    played = play(policies, seating, game, options, seeds, progress, recorder)
    deal = np.repeat(np.arange(deals), players)
    finishes = finish(seating, played.places, rng)
    ratings, low, high = rate(finishes, deal, len(names), rng)
    rated = []
    for i in np.argsort(-ratings, kind="stable"):
        dealt = np.flatnonzero((tables == i).any(axis=1))
        own = (seating == i).reshape(deals, players**2)[dealt]
        shares = played.win_shares.reshape(deals, players**2)[dealt]
        share = (shares * own).sum(axis=1) / own.sum(axis=1)
        lowest, highest = bootstrap(share[:, None], seed)
        rated.append(
            Rating(
                policy=names[i],
                rating=float(ratings[i]),
                rating_interval=(float(low[i]), float(high[i])),
                win_share=float(share.mean()),
                win_share_interval=(float(lowest[0]), float(highest[0])),
                games=len(dealt) * players,
            )
        )
    return Tournament(game.name, players, options, deals, len(seating), 1 / players, rated)


def draw_tables(count: int, players: int, deals: int, rng: np.random.Generator) -> np.ndarray:
    """Return who sits together at each deal, int64[D, P]: those first who have sat least so far."""
    seated = np.zeros(count, np.int64)
    tables = np.empty((deals, players), np.int64)
    for table in tables:
        rested_first = np.lexsort((rng.random(count), seated))
        table[:] = rng.permutation(np.resize(rested_first, players))
        np.add.at(seated, table, 1)
    return tables


def finish(seating: np.ndarray, places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the policies of each game from first to last, int64[N, P]; ties in random order."""
    order = np.lexsort((rng.random(places.shape), places))
    return np.take_along_axis(seating, order, axis=1)


def rate(
    finishes: np.ndarray, deal: np.ndarray, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ratings float64[K] of `count` policies, and both ends of their 95 % intervals.

    `finishes` int64[N, P] as `finish` returns them; games of the same `deal` int64[N], numbered
    from 0, are drawn together in the bootstrap.
    """
    kinds, kind = np.unique(finishes, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    deals = int(deal[-1]) + 1

    def fitted(times: np.ndarray) -> np.ndarray:
        return SCALE * fit(kinds, np.bincount(kind, times[deal], len(kinds)), count)

    drawn = rng.multinomial(deals, np.full(deals, 1 / deals), size=RESAMPLES)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile([fitted(times) for times in drawn], [tail, 1 - tail], axis=0)
    return fitted(np.ones(deals)), low, high


def fit(finishes: np.ndarray, weights: np.ndarray, count: int) -> np.ndarray:
    """Return the strengths float64[K] (logarithms of odds, mean 0) that explain finishes best.

    `finishes` int64[N, P] name each game's policies from first to last, `weights` float64[N] say
    how often that happened.
    """

    def loss(strengths: np.ndarray) -> tuple[float, np.ndarray]:
        odds = np.exp(strengths[finishes])
        left = odds[:, ::-1].cumsum(axis=1)[:, ::-1]  # of all that are not placed yet
        unlikelihood = weights @ (np.log(left) - strengths[finishes]).sum(axis=1)
        slope = odds * (1 / left).cumsum(axis=1) - 1
        slopes = np.bincount(finishes.ravel(), (weights[:, None] * slope).ravel(), count)
        pull = strengths / PRIOR**2
        return unlikelihood + pull @ strengths / 2, slopes + pull

    return minimize(loss, np.zeros(count), jac=True, method="L-BFGS-B").x
