"""Information-set Monte Carlo tree search, compiled, once for all games.

One tree for the seat that is to move (single-observer ISMCTS; Cowling, Powley, Whitehouse, 2012).
Each simulation samples a state that shows this seat the same view, walks down the tree along
actions that are legal there, adds one node, plays the game out, and gives every node on the way the
reward of the seat that chose it. Nothing but the view, the sampled states and `generator` decides.
"""

from typing import Any

import numpy as np

from ..envs.compiled import njit
from ..envs.dispatch import determinize, heuristic, legal, outcome, step
from ..envs.kernels import OVER, fill_rewards, random_legal
from ..envs.rng import draw_below, next_bits

NODE = np.dtype(
    [
        ("action", np.int32),  # that leads here
        ("child", np.int32),  # the first of this node's children, 0 = none (0 is the root)
        ("sibling", np.int32),  # the next child of the same parent, 0 = none
        ("visits", np.int32),
        ("available", np.int32),  # simulations that were at the parent with this action legal
        ("total", np.float64),  # sum of the rewards of the seat that chose this action
    ]
)
MAX_DEPTH = 1000  # decisions of one simulation inside the tree


@njit(nogil=True)
def simulate(
    states: np.ndarray,
    index: int,
    scratch: np.ndarray,
    generator: np.ndarray,
    nodes: Any,
    used: int,
    simulations: int,
    depth_limit: int,
    exploration: float,
    scripted: bool,
    kind: int,
    scale: float,
    mask: np.ndarray,
) -> int:
    """Run `simulations` from `states[index]`, which stays as it is; return the nodes in use.

    `nodes`, a record array of NODE, holds the tree so far, `used` of them, the root first; when it
    is full the tree only gains visits. `scratch` is a record array of one state, `generator` of one
    generator, `mask` int8[A] scratch. Below `depth_limit` decisions no node is added. Rollouts are
    played by the scripted player if `scripted`, else at random. `kind`, `scale`: `fill_rewards`.
    """
    seat = np.int64(states[index].to_act)
    players = int(states[index].players)
    scores, places = np.zeros(players, np.int64), np.zeros(players, np.int64)
    rewards = np.zeros(players)
    path, movers = np.zeros(MAX_DEPTH, np.int32), np.zeros(MAX_DEPTH, np.int32)
    s = scratch[0]
    for _ in range(simulations):
        scratch[0] = states[index]
        determinize(s, seat, next_bits(generator[0]))
        node, depth = 0, 0
        while s.to_act != OVER and depth < depth_limit:
            legal(s, mask)
            actions = int(mask.sum())
            child, added = choose(nodes, used, node, actions, mask, exploration, generator[0])
            if child == 0:
                break  # a full tree that has none of these actions
            used += added
            path[depth], movers[depth] = child, s.to_act
            depth += 1
            node = child
            step(s, nodes[child].action)
            if added == 1 and actions > 1:
                break
        while s.to_act != OVER:
            if scripted:
                action = heuristic(s)
            else:
                legal(s, mask)
                action = random_legal(mask, generator[0])
            step(s, action)
        outcome(s, scores, places)
        fill_rewards(scores, places, kind, scale, rewards)
        back_up(nodes, path[:depth], movers, rewards)
    return used


@njit
def back_up(nodes: Any, path: np.ndarray, movers: np.ndarray, rewards: np.ndarray) -> None:
    """Count a visit of the root and of each node on `path`; give it the reward of who chose it."""
    nodes[0].visits += 1
    for place in range(path.size):
        visited = nodes[path[place]]
        visited.visits += 1
        visited.total += rewards[movers[place]]


@njit
def add_child(nodes: Any, used: int, parent: int, action: int) -> None:
    """Make the node `used`, the first one that is free, a child of `parent`."""
    new = nodes[used]
    new.action, new.child, new.visits, new.available, new.total = action, 0, 0, 1, 0.0
    new.sibling = nodes[parent].child
    nodes[parent].child = used


@njit
def choose(
    nodes: Any,
    used: int,
    node: int,
    actions: int,
    mask: np.ndarray,
    exploration: float,
    generator: np.record,
) -> tuple[int, int]:
    """Return a child of `node` whose action is legal, and 1 if it is a new one, else 0.

    `mask` int8[A] holds the `actions` legal ones and is used up. A new child is drawn uniformly
    from the actions that have none; without such actions, or without room, it is the child with the
    highest upper confidence bound. Child 0: there is none.
    """
    child = nodes[node].child
    best, best_bound = 0, -np.inf
    while child != 0:
        one = nodes[child]
        if mask[one.action] == 1:
            mask[one.action] = 0
            actions -= 1
            one.available += 1
            bonus = exploration * np.sqrt(np.log(one.available) / one.visits)
            bound = one.total / one.visits + bonus
            if bound > best_bound:
                best, best_bound = child, bound
        child = one.sibling
    if actions == 0 or used == nodes.size:
        return best, 0
    left = draw_below(generator, actions)
    action = 0
    while True:
        left -= mask[action]
        if left < 0:
            break
        action += 1
    add_child(nodes, used, node, action)
    return used, 1
