"""An exported bot (see policies/export.py) as a policy: NumPy and onnxruntime, no torch, no onnx.

Its folder holds the network, `bot.onnx`, and the card, `bot.json`; nothing else is read to play.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..envs import Game
from .checkpoint import EXPORTED, check_card, read_card, read_file
from .network import NetworkPolicy
from .policy import Batch

MODEL = "bot.onnx"
CARD_TYPES = {
    "game": str,
    "game_version": int,
    "layout_hash": str,
    "trained_players": int,
    "options": dict,
    "step": int,
    "sha256": str,
}


class OnnxPolicy(NetworkPolicy):
    """An exported network, run by onnxruntime on one thread of the CPU.

    `model` and `card` are those of a folder that `load_bot` has checked.
    """

    def __init__(
        self, model: bytes, card: Mapping[str, Any], mode: str | float = "sample", seed: int = 0
    ) -> None:
        super().__init__(card, mode, seed)
        self._model = model
        self._session = _session(model)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_session": None}  # it does not pickle

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state | {"_session": _session(state["_model"])}

    def tensors(self) -> dict[str, list[Any]]:
        """Return the shapes of the network's float32 inputs and outputs."""
        both = [*self._session.get_inputs(), *self._session.get_outputs()]
        return {one.name: one.shape for one in both if one.type == "tensor(float)"}

    def logits(self, batch: Batch) -> np.ndarray:
        """Return the logit of every action, float32[B, A], much lower for illegal ones."""
        return self._run("logits", batch)

    def added(self, batch: Batch) -> np.ndarray:
        """Return what the value head expects to be added to each seat's standing, float32[B]."""
        return self._run("value", batch)

    def _run(self, output: str, batch: Batch) -> np.ndarray:
        self.check_game(batch)
        if not np.isfinite(batch.observation).all():
            raise ValueError(f"policy {self.name!r}: an observation holds NaN or infinity")
        mask = batch.mask.astype(np.float32)
        feeds = {"observation": batch.observation, "action_mask": mask}
        return self._session.run([output], feeds)[0]


def is_exported(folder: Path) -> bool:
    """Tell whether the bot in `folder` is an exported one, by its card."""
    return read_card(folder).get("kind") == EXPORTED


def load_bot(folder: str | Path, mode: str | float = "sample", seed: int = 0) -> OnnxPolicy:
    """Return the exported bot in `folder` as a policy.

    Raises ValueError, one line that names the folder, if a file is missing or damaged or the game's
    layout is not the one it was trained on; ModuleNotFoundError without onnxruntime.
    """
    folder = Path(folder)
    card = read_card(folder)
    if card.get("kind") != EXPORTED:
        raise ValueError(f"{folder} is no exported bot: kind {card.get('kind')!r} in bot.json")
    check_card(folder, card, CARD_TYPES)
    model = read_file(folder, MODEL)
    if hashlib.sha256(model).hexdigest() != card["sha256"]:
        raise ValueError(f"{folder}: {MODEL} is damaged, or not the one that bot.json belongs to")
    try:
        policy = OnnxPolicy(model, card, mode, seed)
    except (ImportError, ValueError):  # no onnxruntime; a bad mode or seed
        raise
    except Exception as error:  # onnxruntime's have no class of their own in common
        reason = str(error).splitlines()[0]
        raise ValueError(f"{folder}: onnxruntime cannot load {MODEL}: {reason}") from error
    if policy.tensors() != tensors(policy.game):
        raise ValueError(f"{folder}: {MODEL} has not the inputs and outputs of an exported bot")
    return policy


def tensors(game: Game) -> dict[str, list[Any]]:
    """Return the shapes of the inputs and outputs that an exported bot has, all of them float32."""
    return {
        "observation": ["batch", game.observation_size],
        "action_mask": ["batch", game.num_actions],
        "logits": ["batch", game.num_actions],
        "value": ["batch"],
    }


def _session(model: bytes) -> Any:
    import onnxruntime  # of the extra `export`

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # one decision is too small to share
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
