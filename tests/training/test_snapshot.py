import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import torch as th
from stable_baselines3.common.utils import LinearSchedule

from emberdeck.policies.policy import load
from emberdeck.training.ppo import SelfPlayPPO

from .selfplay_helpers import MIXED, Hooks, make_checkpoint, make_env, make_model, make_policy


def trained(folder: Path, schedule: Any = 1e-3, imitation: int = 0) -> SelfPlayPPO:
    """A fresh model with every kind of opponent, and a teacher that draws."""
    weights = {**MIXED, "latest": 1.0, "pool": 1.0, str(folder / "step_0"): 1.0}
    env = make_env(players=3, num_games=8, weights=weights, pool_size=2)
    teacher = load("random", seed=4)
    return make_model(env, n_steps=20, learning_rate=schedule, imitation=imitation, teacher=teacher)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    for number in range(5):
        make_checkpoint(folder / f"step_{number}", make_policy((8,)), (8,))
    return folder


@pytest.mark.parametrize("imitation", [0, 10**9])
def test_snapshot__continues_bit_for_bit(checkpoints: Path, tmp_path: Path, imitation: int) -> None:
    total, rounds = 4000, 4
    seen: dict[str, tuple[dict[str, np.ndarray], dict]] = {}

    def add_opponents(hooks: Hooks) -> None:
        updates = model._n_updates // model.n_epochs
        if updates == rounds and "half" not in seen:
            seen["half"] = model.snapshot()
        if updates % 2 == 1:
            model.env.add_checkpoint(checkpoints / f"step_{min(updates // 2, 4)}")
        hooks.stop = updates == 2 * rounds

    model = trained(checkpoints, LinearSchedule(1e-2, 0.0, 1.0), imitation)
    model.learn(total, Hooks(add_opponents))
    seen["straight"] = model.snapshot()

    arrays, data = seen["half"]
    arrays = safetensors.numpy.load(safetensors.numpy.save(arrays))
    data = json.loads(json.dumps(data))
    moved = tmp_path / "moved"
    moved.symlink_to(checkpoints)
    np.random.seed(99)  # noqa: NPY002 - no global generator plays a part
    model = trained(checkpoints, LinearSchedule(1e-2, 0.0, 1.0), imitation)
    model.restore(arrays, data, moved)
    model.learn(total - model.num_timesteps, Hooks(add_opponents), reset_num_timesteps=False)
    seen["resumed"] = model.snapshot()

    assert data["counters"]["_n_updates"] == rounds * model.n_epochs
    assert len(arrays["rows.game"]) > 8
    (one, one_data), (other, other_data) = seen["straight"], seen["resumed"]
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.dtype == other[name].dtype
        assert array.tobytes() == other[name].tobytes(), name
    for entry in (
        *one_data["env"]["lineups"]["opponents"],
        *other_data["env"]["lineups"]["opponents"],
    ):
        entry["name"] = Path(entry["name"]).name  # the folder was moved
    assert one_data == other_data
    assert len(one_data["env"]["lineups"]["pool"]) == 2


def test_snapshot__before_the_first_rollout(checkpoints: Path) -> None:
    models = [trained(checkpoints) for _ in range(2)]
    taken: list = []
    models[0].learn(300, Hooks(lambda _: taken or taken.append(models[0].snapshot())))
    th.manual_seed(5)
    with th.no_grad():
        models[1].policy.value_net.weight.fill_(3)
    models[1].restore(*taken[0])
    models[1].learn(300, reset_num_timesteps=False)
    for mine, theirs in zip(*(model.policy.parameters() for model in models), strict=True):
        assert th.equal(mine, theirs)


def test_seed__gives_equal_weights(checkpoints: Path) -> None:
    models = [trained(checkpoints).learn(600) for _ in range(2)]
    for mine, theirs in zip(*(model.policy.parameters() for model in models), strict=True):
        assert th.equal(mine, theirs)


def test_o32__learning_rate_follows_the_whole_run(checkpoints: Path) -> None:
    start, total = 1e-2, 3000
    rates: list[tuple[float, float]] = []  # part of the run done, learning rate of the update

    def note(hooks: Hooks) -> None:
        if model.num_timesteps:
            rate = model.policy.optimizer.param_groups[0]["lr"]
            rates.append((model.num_timesteps / total, rate))
        hooks.stop = model.num_timesteps > total / 2 and part == 0

    for part in range(2):
        snapshot = model.snapshot() if part else None  # noqa: F821 - of the first part
        model = trained(checkpoints, LinearSchedule(start, 0.0, 1.0))
        if snapshot:
            model.restore(*snapshot)
        model.learn(total - model.num_timesteps, Hooks(note), reset_num_timesteps=False)
    done = np.array([part for part, _ in rates])
    for quarter in (0.25, 0.5, 0.75):
        at, rate = rates[int(np.abs(done - quarter).argmin())]
        assert at == pytest.approx(quarter, abs=0.05)
        assert rate == pytest.approx(start * (1 - at))
