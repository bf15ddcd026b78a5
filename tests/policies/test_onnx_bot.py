"""Exported bots as policies: what is loaded, what is refused, and what playing needs."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from emberdeck.envs import GAMES
from emberdeck.policies import onnx_bot
from emberdeck.policies.checkpoint import load_checkpoint
from emberdeck.policies.onnx_bot import OnnxPolicy, load_bot
from emberdeck.policies.policy import load

from .policy_helpers import GAME_NAMES, decisions, write_bot

GAME = GAMES[GAME_NAMES[0]]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bot(tmp_path_factory.mktemp("bots") / "bot", GAME)


@pytest.fixture
def folder(exported: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    return shutil.copytree(exported, tmp_path / "copy")


def refused(folder: Path, reason: str) -> None:
    """Check that `folder` does not load, for this reason, in one line that names it."""
    for open_bot in (load_bot, lambda place: load(str(place))):
        with pytest.raises(ValueError, match=reason) as caught:
            open_bot(folder)
        message = str(caught.value)
        assert str(folder) in message
        assert "\n" not in message


def change_card(folder: Path, **changes) -> None:
    card = json.loads((folder / "bot.json").read_text()) | changes
    (folder / "bot.json").write_text(json.dumps(card))


def change_model(folder: Path, content: bytes) -> None:
    """Replace the network, so that the card still fits."""
    (folder / "bot.onnx").write_bytes(content)
    change_card(folder, sha256=hashlib.sha256(content).hexdigest())


def test_load_knows_an_exported_bot_by_its_card(exported):
    policy = load(str(exported), GAME, "greedy", 3)
    assert isinstance(policy, OnnxPolicy)
    assert (policy.name, policy.game, policy.mode) == (str(exported), GAME, "greedy")
    with pytest.raises(ValueError, match=f"plays {GAME.name}, not {GAME_NAMES[1]}"):
        load(str(exported), GAME_NAMES[1])


def test_only_two_files_are_read_to_play(folder):
    for name in ("vectors.json", "README.md", "MODEL_CARD.md"):
        (folder / name).unlink()
    assert load_bot(folder).act(decisions(GAME, 2)).shape == (2,)


def test_equal_questions_get_equal_answers_bit_for_bit(exported):
    batch = decisions(GAME, 64)
    first, second = load_bot(exported), load_bot(exported)
    for _ in range(3):
        assert first.logits(batch).tobytes() == second.logits(batch).tobytes()
        assert first.added(batch).tobytes() == second.added(batch).tobytes()


def test_a_bot_plays_its_own_game_only(exported):
    other = decisions(GAMES[GAME_NAMES[1]], 2)
    policy = load_bot(exported)
    for question in (policy.act, policy.probabilities, policy.values):
        with pytest.raises(ValueError, match=rf"plays {GAME.name}, not {GAME_NAMES[1]}$"):
            question(other)


def test_decisions_of_several_seat_counts_in_one_batch_keep_their_values(exported):
    policy = load_bot(exported)
    parts = [decisions(GAME, 3, players) for players in reversed(GAME.players)]
    names = ("observation", "mask", "seat", "states")
    both = type(parts[0])(GAME, *(np.concatenate([getattr(p, n) for p in parts]) for n in names))
    for one in (policy, load_checkpoint(exported.with_name("bot-checkpoint"))):
        expected = np.concatenate([one.values(part) for part in parts])
        np.testing.assert_allclose(one.values(both), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["bot.json", "bot.onnx"])
def test_refuses_a_missing_file(folder, name):
    (folder / name).unlink()
    refused(folder, rf"cannot read {re.escape(name)}$")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_refuses_a_card_that_is_no_json_object(folder, content):
    (folder / "bot.json").write_bytes(content)
    refused(folder, r"bot\.json is not a JSON object$")


def test_refuses_a_network_with_a_changed_byte_or_cut_short(folder):
    content = (folder / "bot.onnx").read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (bytes(flipped), content[:-1], content[:100], b""):
        (folder / "bot.onnx").write_bytes(damaged)
        refused(folder, r"bot\.onnx is damaged, or not the one that bot\.json belongs to$")


@pytest.mark.parametrize("content", [b"", b"hello" * 99])
def test_refuses_what_is_no_network(folder, content):
    change_model(folder, content)
    refused(folder, r"onnxruntime cannot load bot\.onnx: ")


def test_refuses_a_network_with_other_tensors(folder):
    info = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["x1"])], "g", [info], [])
    graph.output.append(helper.make_tensor_value_info("x1", TensorProto.FLOAT, [1]))
    imports = [helper.make_opsetid("", 15)]
    foreign = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    mistyped = onnx.load(folder / "bot.onnx")
    mistyped.graph.input[1].name = "mask"
    for node in mistyped.graph.node:
        node.input[:] = ["mask" if name == "action_mask" else name for name in node.input]
    for content in (foreign, mistyped.SerializeToString()):
        change_model(folder, content)
        refused(folder, r"bot\.onnx has not the inputs and outputs of an exported bot$")


def test_refuses_another_layout_game_or_format(folder):
    change_card(folder, layout_hash="0" * 16, game_version=99)
    refused(folder, rf"another layout of {GAME.name} \(version 99, here {GAME.version}\)")
    change_card(folder, game="whist")
    refused(folder, r"there is no game 'whist'")
    change_card(folder, format=2)
    refused(folder, r"format 2, this version reads 1$")


@pytest.mark.parametrize("key", onnx_bot.CARD_TYPES)
def test_refuses_a_card_without_a_key(folder, key):
    change_card(folder, **{key: None})
    refused(folder, rf"bot\.json needs '{key}', of type")


def test_checkpoints_and_exported_bots_are_not_mixed_up(exported):
    with pytest.raises(
        ValueError, match=r"bot is an exported bot: here only a checkpoint will do$"
    ):
        load(f"search:5:{exported}")
    with pytest.raises(
        ValueError, match=r"bot-checkpoint is no exported bot: kind None in bot\.json$"
    ):
        load_bot(exported.with_name("bot-checkpoint"))


def test_a_bad_mode_or_seed_is_refused(exported):
    with pytest.raises(ValueError, match=r"^mode must be sample, greedy or a temperature"):
        load_bot(exported, "best")
    with pytest.raises(ValueError, match="seed must be an int >= 0"):
        load_bot(exported, seed=-1)


def test_playing_an_exported_bot_imports_neither_torch_nor_onnx(exported):
    code = f"""
import sys
import emberdeck
from emberdeck.policies.policy import Decisions, load
assert "onnxruntime" not in sys.modules
policy = load({str(exported)!r})
state = policy.game.new(seed=1)
while not state.over:
    state.apply(policy.act(Decisions.single(state))[0])
assert "onnxruntime" in sys.modules
loaded = {{"torch", "onnx", "stable_baselines3", "sb3_contrib"}} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=300)


def test_without_onnxruntime_its_name_is_in_the_error(exported):
    code = f"""
import sys
sys.modules["onnxruntime"] = None
from emberdeck.policies.policy import load
try:
    load({str(exported)!r})
except ModuleNotFoundError as error:
    assert error.name == "onnxruntime"
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=300)
