"""A checkpoint as a folder for other programs: an ONNX network, its card, golden vectors, pages.

The graph is built from the checkpoint's layers, without torch. It masks: a legal action's logit is
clipped to +-LIMIT, an illegal one's is ILLEGAL, so whatever the network says an illegal action is
never the best one. Both constants are finite in float16 too. A NaN stays a NaN.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..envs import Game, State
from ..envs.game import AUTO
from .checkpoint import CARD, EXPORTED, FORMAT, CheckpointPolicy, load_checkpoint, write_folder
from .export_pages import model_card, readme
from .network import NetworkPolicy
from .onnx_bot import MODEL, OnnxPolicy, is_exported, tensors
from .policy import Decisions, Policy, checkpoint_folder
from .scripted import RandomPolicy

OPSETS = range(15, 28)
OPSET = 15  # the newest that all versions of Unity's engine read; nothing here needs more
ILLEGAL, LIMIT = -30_000.0, 20_000.0
TOLERANCE = 1e-4  # between the network in NumPy and in onnxruntime
VECTORS, README, MODEL_CARD = "vectors.json", "README.md", "MODEL_CARD.md"
FILES = (MODEL, CARD, VECTORS, README, MODEL_CARD)


def export(
    source: str,
    folder: str | Path,
    opset: int = OPSET,
    num_vectors: int = 100,
    force: bool = False,
) -> dict[str, Any]:
    """Write the checkpoint that `source` names to `folder`; return the card of the exported bot.

    The golden vectors are played by onnxruntime before anything is written. `force` replaces an
    exported bot. Raises ValueError on a source, an opset or a folder that will not do.
    """
    folder = Path(folder)
    check_place(folder, force)
    if opset not in OPSETS:
        raise ValueError(f"opset must be from {OPSETS[0]} to {OPSETS[-1]}, not {opset}")
    if "@" not in source and not (source and Path(source).is_dir()):
        raise ValueError(f"{source!r} is no checkpoint folder, RUN@latest or RUN@best")
    policy = load_checkpoint(checkpoint_folder(source))
    model = build_model(policy, opset)
    card = exported_card(policy, opset, model)
    vectors = golden_vectors(policy, num_vectors, OnnxPolicy(model, card))
    lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors)
    parameters = sum(array.size for layer in policy.layers for array in layer)
    texts = {
        CARD: json.dumps(card, indent=2) + "\n",
        VECTORS: f'{{"game": "{policy.game.name}", "vectors": [\n{lines}\n]}}\n',
        README: readme(card, len(vectors)),
        MODEL_CARD: model_card(card, parameters),
    }
    write_folder(folder, {MODEL: model} | {name: text.encode() for name, text in texts.items()})
    return card


def check_place(folder: Path, force: bool) -> None:
    """Raise ValueError if there is something at `folder` that may not be replaced."""
    if folder.resolve() == Path.cwd():
        raise ValueError(f"{folder} is the current folder: name one in it")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file")
    names = sorted(file.name for file in folder.iterdir()) if folder.exists() else []
    if names and not force:
        raise ValueError(f"{folder} is not empty: --force replaces an exported bot")
    if foreign := [name for name in names if name not in FILES]:
        raise ValueError(f"{folder} holds {foreign[0]}, which is no part of an exported bot")
    if names and not is_exported(folder):
        raise ValueError(f"{folder} is no exported bot: --force does not replace it")


def build_model(policy: CheckpointPolicy, opset: int) -> bytes:
    """Return the network of a checkpoint as an ONNX model, checked by ONNX's own checker."""
    from onnx import TensorProto, checker, helper, numpy_helper

    nodes, constants = [], []

    def constant(name: str, array: Any, dtype: type = np.float32) -> str:
        constants.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def node(operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(operator, inputs, [output], output, **attributes))
        return output

    def layer(name: str, features: str) -> str:
        weight, bias = next(layers)
        parameters = [constant(f"{name}.weight", weight), constant(f"{name}.bias", bias)]
        return node("Gemm", [features, *parameters], f"{name}.output")

    layers, game = iter(policy.layers), policy.game
    features = "observation"
    for number in range(len(policy.card["network"]["hidden"])):
        activation = "Tanh" if policy.tanh else "Relu"
        features = node(activation, [layer(f"trunk.{number}", features)], f"trunk.{number}.active")
    logits, value = layer("action", features), layer("value", features)
    factors = layer("hint", features) if policy.hints else ""
    for number, (offset, length, action) in enumerate(policy.hints):
        name = f"hint.{number}"
        axis = constant(f"{name}.axis", [1], np.int64)
        parts = []
        for source, part, start, end in (
            ("observation", "block", offset, offset + length),
            (factors, "factor", number, number + 1),
        ):
            bounds = [constant(f"{name}.{part}.start", [start], np.int64)]
            bounds += [constant(f"{name}.{part}.end", [end], np.int64)]
            parts.append(node("Slice", [source, *bounds, axis], f"{name}.{part}"))
        product = node("Mul", parts, f"{name}.product")
        pads = [0, action, 0, game.num_actions - action - length]
        padded = node("Pad", [product, constant(f"{name}.pads", pads, np.int64)], f"{name}.padded")
        logits = node("Add", [logits, padded], f"{name}.sum")
    limits = [constant("lowest", -LIMIT), constant("highest", LIMIT)]
    clipped = node("Clip", [logits, *limits], "clipped")
    legal = node("Greater", ["action_mask", constant("half", 0.5)], "legal")
    node("Where", [legal, clipped, constant("illegal", ILLEGAL)], "logits")
    node("Reshape", [value, constant("flat", [-1], np.int64)], "value")

    infos = {
        name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in tensors(game).items()
    }
    inputs, outputs = list(infos.values())[:2], list(infos.values())[2:]
    graph = helper.make_graph(nodes, game.name, inputs, outputs, constants)
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(
        graph,
        opset_imports=imports,
        ir_version=helper.find_min_ir_version_for(imports),  # for older runtimes
        producer_name="emberdeck",
        producer_version=__version__,
    )
    helper.set_model_props(model, {"game": game.name, "layout_hash": game.layout_hash})
    checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def exported_card(policy: CheckpointPolicy, opset: int, model: bytes) -> dict[str, Any]:
    """Return what `bot.json` says: all that a program needs to feed the network."""
    game, card = policy.game, policy.card
    described = [
        {"name": name, "dtype": "float32", "shape": shape} for name, shape in tensors(game).items()
    ]
    return {
        "format": FORMAT,
        "kind": EXPORTED,
        "game": game.name,
        "title": game.title,
        "game_version": game.version,
        "layout_hash": game.layout_hash,
        "emberdeck_version": __version__,
        "players": list(game.players),
        "trained_players": card["players"],
        "options": card["options"],
        "score_scale": game.score_scale,
        "mode": "sample",
        "opset": opset,
        "sha256": hashlib.sha256(model).hexdigest(),
        "inputs": described[:2],
        "outputs": described[2:],
        "network": card["network"],
        "step": card["step"],
        "metrics": card["metrics"],
        "blocks": [
            {key: value for key, value in asdict(block).items() if value is not None}
            for block in game.observation_blocks
        ],
        "actions": list(game.action_names),
    }


def golden_vectors(
    policy: CheckpointPolicy, count: int, exported: OnnxPolicy
) -> list[dict[str, Any]]:
    """Return decisions of real games with all that goes into the network and comes out of it.

    They are spread over the seat counts, the options' values and the phases. Raises ValueError if
    `exported` does not compute what `policy` does.
    """
    game, states = policy.game, pick_states(policy, count)
    singles = [Decisions.single(state) for state in states]
    arrays = ("observation", "mask", "seat", "states")
    batch = Decisions(game, *(np.concatenate([getattr(s, a) for s in singles]) for a in arrays))
    with np.errstate(over="ignore", invalid="ignore"):
        clipped = policy.logits(batch).clip(-LIMIT, LIMIT)
        logits, added = np.where(batch.mask, clipped, np.float32(ILLEGAL)), policy.added(batch)
    for mine, theirs in ((exported.logits(batch), logits), (exported.added(batch), added)):
        if not np.allclose(mine, theirs, TOLERANCE, TOLERANCE):
            raise ValueError(f"{policy.name}: onnxruntime computes something else than NumPy")
    return [
        {
            "players": state.players,
            "options": state.options,
            "seat": seat,
            "view": state.view(seat),
            "observation": observation.tolist(),
            "legal_actions": state.legal_actions(),
            "logits": row.tolist(),
            "value": float(value),
            "action": int(row.argmax()),
        }
        for state, seat, observation, row, value in zip(
            states, batch.seat.tolist(), batch.observation, logits, added, strict=True
        )
    ]


def pick_states(policy: NetworkPolicy, count: int) -> list[State]:
    """Return decisions of games played by `policy` and at random: of each setup and phase in turn.

    The same for the same policy, at the same point of its generator.
    """
    groups: dict[str, list[State]] = {}
    players = itertools.cycle([policy, RandomPolicy(policy.game)])
    for seed, player in enumerate(players):
        for state in played_states(player, policy.game, seed):
            label = f"{state.players} {state.options} {state.phase}"
            groups.setdefault(label, []).append(state)
        if seed > 0 and sum(map(len, groups.values())) >= count:
            break
    rng = np.random.default_rng(0)
    for group in groups.values():
        rng.shuffle(group)
    in_turn = itertools.zip_longest(*groups.values())
    states = [state for turn in in_turn for state in turn if state is not None]
    return states[:count]


def played_states(player: Policy, game: Game, seed: int) -> Iterator[State]:
    """Play one game of every setup; yield a copy of the state at each decision."""
    for players, options in setups(game):
        state = game.new(players, options, seed)
        while not state.over:
            yield state.copy()
            state.apply(int(player.act(Decisions.single(state))[0]))


def setups(game: Game) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every number of players with every combination of the options' plain values."""
    values = [
        [value for value in option.values if not (option.automatic and value == AUTO)]
        for option in game.options.values()
    ]
    for players, chosen in itertools.product(game.players, itertools.product(*values)):
        yield players, dict(zip(game.options, chosen, strict=True))
