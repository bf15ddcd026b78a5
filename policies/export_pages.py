"""The two pages that go with an exported bot: how to use it, and what it is."""

from collections.abc import Mapping
from typing import Any

README = """\
# {title}: a bot

A neural network that plays {title}, exported by Emberdeck {emberdeck_version}. It is one ONNX
file, for any ONNX runtime. What kind of player it is: [MODEL_CARD.md](MODEL_CARD.md).

| file | what |
| --- | --- |
| `bot.onnx` | the network: opset {opset}, batches of any size |
| `bot.json` | the game, tensors, every block of the observation, every action by id |
| `vectors.json` | {num_vectors} decisions of real games, to test your program against |

## The network

| tensor | dtype | shape | what |
| --- | --- | --- | --- |
| `observation` | float32 | batch x {observation_size} | what the acting seat knows, see `blocks` |
| `action_mask` | float32 | batch x {num_actions} | 1 for a legal action, 0 for the others |
| `logits` | float32 | batch x {num_actions} | how much it likes an action; -30000: illegal |
| `value` | float32 | batch | what it expects to be added to the standing |

To move, take the action with the highest logit, or draw one with the probabilities
softmax(logits): that is how it was trained (`"mode": "sample"`), and less predictable. Dividing
the logits by a temperature below 1 first lies between the two. A logit that is NaN means that the
observation was broken: do not play on.

The standing is the `score` reward if the game ended now: own score minus the mean of the others',
divided by {score_scale}, clipped to [-1, 1].

## In Python

```python
from emberdeck.policies.policy import Decisions, load

policy = load("path/of/this/folder", mode="greedy")
state = policy.game.new()
action = policy.act(Decisions.single(state))[0]
```

That needs `pip install "emberdeck[export]"`, not torch. Without Emberdeck, in this folder:

```python
import json
from pathlib import Path

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession("bot.onnx")
card = json.loads(Path("bot.json").read_text())
vector = json.loads(Path("vectors.json").read_text())["vectors"][0]
mask = np.zeros((1, len(card["actions"])), np.float32)
mask[0, vector["legal_actions"]] = 1
observation = np.array([vector["observation"]], np.float32)
logits, value = session.run(None, {{"observation": observation, "action_mask": mask}})
print(card["actions"][logits[0].argmax()], value[0])
```

## In another language

Your program knows the acting seat's view of the game as a JSON document (`view` in
`vectors.json`). From it, write each of the `blocks` in `bot.json` to the elements of the
observation from `offset` on; nothing else goes in. Test that with `vectors.json`: `view` and `seat`
give `observation`; `observation` and `legal_actions` give `logits` and `value` within 0.0001, and
`action`, the best one, wherever the two highest logits differ by more than that.
"""

MODEL_CARD = """\
# Model card: a bot for {title}

| | |
| --- | --- |
| plays | {title} (`{game}`), version {game_version} of actions and observations |
| seats | trained with {trained_players}; the observation allows {seats} |
| options | trained with {trained_options} |
| training | self-play reinforcement learning, {step:,} decisions |
| network | {hidden} hidden units, {activation}, {hints} hints; {parameters:,} parameters |
| layout | `{layout_hash}` |

## Evaluation

{evaluation}

## Use

Meant as an opponent or an adviser in {title}. It sees only what its seat may know. With other
numbers of seats or options than it was trained with its moves are legal, but nothing here says how
good they are. It learned from games against itself and other programs, not from data of people.
"""

NOT_EVALUATED = "This checkpoint was not evaluated when it was saved."


def readme(card: Mapping[str, Any], num_vectors: int) -> str:
    """Return the README.md of an exported bot, for whoever receives the folder."""
    return README.format(
        **card,
        num_vectors=num_vectors,
        num_actions=len(card["actions"]),
        observation_size=card["inputs"][0]["shape"][1],
    )


def model_card(card: Mapping[str, Any], parameters: int) -> str:
    """Return the MODEL_CARD.md of an exported bot with that many parameters."""
    network, options = card["network"], card["options"]
    return MODEL_CARD.format(
        **card,
        seats=", ".join(map(str, card["players"])),
        trained_options=", ".join(f"{k} {v}" for k, v in options.items()) or "the defaults",
        hidden=" + ".join(map(str, network["hidden"])),
        activation=network["activation"],
        hints=len(network.get("hints", [])) or "no",
        parameters=parameters,
        evaluation=evaluation(card["metrics"]),
    )


def evaluation(metrics: Mapping[str, Any]) -> str:
    """Return the results of the checkpoint's evaluation as a table, each with its interval."""
    if not metrics:
        return NOT_EVALUATED
    rows = [
        "| against | win share | 95 % interval | chance | games |",
        "| --- | --- | --- | --- | --- |",
    ]
    for opponent, figures in metrics.items():
        low, high = figures["win_share_interval"]
        rows.append(
            f"| {opponent} | {figures['win_share']:.3f} | {low:.3f} to {high:.3f} "
            f"| {figures['chance']:.3f} | {figures['games']:,} |"
        )
    return "\n".join(rows)
