"""Checkpoints: what is written is what plays, and nothing damaged or foreign is loaded."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from emberdeck.envs import GAMES
from emberdeck.policies import checkpoint
from emberdeck.policies.checkpoint import load_checkpoint, save_checkpoint
from emberdeck.policies.inference import pick
from emberdeck.policies.policy import Decisions, load

from .policy_helpers import GAME_NAMES, decisions, network, standings, write_checkpoint

GAME = GAMES[GAME_NAMES[0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_checkpoint(tmp_path / "bot", GAME)


def reference(weights: dict, activation: str, batch: Decisions) -> tuple[np.ndarray, np.ndarray]:
    """Masked probabilities and values in float64, as the format describes them."""
    hidden = batch.observation.astype(np.float64)
    for layer in range(2):
        hidden = hidden @ weights[f"trunk.{layer}.weight"].T + weights[f"trunk.{layer}.bias"]
        hidden = np.tanh(hidden) if activation == "tanh" else np.maximum(hidden, 0)
    logits = hidden @ weights["action.weight"].T + weights["action.bias"]
    for number, (offset, length, action) in enumerate(batch.game.hints):
        factor = hidden @ weights["hint.weight"][number] + weights["hint.bias"][number]
        hint = batch.observation[:, offset : offset + length]
        logits[:, action : action + length] += factor[:, None] * hint
    chances = np.exp(logits - logits.max(1, keepdims=True)) * batch.mask
    values = hidden @ weights["value.weight"].T + weights["value.bias"]
    return chances / chances.sum(1, keepdims=True), values[:, 0]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_network_of_the_format_at_every_batch_size(game, activation, tmp_path):
    batch = decisions(GAMES[game], 65)
    weights, _ = network(GAMES[game], activation=activation)
    policy = load_checkpoint(write_checkpoint(tmp_path / "b", GAMES[game], activation=activation))
    chances, values = reference(weights, activation, batch)
    values = values + standings(batch)
    for size in (1, 2, 3, 16, 65):
        part = Decisions.of(batch, np.arange(size))
        got = policy.probabilities(part)
        assert got.dtype == np.float32
        assert policy.values(part).dtype == np.float32
        np.testing.assert_allclose(got, chances[:size], atol=2e-6)
        np.testing.assert_allclose(policy.values(part), values[:size], atol=2e-5)
        assert (got[part.mask == 0] == 0).all()


@pytest.mark.parametrize("draw", [0.0, 0.5, 1 - 2**-53])
def test_an_action_without_a_chance_is_never_picked(draw):
    logits = np.array([[9, -1e30, 0, 9, -1e30, 9]], np.float32)  # 9: not legal
    mask = np.array([[0, 1, 1, 0, 1, 0]], np.int8)
    actions = np.zeros(1, np.int64)
    assert pick(logits, mask, 1.0, np.array([draw]), actions)
    assert actions[0] == 2
    assert not pick(logits, mask * 0, 1.0, np.array([draw]), actions)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_legal_logit_that_is_not_finite_is_refused(temperature, value):
    logits = np.array([[np.nan, 0, value, 1]], np.float32)
    draws, actions = np.array([0.5]), np.zeros(1, np.int64)
    assert not pick(logits, np.array([[0, 1, 1, 1]], np.int8), temperature, draws, actions)
    assert pick(logits, np.array([[0, 1, 0, 1]], np.int8), temperature, draws, actions)


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
def test_a_network_that_overflows_gives_a_clear_error(tmp_path):
    weights, card = network(GAME)
    for name in weights:
        weights[name][:] = np.float32(3e38)
    save_checkpoint(tmp_path / "bot", weights, card)
    policy, batch = load_checkpoint(tmp_path / "bot"), decisions(GAME, 2)
    for question in (policy.act, policy.probabilities, policy.values):
        with pytest.raises(ValueError, match=r"step 1000': the network's (logits|value) holds NaN"):
            question(batch)


def test_a_checkpoint_plays_its_own_game_only(folder, monkeypatch):
    policy = load_checkpoint(folder)
    batch = decisions(GAME, 2)
    assert policy.name == f"{GAME.name} step 1000"
    monkeypatch.setattr(policy, "game", type("Game", (), {"name": "whist"}))
    with pytest.raises(ValueError, match=rf"plays whist, not {GAME.name}"):
        policy.act(batch)


def test_load_refuses_a_checkpoint_of_another_game(folder, monkeypatch):
    other = type("Game", (), {"name": "whist"})
    monkeypatch.setattr("emberdeck.policies.policy.get_game", lambda _: other)
    with pytest.raises(ValueError, match=rf"'{folder}' plays {GAME.name}, not whist"):
        load(str(folder), "whist")


def test_save_writes_the_format_and_the_extra_files(tmp_path):
    weights, card = network(GAME)
    folder = tmp_path / "deep" / "bot"
    save_checkpoint(folder, weights, card, {"resume.json": b"{}"})
    names = {"weights.safetensors", "bot.json", "resume.json"}
    assert {file.name for file in folder.iterdir()} == names
    assert [file.name for file in folder.parent.iterdir()] == ["bot"]
    assert json.loads((folder / "bot.json").read_text()) == {"format": 1, **card}
    tensors = safetensors.numpy.load_file(folder / "weights.safetensors")
    assert all(np.array_equal(tensors[name], array) for name, array in weights.items())


def test_save_takes_arrays_of_any_memory_order(tmp_path):
    weights, card = network(GAME)
    save_checkpoint(tmp_path / "bot", {k: np.asfortranarray(v) for k, v in weights.items()}, card)
    tensors = safetensors.numpy.load_file(tmp_path / "bot" / "weights.safetensors")
    assert all(np.array_equal(tensors[name], array) for name, array in weights.items())


def test_save_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    weights, card = network(GAME)
    calls = []

    def killed(_: int) -> None:
        calls.append(_)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            save_checkpoint(tmp_path / "bot", weights, card)
    assert not (tmp_path / "bot").exists()
    save_checkpoint(tmp_path / "bot", weights, card)  # what the first one left is in nobody's way
    assert [file.name for file in tmp_path.iterdir()] == ["bot"]
    load_checkpoint(tmp_path / "bot")


def test_save_refuses_a_folder_that_exists(folder):
    with pytest.raises(ValueError, match=rf"^{re.escape(str(folder))} exists already$"):
        save_checkpoint(folder, *network(GAME))


def test_save_refuses_what_could_not_be_loaded(tmp_path):
    weights, card = network(GAME)
    weights["value.bias"][0] = np.nan
    with pytest.raises(ValueError, match=r"weight value\.bias holds NaN or infinity"):
        save_checkpoint(tmp_path / "bot", weights, card)
    assert not list(tmp_path.iterdir())


def refused(folder: Path, reason: str) -> None:
    """Check that `folder` does not load, for this reason, in one line that names it."""
    with pytest.raises(ValueError, match=reason) as caught:
        load_checkpoint(folder)
    message = str(caught.value)
    assert message.startswith(str(folder))
    assert "\n" not in message


def change_card(folder: Path, **changes) -> None:
    card = json.loads((folder / "bot.json").read_text()) | changes
    (folder / "bot.json").write_text(json.dumps(card))


def change_weights(folder: Path, **changes) -> None:
    file = folder / "weights.safetensors"
    tensors = safetensors.numpy.load_file(file) | changes
    safetensors.numpy.save_file({k: v for k, v in tensors.items() if v is not None}, file)


@pytest.mark.parametrize("name", ["bot.json", "weights.safetensors"])
def test_refuses_a_missing_file(folder, name):
    (folder / name).unlink()
    refused(folder, f"is no checkpoint: cannot read {name}$")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff\xfe", b"\x80\x04N."])
def test_refuses_a_card_that_is_no_json_object(folder, content):
    (folder / "bot.json").write_bytes(content)
    refused(folder, r"bot\.json is not a JSON object$")


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.999])
def test_refuses_truncated_weights(folder, part):
    content = (folder / "weights.safetensors").read_bytes()
    (folder / "weights.safetensors").write_bytes(content[: int(part * len(content))])
    refused(folder, r"weights\.safetensors is damaged or foreign$")


@pytest.mark.parametrize("content", [b"PK\x03\x04" * 99, b"\x80\x04N." * 99, b"hello" * 99])
def test_refuses_a_foreign_file(folder, content):
    (folder / "weights.safetensors").write_bytes(content)
    refused(folder, r"weights\.safetensors is damaged or foreign$")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["trunk.1.weight", "action.bias"])
def test_refuses_weights_that_are_not_finite(folder, name, value):
    array = network(GAME)[0][name]
    array.flat[3] = value
    change_weights(folder, **{name: array})
    refused(folder, f"weight {name} holds NaN or infinity$")


@pytest.mark.parametrize("name", ["trunk.0.weight", "trunk.1.bias", "action.weight", "value.bias"])
def test_refuses_a_missing_misshapen_or_mistyped_weight(folder, name):
    array = network(GAME)[0][name]
    for wrong, found in (
        (None, "none"),
        (array[:-1].copy(), "float32"),
        (array[None].copy(), "float32"),
        (array.astype(np.float64), "float64"),
    ):
        change_weights(folder, **{name: wrong})
        refused(folder, rf"weight {name} is {found}.*, not float32\[")


def test_refuses_a_weight_too_many(folder):
    change_weights(folder, **{"trunk.2.weight": np.zeros((8, 8), np.float32)})
    refused(folder, r"weight trunk\.2\.weight does not belong to the network in bot\.json$")


def test_refuses_another_layout(folder):
    change_card(folder, layout_hash="0" * 16, game_version=99)
    refused(folder, rf"another layout of {GAME.name} \(version 99, here {GAME.version}\)")


def test_refuses_an_unknown_game(folder):
    change_card(folder, game="whist")
    refused(folder, "there is no game 'whist'")


@pytest.mark.parametrize("version", [0, 2, None, "1"])
def test_refuses_an_unknown_format(folder, version):
    change_card(folder, format=version)
    refused(folder, rf"format {version!r}, this version reads 1$")


@pytest.mark.parametrize("key", checkpoint.CARD_TYPES)
def test_refuses_a_card_without_a_key(folder, key):
    change_card(folder, **{key: None})
    refused(folder, rf"bot\.json needs '{key}', of type")


@pytest.mark.parametrize("hidden", [None, [], 16, [16, 0], [16, -8], [16.0, 8], ["16", 8]])
def test_refuses_impossible_layers(folder, hidden):
    change_card(folder, network={"hidden": hidden, "activation": "relu"})
    refused(folder, r"network\.hidden must list sizes > 0, not ")


def test_refuses_an_unknown_activation(folder):
    change_card(folder, network={"hidden": [16, 8], "activation": "gelu"})
    refused(folder, r"network\.activation must be relu or tanh, not 'gelu'$")


def test_playing_a_checkpoint_imports_no_torch_and_the_package_no_numba(folder):
    code = f"""
import sys
import emberdeck
assert "numba" not in sys.modules
from emberdeck.policies.inference import pick
from emberdeck.policies.policy import Decisions, load
policy = load({str(folder)!r})
state = policy.game.new(seed=1)
while not state.over:
    state.apply(policy.act(Decisions.single(state))[0])
loaded = {{"torch", "stable_baselines3", "sb3_contrib"}} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=300)
