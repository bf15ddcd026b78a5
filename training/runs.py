"""The folder of a run: what lies in it, and that a kill at any moment leaves it whole.

`config.yaml`, `command.txt`, `versions.json`, `tensorboard/`, `checkpoints/step_000001000/` and so
on, `evaluations.jsonl`, and the pointers `latest.json` and `best.json`. A checkpoint appears by one
rename and is the moment that counts: resuming starts from the newest one and drops what was written
after it.
"""

import json
import os
import platform
import re
import shutil
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import safetensors.numpy
from numpy import ndarray
from safetensors import SafetensorError

from .. import __version__
from ..policies.checkpoint import load_checkpoint, save_checkpoint
from .config import FIRST, ConfigError, RunConfig, dump_config, flatten, load_config

STATE, STATE_ARRAYS = "resume.json", "resume.safetensors"
PACKAGES = (
    "numpy",
    "numba",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "gymnasium",
    "pettingzoo",
)


class Run:
    """A run folder, made with `create` or found with `reopen`, and its config."""

    def __init__(self, folder: Path, config: RunConfig) -> None:
        self.folder, self.config = folder, config
        self.checkpoints = folder / "checkpoints"
        self.tensorboard = folder / "tensorboard"
        self._evaluations = folder / "evaluations.jsonl"

    @classmethod
    def create(cls, folder: Path, config: RunConfig, command: str) -> "Run":
        """Make the folder, whole or not at all; `ConfigError` if there is one of that name."""
        check_new(folder)
        partial = folder.with_name(f".{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)  # left by a killed process
        for part in ("checkpoints", "tensorboard"):
            (partial / part).mkdir(parents=True)
        (partial / "evaluations.jsonl").touch()
        (partial / "config.yaml").write_text(dump_config(config), encoding="utf-8")
        (partial / "command.txt").write_text(command + "\n", encoding="utf-8")
        (partial / "versions.json").write_text(_json(versions()), encoding="utf-8")
        partial.rename(folder)
        return cls(folder, config)

    @classmethod
    def reopen(cls, folder: Path, config: RunConfig, command: str) -> "Run":
        """Return the run at `folder`, to go on with `config`.

        Only `total_timesteps` may differ, and grow; `num_threads` null is what the run has. Raises
        `ConfigError`, naming the key, if anything else differs, or if there is no run.
        """
        if not (folder / "config.yaml").exists():
            raise ConfigError(f"name: there is no run {folder} to resume")
        stored = load_config(folder / "config.yaml")
        threads = config.num_threads or stored.num_threads
        config = config.model_copy(update={"num_threads": threads})
        old, new = (dict(flatten(c.model_dump())) for c in (stored, config))
        if config.total_timesteps > stored.total_timesteps:
            old["total_timesteps"] = config.total_timesteps
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                there, here = old.get(key), new.get(key)
                raise ConfigError(f"{key}: {here!r}, but the run to resume has {there!r}")
        write_atomic(folder / "config.yaml", dump_config(config))
        with (folder / "command.txt").open("a", encoding="utf-8") as file:
            file.write(command + "\n")
        return cls(folder, config)

    def changed_versions(self) -> list[str]:
        """Return what is installed in another version than when the run began."""
        begun = json.loads((self.folder / "versions.json").read_text("utf-8"))
        return [f"{k} {begun.get(k)} -> {v}" for k, v in versions().items() if begun.get(k) != v]

    def checkpoint_names(self) -> list[str]:
        """Names of the checkpoints, oldest first."""
        return sorted(
            f.name for f in self.checkpoints.iterdir() if re.fullmatch(r"step_\d+", f.name)
        )

    def newest_step(self) -> int | None:
        """Return the number of transitions of the newest checkpoint; None if there is none."""
        names = self.checkpoint_names()
        return step_of(names[-1]) if names else None

    def save(
        self,
        weights: dict[str, ndarray],
        card: dict[str, Any],
        arrays: dict[str, ndarray],
        state: dict[str, Any],
    ) -> Path:
        """Write a checkpoint with all that resuming needs, point `latest.json` at it, tidy up.

        `state["keeps"]` names the older checkpoints that resuming from this one needs.
        """
        folder = self.checkpoints / checkpoint_name(card["step"])
        files = {STATE: _json(state).encode(), STATE_ARRAYS: safetensors.numpy.save(arrays)}
        save_checkpoint(folder, weights, card, files)
        self._point()
        self._prune()
        return folder

    def restore_point(self) -> tuple[Path, dict[str, ndarray], dict[str, Any]] | None:
        """Return the newest whole checkpoint: folder, arrays, state; None if there is none.

        What is newer than it, damaged checkpoints and later evaluations, is removed.
        """
        for leftover in self.checkpoints.glob(".*"):
            shutil.rmtree(leftover)
        found = None
        for name in reversed(self.checkpoint_names()):
            folder = self.checkpoints / name
            if (folder / STATE).exists():
                try:
                    load_checkpoint(folder)
                    arrays = safetensors.numpy.load((folder / STATE_ARRAYS).read_bytes())
                    found = folder, arrays, json.loads((folder / STATE).read_text("utf-8"))
                    break
                except (ValueError, OSError, SafetensorError):
                    self._remove(folder)
        step = step_of(found[0].name) if found else -1
        rows = [row for row in self.evaluations() if row["step"] <= step]
        write_atomic(self._evaluations, "".join(json.dumps(row) + "\n" for row in rows))
        if found:
            self._point()
        return found

    def evaluations(self) -> list[dict[str, Any]]:
        """All evaluations, one row an opponent; a last line cut off by a kill is left out."""
        lines = self._evaluations.read_text("utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def add_evaluations(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows, each with a `step`, an `opponent` and a `win_share`."""
        with self._evaluations.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
            file.flush()
            os.fsync(file.fileno())

    def best(self) -> dict[str, Any] | None:
        """Return the checkpoint with the highest mean win share, the oldest of equals.

        It is the mean over the fixed opponents, without the run's own first checkpoint.
        """
        shares: dict[int, list[float]] = {}
        for row in self.evaluations():
            if row["opponent"] != FIRST:
                shares.setdefault(row["step"], []).append(row["win_share"])
        best = None
        for name in self.checkpoint_names():
            step = step_of(name)
            if step in shares:
                share = sum(shares[step]) / len(shares[step])
                if best is None or share > best["win_share"]:
                    best = {"checkpoint": name, "step": step, "win_share": share}
        return best

    def _point(self) -> None:
        latest = {"checkpoint": self.checkpoint_names()[-1]}
        write_atomic(self.folder / "latest.json", _json(latest))
        if best := self.best():
            write_atomic(self.folder / "best.json", _json(best))

    def _prune(self) -> None:
        """Keep the newest two checkpoints, what they need to resume, and the best."""
        names = self.checkpoint_names()
        best = self.best()
        keep = {*names[-2:], best["checkpoint"] if best else ""}
        for state in (self.checkpoints / name / STATE for name in names[-2:]):
            if state.exists():
                keep.update(json.loads(state.read_text("utf-8"))["keeps"])
        for name in names[:-2]:
            for file in (STATE, STATE_ARRAYS):
                (self.checkpoints / name / file).unlink(missing_ok=True)
            if name not in keep:
                self._remove(self.checkpoints / name)

    def _remove(self, checkpoint: Path) -> None:
        doomed = checkpoint.rename(checkpoint.with_name(f".{checkpoint.name}.old"))
        shutil.rmtree(doomed)


def check_new(folder: Path) -> None:
    """Raise `ConfigError` if there is something at `folder` already."""
    if folder.exists():
        raise ConfigError(f"name: {folder} exists already; continue it with --resume")


def checkpoint_name(step: int) -> str:
    """Return the name of the checkpoint after `step` transitions; sorted by name is by age."""
    return f"step_{step:012d}"


def step_of(name: str) -> int:
    """Return the number of transitions of the checkpoint called `name`."""
    return int(name.removeprefix("step_"))


def versions() -> dict[str, str]:
    """Versions of all that can change a run's numbers."""
    installed = {package: metadata.version(package) for package in PACKAGES}
    return {"emberdeck": __version__, "python": platform.python_version(), **installed}


def write_atomic(path: Path, text: str) -> None:
    """Replace a file by one rename, after its content is on the disk."""
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
