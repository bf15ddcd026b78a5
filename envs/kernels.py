"""What is done to states of any game, written once: single steps, batches, playouts, rewards.

Kernels that Python calls take arrays (and an index), never a bare record: crossing with a record
costs ten times more.
"""

import numpy as np

from .compiled import njit
from .dispatch import determinize, heuristic, init, legal, observe, outcome, step
from .rng import draw_below, next_bits

OVER = -1  # `to_act` after the end, in every game
WIN, RANK, SCORE = range(3)  # kinds of reward


@njit
def start(
    states: np.ndarray, index: int, players: int, options: np.ndarray, seed: np.uint64
) -> None:
    """Start a game in the zeroed record `states[index]`."""
    init(states[index], players, options, seed)


@njit
def fill_mask(states: np.ndarray, index: int, mask: np.ndarray) -> None:
    """Fill `mask` int8[A] for the acting seat of `states[index]`; zeros when over."""
    legal(states[index], mask)


@njit
def try_action(states: np.ndarray, index: int, action: int, mask: np.ndarray) -> bool:
    """Apply `action` if it is legal and return True, with `mask` filled for the next decision.

    Otherwise return False, with the state unchanged and `mask` filled for this decision.
    """
    s = states[index]
    legal(s, mask)
    if action < 0 or action >= mask.size or mask[action] == 0:
        return False
    step(s, action)
    legal(s, mask)
    return True


@njit
def fill_observation(states: np.ndarray, index: int, seat: int, out: np.ndarray) -> None:
    """Fill `out` float32[OBS] with what `seat` may know of `states[index]`."""
    observe(states[index], seat, out)


@njit
def fill_outcome(states: np.ndarray, index: int, scores: np.ndarray, places: np.ndarray) -> None:
    """Fill `scores` and `places`, int64[>= players]; places mean something at the end only."""
    outcome(states[index], scores, places)


@njit
def resample(states: np.ndarray, index: int, seat: int, seed: np.uint64) -> None:
    """Resample in `states[index]` all that `seat` cannot know, and restart its generator."""
    determinize(states[index], seat, seed)


@njit
def heuristic_actions(states: np.ndarray, actions: np.ndarray) -> None:
    """Fill `actions` int64[N] with the scripted player's choice in each state; 0 where over."""
    for index in range(states.size):
        s = states[index]
        actions[index] = 0 if s.to_act == OVER else heuristic(s)


@njit
def fill_rewards(
    scores: np.ndarray, places: np.ndarray, kind: int, scale: float, rewards: np.ndarray
) -> None:
    """Fill `rewards` float64[P] of a finished game from its int64[>= P] scores and places.

    `scale` is the score difference worth a reward of 1 in the kind SCORE.
    """
    players = rewards.size
    winners = 0
    total = 0
    for seat in range(players):
        winners += places[seat] == 0
        total += scores[seat]
    for seat in range(players):
        if kind == WIN:
            share = 1 / winners if places[seat] == 0 else 0.0
            rewards[seat] = (players * share - 1) / (players - 1)
        elif kind == RANK:
            beaten = 0
            for other in range(players):
                beaten += places[other] > places[seat]
            rewards[seat] = (beaten - places[seat]) / (players - 1)
        else:
            others = (total - scores[seat]) / (players - 1)
            rewards[seat] = min(max((scores[seat] - others) / scale, -1.0), 1.0)


@njit
def fill_standing(
    states: np.ndarray, games: np.ndarray, scale: float, standing: np.ndarray
) -> None:
    """Fill `standing` float32[B]: the acting seats' reward of the kind SCORE if it ended now.

    `games` int64[B] says in which of the `states`; none of them is over.
    """
    most = 0
    for game in games:
        most = max(most, int(states[int(game)].players))
    scores, places = np.zeros(most, np.int64), np.zeros(most, np.int64)
    rewards = np.zeros(most)
    for row in range(games.size):
        s = states[int(games[row])]
        outcome(s, scores, places)
        fill_rewards(scores, places, SCORE, scale, rewards[: int(s.players)])
        standing[row] = rewards[s.to_act]


@njit
def first_illegal(mask: np.ndarray, actions: np.ndarray) -> int:
    """Return the first index whose action is not legal under `mask` int8[N, A], or -1."""
    for index in range(actions.size):
        action = actions[index]
        if action < 0 or action >= mask.shape[1] or mask[index, action] == 0:
            return index
    return -1


@njit
def show(
    states: np.ndarray, index: int, seat: np.ndarray, observation: np.ndarray, mask: np.ndarray
) -> None:
    """Fill row `index` of acting seat, observation and mask for a game that is not over."""
    s = states[index]
    seat[index] = s.to_act
    legal(s, mask[index])
    observe(s, s.to_act, observation[index])


@njit
def show_all(
    states: np.ndarray, seat: np.ndarray, observation: np.ndarray, mask: np.ndarray
) -> None:
    """Fill acting seat, observation and mask of every game (none of them over)."""
    for index in range(states.size):
        show(states, index, seat, observation, mask)


@njit
def step_all(
    states: np.ndarray,
    actions: np.ndarray,
    options: np.ndarray,
    kind: int,
    scale: float,
    seat: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    reward: np.ndarray,
    done: np.ndarray,
    final_scores: np.ndarray,
    place: np.ndarray,
    length: np.ndarray,
) -> None:
    """Apply one legal action to every game; finished games start anew from their own generator.

    `reward` float64[N, P], `done` bool[N], `final_scores` and `place` int64[N, P] and `length`
    int64[N] tell of the game that took the action; `seat`, `observation` and `mask` of the one
    that goes on.
    """
    players = reward.shape[1]
    blank = np.zeros(1, states.dtype)
    for index in range(states.size):
        s = states[index]
        step(s, actions[index])
        if done[index]:
            reward[index, :] = 0
            final_scores[index, :] = 0
            place[index, :] = 0
            length[index] = 0
        length[index] += 1
        done[index] = s.to_act == OVER
        if done[index]:
            outcome(s, final_scores[index], place[index])
            fill_rewards(final_scores[index], place[index], kind, scale, reward[index])
            seed = next_bits(s)
            states[index] = blank[0]
            init(states[index], players, options, seed)
        show(states, index, seat, observation, mask)


@njit
def random_legal(mask: np.ndarray, generator: np.record) -> int:
    """Draw a uniformly random legal action from `mask`, which has one."""
    left = draw_below(generator, mask.sum())
    action = 0
    while True:
        left -= mask[action]
        if left < 0:
            return action
        action += 1


@njit
def playouts(states: np.ndarray, generator: np.ndarray, mask: np.ndarray) -> int:
    """Play every state to its end with uniformly random actions; return the number of decisions.

    `generator` is a record array of one generator (`rng.GENERATOR`), `mask` int8[A] scratch.
    """
    decisions = 0
    for index in range(states.size):
        s = states[index]
        while s.to_act != OVER:
            legal(s, mask)
            step(s, random_legal(mask, generator[0]))
            decisions += 1
    return decisions
