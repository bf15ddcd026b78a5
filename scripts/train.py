"""`emberdeck train`: train a network by self-play, as a config says."""

import re
import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator
from pydantic_settings import CliPositionalArg

from ..training.config import ConfigError, RunConfig, config_names, read_config

if TYPE_CHECKING:
    from ..training.runs import Run


class Train(RunConfig):
    """Train a network by self-play: `emberdeck train pumafiosi --ppo.learning_rate 5e-4`.

    A config holds every key below; an option replaces what it says.
    """

    config: CliPositionalArg[str | None] = Field(
        None, description="name of a config that comes with the package, or path of a YAML file"
    )
    runs: Path = Field(Path("runs"), description="folder of all runs")
    name: str | None = Field(None, description="the run's own folder in it; null: game and time")
    resume: bool = Field(False, description="continue the run called `name` after a kill or Ctrl-C")

    @field_validator("name")
    @classmethod
    def _name(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[\w-][\w.-]*", name):
            raise ValueError(f"only letters, digits, '_', '-' and, inside, '.', not {name!r}")
        return name

    def cli_cmd(self) -> None:
        """Train, or continue, and print where the run lies."""
        settings = {key: getattr(self, key) for key in RunConfig.model_fields}
        folder = self.runs / (self.name or run_name(self.game))
        command = shlex.join(["emberdeck", *sys.argv[1:]])
        run = train(RunConfig.model_construct(**settings), folder, self.resume, command)
        print(f"{run.folder}: {run.newest_step():,} transitions, best {run.folder}@best")


def train(config: RunConfig, folder: Path, resume: bool, command: str) -> "Run":
    """Train (see `training.learn`); after Ctrl-C say how to go on."""
    from ..training import learn

    try:
        return learn.train(config, folder, resume, command)
    except KeyboardInterrupt:
        if folder.exists():
            where = shlex.join(["--runs", str(folder.parent), "--name", folder.name])
            print(f"stopped; continue with: emberdeck train --resume {where}", file=sys.stderr)
        raise


def run_name(game: str) -> str:
    """Return the name of a new run: game and time."""
    return f"{game}-{datetime.now():%Y%m%d-%H%M%S}"


def config_file(given: dict[str, Any]) -> dict[str, Any]:
    """Return what is in the file that the command's own arguments name: a config, or the run's."""
    if given.get("resume") and given.get("name") is None:
        raise ConfigError("name: which run goes on? (--name)")
    if given.get("config") is not None:
        return read_config(given["config"])
    if given.get("resume"):
        file = Path(given.get("runs", "runs")) / given["name"] / "config.yaml"
        if not file.exists():
            raise ConfigError(f"name: there is no run {file.parent} to resume")
        return read_config(file)
    known = ", ".join(config_names())
    raise ConfigError(f"config: which one? a path ending with .yaml, or one of {known}")
