"""Tree search led by a network: it says which actions are likely, and what a leaf is worth.

As policies/tree.py, but nothing is played out. The network is evaluated inside the compiled search,
one leaf at a time: a sixth to a third of what a row costs in NumPy, 0.85 to 1.4 times what it costs
in a NumPy batch of 64, and each search stays one call. Batches of leaves gained nothing at equal
time (docs/search.md).
"""

from typing import Any, NamedTuple

import numpy as np

from ..envs.compiled import njit
from ..envs.dispatch import determinize, legal, observe, outcome, step
from ..envs.kernels import OVER, SCORE, fill_rewards
from ..envs.rng import next_bits
from .checkpoint import CheckpointPolicy
from .inference import linear
from .tree import MAX_DEPTH, add_child, back_up

UNKNOWN = -1.0  # prior of an action that was not legal where its node was evaluated


class Network(NamedTuple):
    """A network for compiled code: all weights [inputs, outputs] and biases in one float32 vector.

    The trunk's layers stand one behind the other, then one layer of all heads: the logits, the
    value, the hints' factors. `sizes` int64 holds the observation's length, then the outputs of
    each layer. `hints` int64[H, 3]: offset, length, first action.
    """

    weights: np.ndarray
    sizes: np.ndarray
    hints: np.ndarray
    tanh: bool

    @classmethod
    def of(cls, policy: CheckpointPolicy) -> "Network":
        """Return the network of a checkpoint."""
        depth = len(policy.card["network"]["hidden"])
        trunk, heads = policy.layers[:depth], policy.layers[depth:]
        weights, biases = zip(*heads, strict=True)
        layers = [*trunk, (np.hstack(weights), np.hstack(biases))]
        sizes = np.array([policy.game.observation_size, *(len(bias) for _, bias in layers)])
        hints = np.array(policy.hints, np.int64).reshape(-1, 3)
        parts = [part.ravel() for layer in layers for part in layer]
        return cls(np.concatenate(parts), sizes, hints, policy.tanh)


@njit
def forward(
    network: Network, observation: np.ndarray, hidden: np.ndarray, logits: np.ndarray
) -> float:
    """Fill `logits` float32[A] and return the value head's output.

    `hidden` float32[2, >= widest layer] is scratch.
    """
    sizes, weights = network.sizes, network.weights
    inputs, end, here = observation, 0, 0
    for layer in range(1, sizes.size):
        start = end
        middle = start + sizes[layer - 1] * sizes[layer]
        end = middle + sizes[layer]
        outputs = hidden[here, : sizes[layer]]
        linear(inputs, weights[start:middle], weights[middle:end], outputs)
        if layer + 1 < sizes.size:
            for unit in range(outputs.size):
                value = outputs[unit]
                outputs[unit] = np.tanh(value) if network.tanh else max(value, np.float32(0))
        inputs, here = outputs, 1 - here
    logits[:] = inputs[: logits.size]
    factors = inputs[logits.size + 1 :]
    for number in range(len(network.hints)):
        offset, length, action = network.hints[number]
        for place in range(length):
            logits[action + place] += factors[number] * observation[offset + place]
    return float(inputs[logits.size])


@njit
def fill_priors(logits: np.ndarray, mask: np.ndarray, priors: np.ndarray) -> None:
    """Fill `priors` float32[A] with the probabilities of the legal actions, else UNKNOWN."""
    highest = -np.inf
    for action in range(mask.size):
        if mask[action] == 1:
            highest = max(highest, logits[action])
    total = 0.0
    for action in range(mask.size):
        priors[action] = UNKNOWN
        if mask[action] == 1:
            priors[action] = np.exp(logits[action] - highest)
            total += priors[action]
    for action in range(mask.size):
        if mask[action] == 1:
            priors[action] /= total


@njit(nogil=True)
def simulate_guided(
    states: np.ndarray,
    index: int,
    scratch: np.ndarray,
    generator: np.ndarray,
    nodes: Any,
    used: int,
    simulations: int,
    exploration: float,
    kind: int,
    scale: float,
    network: Network,
    priors: np.ndarray,
    values: np.ndarray,
    evaluated: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
) -> int:
    """Run `simulations` from `states[index]`, which stays as it is; return the nodes in use.

    Arguments as those of `tree.simulate`. Once a node is `evaluated` (bool[nodes]), it has a row of
    `priors` float32[nodes, A] and in `values` float64[nodes] what the network expects there for the
    seat that is to move. `observation` float32[OBS] and `mask` int8[A] are scratch.
    """
    seat = np.int64(states[index].to_act)
    players = int(states[index].players)
    scores, places = np.zeros(players, np.int64), np.zeros(players, np.int64)
    rewards = np.zeros(players)
    path, movers = np.zeros(MAX_DEPTH, np.int32), np.zeros(MAX_DEPTH, np.int32)
    hidden = np.empty((2, network.sizes[1:].max()), np.float32)
    logits = np.empty(mask.size, np.float32)
    s = scratch[0]
    for _ in range(simulations):
        scratch[0] = states[index]
        determinize(s, seat, next_bits(generator[0]))
        node, depth = 0, 0
        while s.to_act != OVER and depth < MAX_DEPTH and evaluated[node]:
            legal(s, mask)
            child = best_child(nodes, used, node, mask, priors[node], values[node], exploration)
            if child == 0:
                break  # a full tree that has none of these actions
            used = max(used, child + 1)
            node = child
            path[depth], movers[depth] = node, s.to_act
            depth += 1
            step(s, nodes[node].action)
        if s.to_act == OVER:
            outcome(s, scores, places)
            fill_rewards(scores, places, kind, scale, rewards)
        else:
            legal(s, mask)
            observe(s, s.to_act, observation)
            outcome(s, scores, places)
            fill_rewards(scores, places, SCORE, scale, rewards)  # the standing
            value = rewards[s.to_act] + forward(network, observation, hidden, logits)
            value = min(max(value, -1.0), 1.0)
            if not evaluated[node]:
                evaluated[node], values[node] = True, value
                fill_priors(logits, mask, priors[node])
            rewards[:] = -value / (players - 1)
            rewards[s.to_act] = value
        back_up(nodes, path[:depth], movers, rewards)
    return used


@njit
def best_child(
    nodes: Any,
    used: int,
    node: int,
    mask: np.ndarray,
    priors: np.ndarray,
    node_value: float,
    exploration: float,
) -> int:
    """Return the child with the highest bound (PUCT) among the legal actions; a new one is `used`.

    `mask` int8[A] is used up. An action without a child is taken to be worth the mean of
    `node_value` and what the node's visits brought; in a full tree it does not count. Child 0:
    there is none.
    """
    brought, visits = node_value, 1
    child = nodes[node].child
    while child != 0:
        brought += nodes[child].total
        visits += nodes[child].visits
        child = nodes[child].sibling
    unvisited = brought / visits
    legal_actions = 0
    total = 0.0
    for action in range(mask.size):
        if mask[action] == 1:
            legal_actions += 1
            if priors[action] != UNKNOWN:
                total += priors[action]
    uniform = 1.0 / legal_actions
    total = max(total, 1e-6)
    weight = exploration * np.sqrt(nodes[node].visits)
    best, best_action, best_bound = 0, -1, -np.inf
    child = nodes[node].child
    while child != 0:
        one = nodes[child]
        if mask[one.action] == 1:
            mask[one.action] = 0
            prior = priors[one.action] / total if priors[one.action] != UNKNOWN else uniform
            bound = one.total / one.visits + weight * prior / (1 + one.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        child = one.sibling
    for action in range(mask.size if used < nodes.size else 0):
        if mask[action] == 1:
            prior = priors[action] / total if priors[action] != UNKNOWN else uniform
            bound = unvisited + weight * prior
            if bound > best_bound:
                best, best_action, best_bound = used, action, bound
    if best == used and best_action >= 0:
        add_child(nodes, used, node, best_action)
    return best
