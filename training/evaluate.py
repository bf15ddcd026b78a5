"""Evaluation by duplicate deals: every deal is played once with the candidate in each seat."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ..envs.game import Game, get_game
from ..envs.record import Recorder, entries
from ..envs.rng import seed_many
from ..envs.vector import VectorGame
from ..policies.policy import Decisions, Policy

GAMES_AT_ONCE = 2048  # bounds the memory
RESAMPLES = 2000  # of the bootstrap
LEVEL = 0.95  # of the intervals


@dataclass(frozen=True)
class Evaluation:
    """What a candidate achieved against opponents; intervals are 95 %, by bootstrap over deals.

    `win_share` counts a victory shared by W winners as 1/W, `chance` is what equal players get;
    `margin` is the own score minus the mean of the others'. `games` = `deals` times the seats.
    """

    candidate: str
    opponents: tuple[str, ...]
    game: str
    players: int
    options: dict[str, Any]
    deals: int
    games: int
    chance: float
    win_share: float
    win_share_interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    mean_length: float

    def figures(self) -> dict[str, Any]:
        """Return the results and what they rest on, without who played what."""
        who = ("candidate", "opponents", "game", "players", "options")
        return {key: value for key, value in asdict(self).items() if key not in who}

    def __str__(self) -> str:
        low, high = self.win_share_interval
        return (
            f"win share {self.win_share:.3f} [{low:.3f}, {high:.3f}], chance {self.chance:.3f}, "
            f"score margin {self.margin:+.2f} [{self.margin_interval[0]:+.2f}, "
            f"{self.margin_interval[1]:+.2f}], n = {self.games}"
        )


def evaluate(
    candidate: Policy,
    opponents: Sequence[Policy],
    game: Game | str,
    players: int | None = None,
    options: dict[str, Any] | None = None,
    deals: int = 1000,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    recorder: Recorder | None = None,
) -> Evaluation:
    """Play `deals` deals, each with the candidate in every seat, and nothing else.

    `opponents` sit clockwise after the candidate, one a seat; a single one takes all other seats.
    The deals and the intervals come from `seed`; the policies draw from their own generators.
    `progress` is called with the number of games finished so far; `recorder` gets every game when
    it is over. Raises `ValueError` for players, options or a number of opponents that do not fit.
    """
    game = get_game(game)
    players, options, _ = game.resolve(players, options or {})
    if len(opponents) not in (1, players - 1):
        raise ValueError(f"{len(opponents)} opponents: {players} seats need 1 or {players - 1}")
    policies = [candidate, *opponents]
    table = np.minimum(np.arange(players), len(opponents))  # a single one sits everywhere else
    seating = in_every_seat(np.tile(table, (deals, 1)))
    seeds = np.repeat(seed_many(seed, deals), players)
    played = play(policies, seating, game, options, seeds, progress, recorder)
    rows, seat = np.arange(len(seating)), np.tile(np.arange(players), deals)  # the candidate's
    own = played.scores[rows, seat]
    margins = own - (played.scores.sum(axis=1) - own) / (players - 1)
    each = np.stack([played.win_shares[rows, seat], margins], axis=1)
    by_deal = each.reshape(deals, players, 2).mean(axis=1)
    low, high = bootstrap(by_deal, seed)
    means = by_deal.mean(axis=0)
    return Evaluation(
        candidate=candidate.name,
        opponents=tuple(policy.name for policy in opponents),
        game=game.name,
        players=players,
        options=options,
        deals=deals,
        games=deals * players,
        chance=1 / players,
        win_share=float(means[0]),
        win_share_interval=(float(low[0]), float(high[0])),
        margin=float(means[1]),
        margin_interval=(float(low[1]), float(high[1])),
        mean_length=float(played.lengths.mean()),
    )


def in_every_seat(tables: np.ndarray) -> np.ndarray:
    """Return who sits where, (D * P, P), if all move on a seat after each game of D tables of P.

    `tables` int64[D, P]: who sits in seats 0, 1, ... in the table's first game.
    """
    deals, players = tables.shape
    seats = np.arange(players)
    return tables[:, (seats - seats[:, None]) % players].reshape(deals * players, players)


@dataclass(frozen=True)
class Played:
    """How N games of P seats ended.

    `win_shares` float64[N, P] (1/W for each of W winners), `places` int64[N, P] (seats ahead after
    tie-breaks), `scores` int64[N, P], `lengths` int64[N] in decisions.
    """

    win_shares: np.ndarray
    places: np.ndarray
    scores: np.ndarray
    lengths: np.ndarray


def play(
    policies: Sequence[Policy],
    seating: np.ndarray,
    game: Game,
    options: dict[str, Any],
    seeds: np.ndarray,
    progress: Callable[[int], None] | None = None,
    recorder: Recorder | None = None,
) -> Played:
    """Play a game for each row of `seating` int64[N, P], the numbers of the seats' policies.

    `seeds` uint64[N] deal the games; `progress` and `recorder` as for `evaluate`.
    """
    parts = []
    for start in range(0, len(seating), GAMES_AT_ONCE):
        rows = slice(start, start + GAMES_AT_ONCE)
        parts.append(_play(policies, seating[rows], game, options, seeds[rows], recorder))
        if progress:
            progress(min(start + GAMES_AT_ONCE, len(seating)))
    columns = [[getattr(part, field.name) for part in parts] for field in fields(Played)]
    return Played(*(np.concatenate(column) for column in columns))


def _play(
    policies: Sequence[Policy],
    seating: np.ndarray,
    game: Game,
    options: dict[str, Any],
    seeds: np.ndarray,
    recorder: Recorder | None,
) -> Played:
    num_games, players = seating.shape
    vector = VectorGame(game, num_games, players, options, seeds)
    games = np.arange(num_games)
    running = np.ones(num_games, dtype=bool)
    shares = np.zeros((num_games, players))
    scores, places = np.zeros((2, num_games, players), np.int64)
    lengths = np.zeros(num_games, np.int64)
    history: list[np.ndarray] = []  # the actions in all games, if they are recorded
    while running.any():
        actions = vector.mask.argmax(axis=1)  # a finished game plays on, whatever is legal
        acting = seating[games, vector.seat]
        for i, policy in enumerate(policies):
            rows = np.flatnonzero(running & (acting == i))
            if len(rows):
                actions[rows] = policy.act(Decisions.of(vector, rows))
        vector.step(actions)
        ended = running & vector.done
        shares[ended] = (vector.reward[ended] * (players - 1) + 1) / players  # `win`, undone
        places[ended] = vector.place[ended]
        scores[ended] = vector.final_scores[ended]
        lengths[ended] = vector.length[ended]
        running &= ~ended
        if recorder:
            history.append(actions)
            for i in np.flatnonzero(ended):
                names = [policies[who].name for who in seating[i]]
                played = [int(decision[i]) for decision in history]
                recorder.add(entries(game, players, options, int(seeds[i]), names, played))
    return Played(shares, places, scores, lengths)


def bootstrap(values: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of the 95 % intervals of the means of `values` (deals, columns)."""
    rng = np.random.default_rng([seed, RESAMPLES])
    block = max(1, 2**21 // len(values))  # resamples at once
    means = [
        values[rng.integers(len(values), size=(min(block, RESAMPLES - start), len(values)))].mean(1)
        for start in range(0, RESAMPLES, block)
    ]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(np.concatenate(means), [tail, 1 - tail], axis=0)
    return low, high
