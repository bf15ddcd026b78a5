"""An exported network computes what the checkpoint does, and its folder says how to feed it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from emberdeck import __version__
from emberdeck.envs import GAMES, Game
from emberdeck.envs.vector import VectorGame
from emberdeck.policies import checkpoint, export
from emberdeck.policies.checkpoint import CheckpointPolicy, load_checkpoint, save_checkpoint
from emberdeck.policies.export import ILLEGAL, LIMIT, OPSETS, build_model, exported_card, setups
from emberdeck.policies.onnx_bot import OnnxPolicy, load_bot
from emberdeck.policies.policy import Decisions
from emberdeck.policies.scripted import RandomPolicy

from .policy_helpers import GAME_NAMES, decisions, network, write_bot, write_checkpoint

GAME = GAMES[GAME_NAMES[0]]


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory):
    """`bots(game)`: the folder of an exported bot, written once; its checkpoint lies beside it."""
    parent = tmp_path_factory.mktemp("bots")

    def make(game: str) -> Path:
        folder = parent / game
        return folder if folder.exists() else write_bot(folder, GAMES[game], num_vectors=100)

    return make


def both(game: Game, opset: int = 15, change=None, **kwargs) -> tuple[CheckpointPolicy, OnnxPolicy]:
    """Return a random network as NumPy and as onnxruntime play it, `change`d before."""
    weights, card = network(game, **kwargs)
    if change:
        change(weights)
    native = CheckpointPolicy(weights, card, "greedy")
    model = build_model(native, opset)
    return native, OnnxPolicy(model, exported_card(native, opset, model), "greedy")


def varied_decisions(game: Game, count: int) -> Decisions:
    """Return at least `count` decisions of random games of every setup, all along the games."""
    every = list(setups(game))
    parts, num_games, rng = [], 4, RandomPolicy()
    for players, options in every:
        vector = VectorGame(game, num_games, players, options, seed=players)
        for _ in range(-(-count // (len(every) * num_games))):
            parts.append(Decisions.of(vector, np.arange(num_games)))
            for _ in range(5):
                vector.step(rng.act(vector))
    names = ("observation", "mask", "seat", "states")
    return Decisions(game, *(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def rows(batch: Decisions, size: int):
    """Yield the batch in parts of `size`."""
    for start in range(0, len(batch.seat), size):
        yield Decisions.of(batch, np.arange(start, min(start + size, len(batch.seat))))


def clear(policy: CheckpointPolicy, batch: Decisions) -> np.ndarray:
    """Tell for each decision whether the two best logits differ by more than 1e-4."""
    logits = np.sort(np.where(batch.mask, policy.logits(batch), -np.inf), 1)
    return logits[:, -1] - logits[:, -2] > 1e-4


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_exported_equals_native(game, activation, games):
    native, exported = both(GAMES[game], activation=activation)
    batch = varied_decisions(GAMES[game], games(200, 2000))
    assert set(batch.states["players"]) == set(GAMES[game].players)
    sure, moves = clear(native, batch), native.act(batch)
    assert sure.mean() > 0.9
    chances, values = native.probabilities(batch), native.values(batch)
    for size in (1, 7, 64):
        parts = list(rows(batch, size))
        played = np.concatenate([exported.act(part) for part in parts])
        assert np.array_equal(played[sure], moves[sure])
        found = np.concatenate([exported.probabilities(part) for part in parts])
        np.testing.assert_allclose(found, chances, rtol=0, atol=1e-4)
        found = np.concatenate([exported.values(part) for part in parts])
        np.testing.assert_allclose(found, values, rtol=0, atol=1e-4)


@pytest.mark.parametrize("hidden", [(5,), (64, 32, 16)])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_networks_of_other_depths_are_equal_too(game, hidden):
    native, exported = both(GAMES[game], hidden=hidden)
    batch = decisions(GAMES[game], 64)
    np.testing.assert_allclose(
        exported.probabilities(batch), native.probabilities(batch), atol=1e-4
    )


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_network_without_hints_is_equal_too(game):
    weights, card = network(GAMES[game])
    weights = {name: array for name, array in weights.items() if not name.startswith("hint")}
    card["network"]["hints"] = []
    native = CheckpointPolicy(weights, card)
    exported = OnnxPolicy(build_model(native, 15), exported_card(native, 15, b""))
    batch = decisions(GAMES[game], 64)
    np.testing.assert_allclose(
        exported.probabilities(batch), native.probabilities(batch), atol=1e-4
    )


@pytest.mark.parametrize("opset", OPSETS)
def test_every_opset_is_equal_and_of_the_oldest_format_that_has_it(opset):
    game = GAMES["pompeji"]  # has hints
    native, exported = both(game, opset)
    batch = decisions(game, 20)
    np.testing.assert_allclose(
        exported.probabilities(batch), native.probabilities(batch), atol=1e-4
    )
    model = onnx.load_from_string(build_model(native, opset))
    assert [(one.domain, one.version) for one in model.opset_import] == [("", opset)]
    if opset <= 21:
        assert model.ir_version <= 10  # the newest that onnxruntime 1.20 reads


@pytest.mark.parametrize("opset", [14, 28, 0, -1])
def test_an_unknown_opset_is_refused(opset, tmp_path):
    source = write_checkpoint(tmp_path / "bot", GAME)
    with pytest.raises(ValueError, match=rf"^opset must be from 15 to 27, not {opset}$"):
        export.export(str(source), tmp_path / "out", opset)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_tensors_are_as_the_card_says_and_all_in_one_file(game, bots):
    card = json.loads((bots(game) / "bot.json").read_text())
    model = onnx.load(bots(game) / "bot.onnx", load_external_data=False)
    assert not any(one.HasField("data_location") for one in model.graph.initializer)
    for key, found in (("inputs", model.graph.input), ("outputs", model.graph.output)):
        shapes = [
            [d.dim_param or d.dim_value for d in one.type.tensor_type.shape.dim] for one in found
        ]
        types = {one.type.tensor_type.elem_type for one in found}
        assert types == {onnx.TensorProto.FLOAT}
        assert card[key] == [
            {"name": one.name, "dtype": "float32", "shape": shape}
            for one, shape in zip(found, shapes, strict=True)
        ]
    names = [one["name"] for one in card["inputs"] + card["outputs"]]
    assert names == ["observation", "action_mask", "logits", "value"]


def test_the_constants_of_the_mask_are_exact_in_float16():
    assert [float(np.float16(value)) for value in (ILLEGAL, LIMIT)] == [ILLEGAL, LIMIT]
    assert ILLEGAL < -LIMIT


@pytest.mark.parametrize("size", [1e30, -1e30, 3e38, -3e38])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_logits_of_any_size_never_give_an_illegal_move(game, size):
    """Illegal actions get the logit `size`, legal ones the opposite."""
    one = Decisions.of(decisions(GAMES[game], 1), np.array([0]))

    def change(weights):
        weights["action.bias"] = np.where(one.mask[0], -size, size).astype(np.float32)

    _, exported = both(GAMES[game], change=change)
    logits = exported.logits(one)
    assert np.isfinite(logits.astype(np.float16)).all()
    assert one.mask[0, logits[0].argmax()]
    assert (logits[one.mask == 0] == ILLEGAL).all()
    assert one.mask[0, exported.act(one)[0]]
    np.testing.assert_allclose((exported.probabilities(one) * one.mask).sum(), 1, rtol=1e-6)


@pytest.mark.parametrize("factor", [1e4, 1e15, 1e30])
@pytest.mark.parametrize("where", ["weights", "observation"])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_huge_weights_and_observations_give_a_legal_move_or_a_clear_error(game, where, factor):
    def change(weights):
        for name in weights if where == "weights" else ():
            weights[name] *= np.float32(factor)

    _, exported = both(GAMES[game], change=change)
    batch = decisions(GAMES[game], 50)
    if where == "observation":
        batch.observation[:] *= np.float32(factor)
    refused = 0
    for part in rows(batch, 1):
        if np.isnan(exported.logits(part)).any():
            with pytest.raises(ValueError, match=r"logits holds NaN or infinity$"):
                exported.act(part)
            refused += 1
        else:
            assert part.mask[0, exported.act(part)[0]]
    assert refused == 0 or factor > 1e4


def overflow(weights: dict[str, np.ndarray]) -> None:
    """Let the network add infinity and minus infinity."""
    weights["trunk.0.weight"][:] = weights["trunk.0.bias"][:] = 3e38
    weights["trunk.1.weight"][:, ::2], weights["trunk.1.weight"][:, 1::2] = 3e38, -3e38


@pytest.mark.parametrize("game", GAME_NAMES)
def test_nan_is_a_clear_error(game):
    _, exported = both(GAMES[game], change=overflow)
    batch = decisions(GAMES[game], 3)
    reason = rf"^policy '{game} step 1000': the network's logits holds NaN or infinity$"
    for question in (exported.act, exported.probabilities):
        with pytest.raises(ValueError, match=reason):
            question(batch)
    with pytest.raises(ValueError, match=r"the network's value holds NaN or infinity$"):
        exported.values(batch)
    for value in (np.nan, np.inf, -np.inf):
        batch.observation[1, 5] = value
        with pytest.raises(ValueError, match=r"an observation holds NaN or infinity$"):
            both(GAMES[game])[1].act(batch)


def test_a_network_that_gives_nan_is_not_exported(tmp_path):
    weights, card = network(GAME)
    overflow(weights)
    save_checkpoint(tmp_path / "bot", weights, card)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="NaN or infinity"):
        export.export(str(tmp_path / "bot"), tmp_path / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["bot"]


def test_an_export_that_computes_something_else_is_not_written(tmp_path, monkeypatch):
    source = write_checkpoint(tmp_path / "bot", GAME)
    wrong = build_model(CheckpointPolicy(*network(GAME, seed=1)), 15)
    monkeypatch.setattr(export, "build_model", lambda *_: wrong)
    with pytest.raises(ValueError, match=r"onnxruntime computes something else than NumPy$"):
        export.export(str(source), tmp_path / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["bot"]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_in_float16_no_illegal_move_comes_out(game, bots):
    from onnxruntime.transformers.float16 import convert_float_to_float16

    half = convert_float_to_float16(onnx.load(bots(game) / "bot.onnx"))
    session = onnxruntime.InferenceSession(half.SerializeToString())
    assert {one.type for one in session.get_inputs()} == {"tensor(float16)"}
    native = load_checkpoint(bots(game).with_name(f"{game}-checkpoint"), "greedy")
    batch = varied_decisions(GAMES[game], 200)
    for factor in (1, 1000):
        observation = (batch.observation * factor).astype(np.float16)
        mask = batch.mask.astype(np.float16)
        (logits,) = session.run(["logits"], {"observation": observation, "action_mask": mask})
        assert np.isfinite(logits).all()
        moves = logits.argmax(1)
        assert batch.mask[np.arange(len(moves)), moves].all()
        if factor == 1:
            assert (moves == native.act(batch)).mean() > 0.9


@pytest.mark.parametrize("game", GAME_NAMES)
def test_golden_vectors_lead_from_the_document_to_the_move(game, bots):
    golden = json.loads((bots(game) / "vectors.json").read_text())
    assert golden["game"] == game
    assert len(golden["vectors"]) == 100
    session = onnxruntime.InferenceSession(bots(game) / "bot.onnx")
    for vector in golden["vectors"]:
        seat = vector["seat"]
        state = GAMES[game].from_view(vector["view"], seat)
        assert (state.players, state.options) == (vector["players"], vector["options"])
        assert state.to_act == seat
        assert state.observation(seat).tolist() == vector["observation"]
        assert state.legal_actions() == vector["legal_actions"]
        mask = state.mask().astype(np.float32)[None]
        observation = np.array([vector["observation"]], np.float32)
        logits, value = session.run(None, {"observation": observation, "action_mask": mask})
        np.testing.assert_allclose(logits[0], vector["logits"], rtol=0, atol=1e-4)
        np.testing.assert_allclose(value[0], vector["value"], rtol=0, atol=1e-4)
        assert int(np.argmax(vector["logits"])) == vector["action"]
        assert vector["action"] in vector["legal_actions"]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_golden_vectors_are_spread_over_setups_and_phases(game, bots):
    vectors = json.loads((bots(game) / "vectors.json").read_text())["vectors"]
    seen = {(v["players"], json.dumps(v["options"])) for v in vectors}
    assert seen == {(players, json.dumps(options)) for players, options in setups(GAMES[game])}
    phases = {GAMES[game].from_view(v["view"], v["seat"]).phase for v in vectors}
    assert phases == set(GAMES[game].phases) - {"over"}
    assert len({json.dumps(v["view"]) for v in vectors}) > 90


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_card_describes_game_observation_and_actions(game, bots):
    one, card = GAMES[game], json.loads((bots(game) / "bot.json").read_text())
    assert (card["format"], card["kind"], card["mode"]) == (1, "emberdeck-onnx", "sample")
    assert (card["game"], card["title"], card["game_version"]) == (game, one.title, one.version)
    assert (card["layout_hash"], card["emberdeck_version"]) == (one.layout_hash, __version__)
    assert (card["players"], card["trained_players"]) == ([*one.players], one.default_players)
    assert (card["options"], card["step"], card["metrics"]) == ({}, 1000, {})
    assert (card["opset"], card["score_scale"]) == (15, one.score_scale)
    assert card["network"] == {"hidden": [16, 8], "activation": "relu", "hints": one.hints}
    assert card["actions"] == list(one.action_names)
    for block, described in zip(one.observation_blocks, card["blocks"], strict=True):
        for key in ("name", "offset", "length", "meaning"):
            assert described[key] == getattr(block, key)
        assert described.get("action") == block.action


def test_the_same_checkpoint_gives_the_same_files(bots, tmp_path):
    folder = bots(GAME.name)
    source = folder.with_name(f"{GAME.name}-checkpoint")
    export.export(str(source), tmp_path / "again")
    names = {"bot.onnx", "bot.json", "vectors.json", "README.md", "MODEL_CARD.md"}
    assert {file.name for file in (tmp_path / "again").iterdir()} == names
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_code_in_the_bots_own_readme_runs(game, bots):
    readme = (bots(game) / "README.md").read_text()
    codes = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert len(codes) == 2
    for code in codes:
        code = code.replace("path/of/this/folder", str(bots(game)))
        command = [sys.executable, "-W", "error", "-c", code]
        subprocess.run(command, cwd=bots(game), check=True, timeout=300)


def test_the_model_card_says_what_was_measured(tmp_path):
    weights, card = network(GAME)
    figures = {"win_share": 0.7, "win_share_interval": [0.65, 0.75], "chance": 0.25, "games": 4000}
    card |= {"metrics": {"heuristic": figures}, "options": {"items": True}}
    save_checkpoint(tmp_path / "bot", weights, card)
    export.export(str(tmp_path / "bot"), tmp_path / "out")
    page = (tmp_path / "out" / "MODEL_CARD.md").read_text()
    assert "| heuristic | 0.700 | 0.650 to 0.750 | 0.250 | 4,000 |" in page
    assert "trained with items True" in page
    parameters = sum(array.size for array in weights.values())
    assert f"16 + 8 hidden units, relu, {len(GAME.hints) or 'no'} hints; {parameters:,}" in page


def test_a_model_card_without_an_evaluation_says_so(bots):
    assert "was not evaluated" in (bots(GAME.name) / "MODEL_CARD.md").read_text()


def refused(source: Path | str, folder: Path, reason: str, force: bool = False) -> None:
    """Check that nothing is exported, for this reason, and `folder` stays as it is."""
    before = sorted(folder.iterdir()) if folder.is_dir() else folder.exists()
    with pytest.raises(ValueError, match=reason) as caught:
        export.export(str(source), folder, force=force)
    assert "\n" not in str(caught.value)
    assert before == (sorted(folder.iterdir()) if folder.is_dir() else folder.exists())


def test_only_an_exported_bot_is_replaced_and_only_by_force(tmp_path, monkeypatch):
    source, folder = write_checkpoint(tmp_path / "bot", GAME), tmp_path / "out"
    folder.mkdir()
    export.export(str(source), folder)  # an empty folder will do
    refused(source, folder, r"out is not empty: --force replaces an exported bot$")
    export.export(str(source), folder, 17, force=True)
    assert load_bot(folder).card["opset"] == 17
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bot", "out"]
    (folder / "notes.txt").touch()
    refused(source, folder, "holds notes.txt, which is no part of an exported bot", force=True)
    refused(source, source, "holds weights.safetensors, which is no part", force=True)
    for name, content in (("README.md", ""), ("bot.json", "{}")):
        other = tmp_path / f"only {name}"
        other.mkdir()
        (other / name).write_text(content)
        refused(source, other, "is no (exported bot|checkpoint)", force=True)
    refused(source, other / "bot.json", r"bot\.json is a file$")
    monkeypatch.chdir(other)
    refused(source, Path(), "is the current folder: name one in it$", force=True)


@pytest.mark.parametrize("source", ["random", "search:10", "no/such/folder", ""])
def test_what_is_no_checkpoint_is_not_exported(source, tmp_path):
    refused(
        source, tmp_path / "out", f"^'{source}' is no checkpoint folder, RUN@latest or RUN@best$"
    )


def test_an_exported_bot_is_not_exported_again(bots, tmp_path):
    refused(bots(GAME.name), tmp_path / "out", "is an exported bot: here only a checkpoint will do")
    refused("no/run@best", tmp_path / "out", "no best.json of a run folder")


def test_a_killed_export_leaves_the_old_bot(tmp_path, monkeypatch):
    source, folder = write_checkpoint(tmp_path / "bot", GAME), tmp_path / "out"
    export.export(str(source), folder)

    def killed(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            export.export(str(source), folder, 17, force=True)
    assert load_bot(folder).card["opset"] == 15
    export.export(str(source), folder, 17, force=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bot", "out"]


def test_a_folder_that_was_being_replaced_is_put_back(tmp_path, monkeypatch):
    folder, rename = tmp_path / "bot", Path.rename
    checkpoint.write_folder(folder, {"old": b""})

    def killed(*_) -> None:
        raise KeyboardInterrupt

    def killed_after(path: Path, target: Path) -> None:
        rename(path, target)
        raise KeyboardInterrupt

    for owner, name, stop in ((Path, "rename", killed_after), (checkpoint.os, "fsync", killed)):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, stop)
            with pytest.raises(KeyboardInterrupt):
                checkpoint.write_folder(folder, {"new": b""})
    assert [file.name for file in folder.iterdir()] == ["old"]
