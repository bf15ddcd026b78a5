"""The command `emberdeck`: its subcommands, the options they share, and errors in one line."""

import os
import re
import sys
from argparse import Action, RawDescriptionHelpFormatter
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    CliApp,
    CliSettingsSource,
    CliSubCommand,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from ..training.config import ConfigError, explain
from .benchmark import Benchmark
from .demo import Demo
from .evaluate import Evaluate
from .export import Export
from .play import Play
from .replay import Replay
from .serve import Serve
from .tournament import PlayTournament
from .train import Train, config_file

# Packages that only an extra installs, and that extra.
EXTRAS = {
    **dict.fromkeys(("scipy", "torch", "stable_baselines3", "sb3_contrib", "tensorboard"), "train"),
    **dict.fromkeys(("onnx", "onnxruntime"), "export"),
    **dict.fromkeys(("fastapi", "uvicorn"), "serve"),
}


class Help(RawDescriptionHelpFormatter):
    """The help without "(required)": what a command line leaves out is in the config."""

    def _get_help_string(self, action: Action) -> str:
        return (
            (action.help or "").removesuffix("(required)").removesuffix("(default: null)").rstrip()
        )


class ConfigFile(PydanticBaseSettingsSource):
    """The YAML file that `emberdeck train CONFIG` names, under what the command line says."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """Not used: `__call__` gives all values at once."""
        raise NotImplementedError

    def __call__(self) -> dict[str, Any]:
        """Return the file's values, which the command line goes before."""
        train = self.current_state.get("train")
        return {"train": config_file(train)} if isinstance(train, dict) else {}


class Emberdeck(BaseSettings):
    """Tabletop games as reinforcement-learning environments, trained by self-play."""

    model_config = SettingsConfigDict(
        cli_prog_name="emberdeck",
        cli_exit_on_error=False,
        cli_implicit_flags="toggle",
        cli_use_class_docs_for_groups=True,
        cli_avoid_json=True,
        cli_hide_none_type=True,
        cli_parse_none_str="null",
    )

    train: CliSubCommand[Train]
    evaluate: CliSubCommand[Evaluate]
    tournament: CliSubCommand[PlayTournament]
    play: CliSubCommand[Play]
    replay: CliSubCommand[Replay]
    export: CliSubCommand[Export]
    serve: CliSubCommand[Serve]
    benchmark: CliSubCommand[Benchmark]
    demo: CliSubCommand[Demo]

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only the command line and the file it names; no environment variables."""
        return (ConfigFile(settings_cls),)

    def cli_cmd(self) -> None:
        """Run the subcommand."""
        CliApp.run_subcommand(self)


def spell(argument: str) -> str:
    """`--num-threads` is `--num_threads`."""
    if not argument.startswith("--"):
        return argument
    name, equals, value = argument.partition("=")
    return "--" + name[2:].replace("-", "_") + equals + value


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 2 for a bad command line, 130 for Ctrl-C."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        spelled = [spell(argument) for argument in arguments] or ["--help"]
        source = CliSettingsSource[Any](Emberdeck, formatter_class=Help)
        CliApp.run(Emberdeck, cli_args=spelled, cli_settings_source=source)
        sys.stdout.flush()  # here, where a closed pipe is noticed
    except ValidationError as error:
        return refuse(*explain(error.errors(), Emberdeck, skip=1))
    except SettingsError as error:
        return refuse(*explain_usage(str(error).removeprefix("error parsing CLI: "), arguments))
    except ConfigError as error:
        return refuse(str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        extra = EXTRAS[package]
        return refuse(f"{package} is not installed: pip install 'emberdeck[{extra}]'")
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read the output has seen enough, as in `... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 1
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def explain_usage(message: str, arguments: list[str]) -> Iterator[str]:
    """Explain argparse's `message`: an unknown option like an unknown key of a config."""
    unknown = message.removeprefix("unrecognized arguments: --")
    if unknown == message or arguments[0] not in Emberdeck.model_fields:
        yield message
    else:
        key = re.split("[ =]", unknown)[0]
        path = (arguments[0], *key.split("."))
        yield from explain([{"type": "extra_forbidden", "loc": path}], Emberdeck, skip=1)


def refuse(*lines: str) -> int:
    """Print each line to stderr; the exit code of a command line that cannot be used."""
    for line in lines:
        print(f"emberdeck: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
