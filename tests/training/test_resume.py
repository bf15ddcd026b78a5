"""A run that is killed and resumed ends like one that never was; a run repeats from its seed."""

import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from emberdeck.scripts.__main__ import main
from emberdeck.training.config import ConfigError
from emberdeck.training.learn import build, train
from emberdeck.training.runs import Run

from .run_helpers import TINY, tiny_config, write_tiny

SIGNALLED = Path(__file__).with_name("signalled.py")
SOAK = os.environ.get("EMBERDECK_SOAK") == "1"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Run:
    """A run that nothing interrupts."""
    return train(tiny_config(), tmp_path_factory.mktemp("runs") / "whole")


def weights(run: Run) -> bytes:
    return (run.checkpoints / run.checkpoint_names()[-1] / "weights.safetensors").read_bytes()


def scalars(folder: Path) -> dict[str, dict[int, float]]:
    """What TensorBoard shows: value by step, by tag; fails if a step has two points."""
    events = EventAccumulator(str(folder / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    shown: dict[str, dict[int, float]] = defaultdict(dict)
    for tag in events.Tags()["scalars"]:
        for point in events.Scalars(tag):
            assert point.step not in shown[tag], f"{tag} has two points at {point.step}"
            shown[tag][point.step] = point.value
    return shown


def signalled(folder: Path, where: str, count: int, name: str = "SIGKILL") -> int:
    """Run the tiny config in a child that gets a signal; resume if the run is there already."""
    arguments = ["--runs", str(folder), "--name", "cut"]
    if (folder / "cut").exists():
        arguments.append("--resume")
    command = [sys.executable, str(SIGNALLED), where, str(count), name, "train"]
    child = subprocess.run(
        [*command, str(write_tiny(folder)), *arguments], capture_output=True, text=True
    )
    print(child.stderr)
    return child.returncode


def assert_equal_runs(cut: Path, whole: Run) -> None:
    finished = Run(cut, whole.config)
    assert finished.checkpoint_names() == whole.checkpoint_names()
    assert weights(finished) == weights(whole)
    for file in ("evaluations.jsonl", "best.json", "latest.json"):
        assert (cut / file).read_bytes() == (whole.folder / file).read_bytes()
    ours, expected = scalars(cut), scalars(whole.folder)
    untimed = {tag for tag in expected if not tag.startswith("time/")}
    assert {tag: ours[tag] for tag in untimed} == {tag: expected[tag] for tag in untimed}


@pytest.mark.parametrize(
    ("where", "count"),
    [("rollout", 70), ("update", 40), ("evaluation", 3), ("save", 24)],
)
def test_a_killed_run_resumes_bit_for_bit(tmp_path, whole, where, count):
    assert signalled(tmp_path, where, count) == -signal.SIGKILL
    assert main(["train", "--resume", "--runs", str(tmp_path), "--name", "cut"]) == 0
    assert_equal_runs(tmp_path / "cut", whole)


@pytest.mark.skipif(not SOAK, reason="long: make soak")
@pytest.mark.parametrize("seed", range(10))
def test_a_run_killed_again_and_again_resumes_bit_for_bit(tmp_path, whole, seed):
    rng = np.random.default_rng(seed)
    most = {"rollout": 60, "update": 50, "evaluation": 3, "save": 30}
    for _ in range(5):
        where = str(rng.choice(list(most)))
        returned = signalled(tmp_path, where, int(rng.integers(1, most[where])))
        assert returned in (0, -signal.SIGKILL)
    if (tmp_path / "cut").exists():
        assert main(["train", "--resume", "--runs", str(tmp_path), "--name", "cut"]) == 0
        assert_equal_runs(tmp_path / "cut", whole)


def test_ctrl_c_saves_and_says_how_to_resume(tmp_path, whole, capfd):
    assert signalled(tmp_path, "rollout", 60, "SIGINT") == 130
    printed = capfd.readouterr().out
    assert f"emberdeck train --resume --runs {tmp_path} --name cut" in printed
    assert "Traceback" not in printed
    cut = Run(tmp_path / "cut", whole.config)
    assert cut.newest_step() not in (None, whole.newest_step())
    assert main(["train", "--resume", "--runs", str(tmp_path), "--name", "cut"]) == 0
    assert weights(cut) == weights(whole)
    assert (tmp_path / "cut" / "evaluations.jsonl").read_bytes() == (
        whole.folder / "evaluations.jsonl"
    ).read_bytes()


def test_the_same_seed_gives_the_same_weights_and_evaluations(tmp_path, whole):
    again = train(tiny_config(), tmp_path / "again")
    other = train(tiny_config(seed=8), tmp_path / "other")
    assert weights(again) == weights(whole)
    assert again.evaluations() == whole.evaluations()
    assert weights(other) != weights(whole)


def test_a_run_can_be_made_longer(tmp_path):
    first = train(tiny_config(), tmp_path / "run")
    evaluations = first.evaluations()
    longer = train(tiny_config(total_timesteps=2600), tmp_path / "run", resume=True)
    assert longer.newest_step() >= 2600
    assert longer.evaluations()[: len(evaluations)] == evaluations
    scalars(tmp_path / "run")
    again = train(tiny_config(total_timesteps=2600), tmp_path / "run", resume=True)
    assert again.newest_step() == longer.newest_step()


def test_the_folder_holds_what_was_promised(whole):
    tags = scalars(whole.folder)
    expected = {
        "rollout/ep_rew_mean",
        "rollout/ep_len_mean",
        "rollout/success_rate",
        "train/approx_kl",
        "train/loss",
        "selfplay/pool_size",
        "selfplay/game_length",
        "selfplay/score",
        "eval/random/win_share",
        "eval/random/margin",
        "eval/first/win_share",
        "time/fps",
        "time/engine",
        "time/inference",
        "time/update",
        "time/evaluation",
    }
    assert expected <= tags.keys()
    row = whole.evaluations()[0]
    assert {"step", "opponent", "win_share", "win_share_interval", "chance", "games"} <= row.keys()
    cards = [
        json.loads((whole.checkpoints / name / "bot.json").read_text())
        for name in whole.checkpoint_names()
    ]
    assert cards[-1]["metrics"]["random"]["games"] == 8
    assert cards[-1]["options"] == {"items": False, "games": 1}


def test_evaluations_and_checkpoints_do_not_change_the_training(tmp_path):
    """Unless checkpoints are opponents, how often they come makes no difference."""
    opponents = TINY["opponents"] | {"weights": {"self": 0.5, "random": 0.5}}
    runs = [
        train(
            tiny_config(
                total_timesteps=900,
                opponents=opponents,
                evaluation=TINY["evaluation"] | {"every": every, "opponents": ["random"]},
                checkpoint={"every": every},
            ),
            tmp_path / str(every),
        )
        for every in (100, 10**6)
    ]
    assert len(runs[0].evaluations()) > 3
    assert len(runs[1].evaluations()) == 1
    assert weights(runs[0]) == weights(runs[1])


def test_the_learning_rate_follows_the_formula():
    for schedule, expected in (("constant", [1e-3] * 3), ("linear", [7.5e-4, 5e-4, 2.5e-4])):
        ppo = tiny_config().ppo.model_copy(update={"schedule": schedule})
        model = build(tiny_config().model_copy(update={"ppo": ppo}))
        rates = [model.lr_schedule(remaining) for remaining in (0.75, 0.5, 0.25)]
        assert rates == pytest.approx(expected)


def test_the_number_of_threads_is_set_and_noted(tmp_path):
    before = torch.get_num_threads()
    try:
        config = tiny_config(total_timesteps=100, num_threads=2)
        run = train(config, tmp_path / "run")
        assert torch.get_num_threads() == 2
        assert run.config.num_threads == 2
    finally:
        torch.set_num_threads(before)


def test_resuming_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="no run"):
        train(tiny_config(), tmp_path / "none", resume=True)
    assert not (tmp_path / "none").exists()
