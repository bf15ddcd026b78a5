"""Evaluation by duplicate deals: every deal is played once with the candidate in each seat."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
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
    others = list(opponents) if len(opponents) > 1 else [opponents[0]] * (players - 1)
    seeds = seed_many(seed, deals)
    chunk = max(1, GAMES_AT_ONCE // players)
    parts = []
    for start in range(0, deals, chunk):
        dealt = seeds[start : start + chunk]
        parts.append(play([candidate, *others], game, options, dealt, recorder))
        if progress:
            progress(players * min(deals, start + chunk))
    shares, margins, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
    by_deal = np.stack([shares.mean(axis=1), margins.mean(axis=1)], axis=1)
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
        mean_length=float(lengths.mean()),
    )


def play(
    table: Sequence[Policy],
    game: Game,
    options: dict[str, Any],
    seeds: np.ndarray,
    recorder: Recorder | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play each deal (a seed) once for each seat of the candidate, `table[0]`.

    Returns its win share, its score margin and the number of decisions, each (deals, seats): the
    column is the seat it sat in. Whoever follows it in `table` follows it around the table.
    """
    players = len(table)
    vector = VectorGame(game, len(seeds) * players, players, options, np.repeat(seeds, players))
    rotation = np.tile(np.arange(players), len(seeds))
    games = np.arange(vector.num_games)
    policies = list({id(policy): policy for policy in table}.values())
    holder = np.array([next(i for i, p in enumerate(policies) if p is q) for q in table])
    running = np.ones(vector.num_games, dtype=bool)
    rewards = np.zeros((vector.num_games, players))
    scores = np.zeros((vector.num_games, players))
    lengths = np.zeros(vector.num_games, dtype=np.int64)
    history: list[np.ndarray] = []  # the actions in all games, if they are recorded
    while running.any():
        actions = vector.mask.argmax(axis=1)  # a finished game plays on, whatever is legal
        acting = holder[(vector.seat - rotation) % players]
        for i, policy in enumerate(policies):
            rows = np.flatnonzero(running & (acting == i))
            if len(rows):
                actions[rows] = policy.act(Decisions.of(vector, rows))
        vector.step(actions)
        ended = running & vector.done
        rewards[ended] = vector.reward[ended]
        scores[ended] = vector.final_scores[ended]
        lengths[ended] = vector.length[ended]
        running &= ~ended
        if recorder:
            history.append(actions)
            for i in np.flatnonzero(ended):
                names = [table[(seat - rotation[i]) % players].name for seat in range(players)]
                played = [int(decision[i]) for decision in history]
                setup = (game, players, options, int(seeds[i // players]), names)
                recorder.add(entries(*setup, played))
    own = scores[games, rotation]
    margins = own - (scores.sum(axis=1) - own) / (players - 1)
    shares = (rewards[games, rotation] * (players - 1) + 1) / players  # the `win` reward, undone
    shape = (len(seeds), players)
    return shares.reshape(shape), margins.reshape(shape), lengths.reshape(shape)


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
