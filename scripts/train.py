"""`emberdeck train`: train a network by self-play as a config says."""
from typing import Any

from pydantic import Field
from pydantic_settings import CliPositionalArg

from ..training.config import RunConfig, ConfigError, read_config

class Train(RunConfig):
    """Train a network by self-play. Every option below is a key of the config; it replaces the file's."""

    config: CliPositionalArg[str | None] = Field(default=None, description="name of a config, or path of a YAML file")
    runs: str = Field(default="runs", description="folder of all runs")
    name: str | None = Field(default=None, description="the run's folder in there; default: game and time")
    resume: bool = Field(default=False, description="continue the run of that name")

    def cli_cmd(self) -> None:
        print(self.model_dump())

def config_file(train: dict[str, Any]) -> dict[str, Any]:
    if train.get("config") is None:
        raise ConfigError("train: needs a config")
    return read_config(train["config"])
