import json

import numpy as np
import pytest

from emberdeck.policies.policy import load
from emberdeck.training.config import ConfigError, RunConfig, read_config
from emberdeck.training.runs import Run, checkpoint_name, write_atomic

from .run_helpers import make_card, make_weights


@pytest.fixture
def config():
    return RunConfig.model_validate(read_config("smoke"))


@pytest.fixture
def run(tmp_path, config):
    return Run.create(tmp_path / "runs" / "one", config, "emberdeck train smoke --name one")


def save(run: Run, step: int, keeps: tuple[str, ...] = ()) -> None:
    state = {"keeps": list(keeps), "step": step}
    run.save(make_weights(step), make_card(step), {"x": np.array([step])}, state)


def evaluation(step: int, win_share: float, opponent: str = "heuristic") -> dict:
    return {"step": step, "opponent": opponent, "win_share": win_share}


def test_a_new_run_holds_config_command_and_versions(run, config):
    assert RunConfig.model_validate(read_config(run.folder / "config.yaml")) == config
    assert (run.folder / "command.txt").read_text() == "emberdeck train smoke --name one\n"
    assert {"emberdeck", "python", "torch"} <= set(
        json.loads((run.folder / "versions.json").read_text())
    )
    assert sorted(f.name for f in run.folder.parent.iterdir()) == ["one"]


def test_an_existing_name_is_refused(run, config):
    with pytest.raises(ConfigError, match=r"one exists already.*--resume"):
        Run.create(run.folder, config, "")


def test_resuming_refuses_another_config_and_names_the_key(run, config):
    values = config.model_dump()
    values["ppo"]["gamma"] = 0.5
    with pytest.raises(ConfigError, match=r"ppo.gamma: 0.5, but the run to resume has 1.0"):
        Run.reopen(run.folder, RunConfig.model_validate(values), "")
    shorter = config.model_copy(update={"total_timesteps": 10})
    with pytest.raises(ConfigError, match="total_timesteps: 10"):
        Run.reopen(run.folder, shorter, "")
    with pytest.raises(ConfigError, match="no run"):
        Run.reopen(run.folder / "other", config, "")


def test_only_the_number_of_transitions_may_grow(run, config):
    longer = config.model_copy(update={"total_timesteps": 10**6, "num_threads": None})
    again = Run.reopen(run.folder, longer, "more")
    assert again.config == config.model_copy(update={"total_timesteps": 10**6})
    assert RunConfig.model_validate(read_config(run.folder / "config.yaml")) == again.config
    assert (run.folder / "command.txt").read_text().splitlines()[-1] == "more"


def test_a_checkpoint_can_be_loaded_by_the_runs_pointers(run):
    for step in (10, 20):
        run.add_evaluations([evaluation(step, 1 / step)])
        save(run, step)
    assert run.newest_step() == 20
    assert load(f"{run.folder}@latest").card["step"] == 20
    assert load(f"{run.folder}@best").card["step"] == 10


def test_best_is_the_highest_mean_against_fixed_opponents(run):
    shares = {10: (0.5, 0.7, 0.1), 20: (0.9, 0.3, 0.9), 30: (0.75, 0.75, 0.2)}
    for step, (random, heuristic, first) in shares.items():
        run.add_evaluations(
            [
                evaluation(step, random, "random"),
                evaluation(step, heuristic, "heuristic"),
                evaluation(step, first, "first"),
            ]
        )
        save(run, step)
    best = json.loads((run.folder / "best.json").read_text())
    assert best == {"checkpoint": checkpoint_name(30), "step": 30, "win_share": 0.75}


def test_old_checkpoints_go_unless_best_or_needed_to_resume(run):
    run.add_evaluations([evaluation(10, 0.9)])
    save(run, 10)
    save(run, 20)
    save(run, 30)
    save(run, 40, keeps=(checkpoint_name(20),))
    save(run, 50)
    assert run.checkpoint_names() == [checkpoint_name(step) for step in (10, 20, 40, 50)]
    with_state = [
        n for n in run.checkpoint_names() if (run.checkpoints / n / "resume.json").exists()
    ]
    assert with_state == [checkpoint_name(40), checkpoint_name(50)]
    save(run, 60)
    save(run, 70)
    assert run.checkpoint_names() == [checkpoint_name(step) for step in (10, 60, 70)]


def test_a_run_without_checkpoints_starts_from_nothing(run):
    run.add_evaluations([evaluation(10, 0.5)])  # killed before the checkpoint appeared
    assert run.restore_point() is None
    assert run.evaluations() == []


def test_resuming_starts_from_the_newest_checkpoint_and_forgets_later_evaluations(run):
    for step in (10, 20, 30):
        run.add_evaluations([evaluation(step, 0.5)])
        if step < 30:
            save(run, step)
    with (run.folder / "evaluations.jsonl").open("a") as file:
        file.write('{"step": 30, "oppo')  # cut off by a kill
    (run.checkpoints / f".{checkpoint_name(30)}.partial").mkdir()
    folder, arrays, state = run.restore_point()
    assert folder.name == checkpoint_name(20)
    assert (arrays["x"].tolist(), state["step"]) == ([20], 20)
    assert [row["step"] for row in run.evaluations()] == [10, 20]
    assert len(list(run.checkpoints.iterdir())) == 2


@pytest.mark.parametrize(
    "file", ["weights.safetensors", "resume.safetensors", "resume.json", "bot.json"]
)
def test_a_damaged_newest_checkpoint_is_passed_over(run, file):
    for step in (10, 20):
        run.add_evaluations([evaluation(step, step / 100)])
        save(run, step)
    content = (run.checkpoints / checkpoint_name(20) / file).read_bytes()
    (run.checkpoints / checkpoint_name(20) / file).write_bytes(content[: len(content) // 2])
    folder, _, state = run.restore_point()
    assert (folder.name, state["step"]) == (checkpoint_name(10), 10)
    assert load(f"{run.folder}@latest").card["step"] == 10
    assert load(f"{run.folder}@best").card["step"] == 10
    save(run, 20)
    assert run.newest_step() == 20


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    write_atomic(tmp_path / "a", "old")
    monkeypatch.setattr("os.fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_atomic(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "old"
