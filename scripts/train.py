"""`emberdeck train`: train a network by self-play, as a config says."""

import re
import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator
from pydantic_settings import CliPositionalArg

from ..training.config import ConfigError, RunConfig, read_config


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
        from ..training.learn import train

        folder = self.runs / (self.name or run_name(self.game))
        config = RunConfig.model_construct(
            **{key: getattr(self, key) for key in RunConfig.model_fields}
        )
        command = shlex.join(["emberdeck", *sys.argv[1:]])
        try:
            run = train(config, folder, self.resume, command)
        except KeyboardInterrupt:
            where = shlex.join(["--runs", str(self.runs), "--name", folder.name])
            print(f"\nstopped; continue with: emberdeck train --resume {where}", file=sys.stderr)
            raise
        print(f"{run.folder}: {run.newest_step():,} transitions, best {run.folder}@best")


def run_name(game: str) -> str:
    """Return the name of a new run: game and time."""
    return f"{game}-{datetime.now():%Y%m%d-%H%M%S}"


def config_file(train: dict[str, Any]) -> dict[str, Any]:
    """Return what is in the file that the command's own arguments name: a config, or the run's."""
    if train.get("config") is not None:
        return read_config(train["config"])
    if train.get("resume") and train.get("name") is not None:
        file = Path(train.get("runs", "runs")) / train["name"] / "config.yaml"
        if not file.exists():
            raise ConfigError(f"name: there is no run {file.parent} to resume")
        return read_config(file)
    raise ConfigError("config: which one? (with --resume: which --name?)")
