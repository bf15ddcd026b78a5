"""Saved weights as a policy: two files, NumPy, no torch, nothing that could run code when opened.

A checkpoint is a folder with `weights.safetensors` (float32: `trunk.0.weight` [h0, OBS],
`trunk.0.bias`, `trunk.1.weight` ..., `action.weight` [A, h], `action.bias`, `value.weight` [1, h],
`value.bias`, perhaps `hint.weight` [hints, h] and `hint.bias`) and `bot.json`, the card. Playing
reads no other file in it.

The activation follows every trunk layer, the rest is linear. `network.hints` in the card lists
[offset, length, action]: that part of the observation, times the hint's output, is added to the
logits of as many actions from `action` on. The value head says what will be added to the standing,
which is the `score` reward if the game ended now.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError

from ..envs import Game, get_game
from .inference import linear_batch
from .network import NetworkPolicy
from .policy import Batch

FORMAT = 1
WEIGHTS, CARD = "weights.safetensors", "bot.json"
EXPORTED = "emberdeck-onnx"  # `kind` in the card of an exported bot
ACTIVATIONS = ("relu", "tanh")
CARD_TYPES = {
    "game": str,
    "game_version": int,
    "layout_hash": str,
    "players": int,
    "options": dict,
    "network": dict,
    "step": int,
    "metrics": dict,
    "emberdeck_version": str,
}


class CheckpointPolicy(NetworkPolicy):
    """A saved network, one forward pass in float32 NumPy for all decisions of a batch.

    `weights` and `card` are those of a checkpoint that `load_checkpoint` has checked.
    """

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        card: Mapping[str, Any],
        mode: str | float = "sample",
        seed: int = 0,
    ) -> None:
        super().__init__(card, mode, seed)
        self.tanh = card["network"]["activation"] == "tanh"
        layers = [f"trunk.{number}" for number in range(len(card["network"]["hidden"]))]
        self._trunk = [_layer(weights, layer) for layer in layers]
        self._action, self._value = _layer(weights, "action"), _layer(weights, "value")
        self.hints: list[list[int]] = card["network"].get("hints", [])
        self._hint = _layer(weights, "hint") if self.hints else None

    @property
    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The (weight [inputs, outputs], bias) pairs: trunk, action head, value head, any hints."""
        return [*self._trunk, self._action, self._value, *([self._hint] if self._hint else [])]

    def logits(self, batch: Batch) -> np.ndarray:
        """Return the logit of every action, float32[B, A], the illegal ones' too."""
        features = self._features(batch)
        weight, bias = self._action
        logits = features @ weight + bias
        if self._hint:
            weight, bias = self._hint
            factors = features @ weight + bias
            for number, (offset, length, action) in enumerate(self.hints):
                hint = batch.observation[:, offset : offset + length]
                logits[:, action : action + length] += factors[:, number, None] * hint
        return logits

    def added(self, batch: Batch) -> np.ndarray:
        """Return what the value head expects to be added to each seat's standing, float32[B]."""
        weight, bias = self._value
        return (self._features(batch) @ weight + bias)[:, 0]

    def _features(self, batch: Batch) -> np.ndarray:
        self.check_game(batch)
        weight, bias = self._trunk[0]
        hidden = np.empty((len(batch.observation), len(bias)), np.float32)
        linear_batch(batch.observation, weight, bias, hidden)
        for weight, bias in self._trunk[1:]:
            hidden = self._activate(hidden) @ weight + bias
        return self._activate(hidden)

    def _activate(self, hidden: np.ndarray) -> np.ndarray:
        return np.tanh(hidden, out=hidden) if self.tanh else np.maximum(hidden, 0, out=hidden)


def save_checkpoint(
    folder: str | Path,
    weights: Mapping[str, np.ndarray],
    card: Mapping[str, Any],
    extra_files: Mapping[str, bytes] | None = None,
) -> None:
    """Write a checkpoint, the whole folder or nothing (see `write_folder`).

    Raises ValueError on what `load_checkpoint` would refuse, and on a folder that exists.
    """
    folder = Path(folder)
    if folder.exists():
        raise ValueError(f"{folder} exists already")
    card = {"format": FORMAT, **card}
    _check(folder, weights, card)
    tensors = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    files = {
        WEIGHTS: safetensors.numpy.save(tensors),
        CARD: json.dumps(card, indent=2).encode() + b"\n",
        **(extra_files or {}),
    }
    write_folder(folder, files)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files: it appears at once and whole, or (killed, disk full) not at all.

    It is written beside its place, under a name with a leading dot, and renamed when all is on
    disk. A folder that is there already is replaced by it; killed between the two renames, it is
    put back by the next call.
    """
    folder = folder.resolve()
    partial = folder.with_name(f".{folder.name}.partial")
    replaced = folder.with_name(f".{folder.name}.replaced")
    if replaced.exists() and not folder.exists():  # killed between the renames
        replaced.rename(folder)
    for left in (partial, replaced):  # by a killed process
        shutil.rmtree(left, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, content in files.items():
        with (partial / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    _sync_folder(partial)
    if folder.exists():
        folder.rename(replaced)
    partial.rename(folder)
    _sync_folder(folder.parent)
    shutil.rmtree(replaced, ignore_errors=True)


def load_checkpoint(
    folder: str | Path, mode: str | float = "sample", seed: int = 0
) -> CheckpointPolicy:
    """Return the checkpoint in `folder` as a policy.

    Raises ValueError, one line that names the folder, if a file is missing or damaged, a weight is
    missing, misshapen or not finite, or the game's layout is not the one it was trained on.
    """
    folder = Path(folder)
    card = read_card(folder)
    if card.get("kind") == EXPORTED:
        raise ValueError(f"{folder} is an exported bot: here only a checkpoint will do")
    content = read_file(folder, WEIGHTS)
    try:
        weights = safetensors.numpy.load(content)
    except (SafetensorError, KeyError, ValueError) as error:
        raise ValueError(f"{folder}: {WEIGHTS} is damaged or foreign") from error
    _check(folder, weights, card)
    return CheckpointPolicy(weights, card, mode, seed)


def _layer(weights: Mapping[str, np.ndarray], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return copies of a layer's weight, [inputs, outputs], and bias."""
    return weights[f"{name}.weight"].T.copy(order="C"), weights[f"{name}.bias"].copy()


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be opened
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def read_file(folder: Path, name: str) -> bytes:
    """Return what is in a bot's file; ValueError if it cannot be read."""
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ValueError(f"{folder} is no checkpoint: cannot read {name}") from error


def read_card(folder: Path) -> dict[str, Any]:
    """Return the card of the checkpoint or exported bot in `folder`; ValueError if it has none."""
    content = read_file(folder, CARD)
    try:
        card = json.loads(content)
    except ValueError:
        card = None
    if not isinstance(card, dict):
        raise ValueError(f"{folder}: {CARD} is not a JSON object")
    return card


def check_card(folder: Path, card: Mapping[str, Any], types: Mapping[str, type]) -> Game:
    """Return the game of a card; ValueError, naming `folder`, if it does not fit this package.

    `types` lists the keys that the card must have.
    """
    if card.get("format") != FORMAT:
        raise ValueError(f"{folder}: format {card.get('format')!r}, this version reads {FORMAT}")
    for key, kind in types.items():
        if not isinstance(card.get(key), kind):
            raise ValueError(f"{folder}: {CARD} needs {key!r}, of type {kind.__name__}")
    try:
        game = get_game(card["game"])
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from error
    if card["layout_hash"] != game.layout_hash:
        raise ValueError(
            f"{folder}: trained on another layout of {game.name} (version "
            f"{card['game_version']}, here {game.version}): observation or actions differ"
        )
    return game


def _check(folder: Path, weights: Mapping[str, np.ndarray], card: Mapping[str, Any]) -> None:
    """Raise ValueError, naming `folder`, if the card or the weights do not fit this package."""
    game = check_card(folder, card, CARD_TYPES)
    shapes = _shapes(folder, game, card["network"])
    if unknown := sorted(set(weights) - set(shapes)):
        raise ValueError(f"{folder}: weight {unknown[0]} does not belong to the network in {CARD}")
    for name, shape in shapes.items():
        array = weights.get(name)
        if array is None or array.shape != shape or array.dtype != np.float32:
            found = "none" if array is None else f"{array.dtype}{list(array.shape)}"
            raise ValueError(f"{folder}: weight {name} is {found}, not float32{list(shape)}")
        if not np.isfinite(array).all():
            raise ValueError(f"{folder}: weight {name} holds NaN or infinity")


def _shapes(folder: Path, game: Game, network: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight of the network that a card describes."""
    hidden, activation = network.get("hidden"), network.get("activation")
    whole = isinstance(hidden, list) and all(type(size) is int and size > 0 for size in hidden)
    if not hidden or not whole:
        raise ValueError(f"{folder}: network.hidden must list sizes > 0, not {hidden!r}")
    if activation not in ACTIVATIONS:
        allowed = " or ".join(ACTIVATIONS)
        raise ValueError(f"{folder}: network.activation must be {allowed}, not {activation!r}")
    trunk = {f"trunk.{number}": size for number, size in enumerate(hidden)}
    layers = trunk | {"action": game.num_actions, "value": 1}
    hints = network.get("hints", [])
    if hints not in ([], game.hints):
        known = f"those of {game.name} are {game.hints}"
        raise ValueError(f"{folder}: network.hints must be empty or fit: {known}, not {hints!r}")
    layers |= {"hint": len(hints)} if hints else {}
    inputs = (game.observation_size, *hidden, *[hidden[-1]] * (len(layers) - len(hidden) - 1))
    shapes: dict[str, tuple[int, ...]] = {}
    for (name, outputs), size in zip(layers.items(), inputs, strict=True):
        shapes |= {f"{name}.weight": (outputs, size), f"{name}.bias": (outputs,)}
    return shapes
