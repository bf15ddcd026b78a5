"""The settings of a training run: typed models over a complete YAML file, strict in every key."""

import math
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import CliExplicitFlag

from .. import GAME_VERSIONS, configs

Mode = str | float
LINEUPS = ("self", "latest", "pool")  # the opponents that are no policy of their own
FIRST = "first"  # as an opponent in evaluations: the run's first checkpoint


class ConfigError(ValueError):
    """A setting that cannot be used; the text is one line for the user."""


class Section(BaseModel):
    """A part of the config: no unknown keys, no NaN, no infinity."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class NetworkConfig(Section):
    """The network: one trunk of fully connected layers under an action and a value head."""

    hidden: list[int] = Field(min_length=1, max_length=8, description="sizes of the hidden layers")
    activation: Literal["relu", "tanh"] = Field(description="after every hidden layer")
    hints: CliExplicitFlag[bool] = Field(
        True, description="add what the observation says of single actions to their logits"
    )

    @field_validator("hidden")
    @classmethod
    def _sizes(cls, hidden: list[int]) -> list[int]:
        if not all(1 <= size <= 8192 for size in hidden):
            raise ValueError(f"a layer has 1 to 8192 units, not {hidden}")
        return hidden


class PPOConfig(Section):
    """PPO: the names are those of stable-baselines3."""

    num_games: int = Field(ge=1, le=65536, description="games played in lock-step")
    n_steps: int = Field(ge=1, le=65536, description="decisions in each game between two updates")
    batch_size: int = Field(ge=2, description="samples in a minibatch")
    n_epochs: int = Field(ge=1, le=1000, description="passes over the samples in an update")
    learning_rate: float = Field(gt=0, le=1, description="step size of Adam")
    schedule: Literal["constant", "linear"] = Field(
        description="the learning rate stays, or falls in a line to 0 at the end of the run"
    )
    gamma: float = Field(ge=0, le=1, description="discount from a seat's decision to its next")
    gae_lambda: float = Field(ge=0, le=1, description="lambda of the advantage estimation")
    clip_range: float = Field(gt=0, description="clipping of the probability ratio")
    ent_coef: float = Field(ge=0, description="weight of the entropy bonus")
    vf_coef: float = Field(ge=0, description="weight of the value loss")
    max_grad_norm: float = Field(gt=0, description="clipping of the gradient's norm")
    target_kl: float | None = Field(
        gt=0, description="an update stops above 1.5 times this divergence; null: never"
    )


class OpponentsConfig(Section):
    """Who sits at the table with the learner."""

    weights: dict[str, float] = Field(
        description="share of the games by opponent: self (the learner in every seat), latest or "
        "pool (past checkpoints), or a policy's name"
    )
    pool_size: int = Field(ge=1, le=1000, description="past checkpoints kept as opponents")
    prioritisation: float | str = Field(
        description="p in (1 - x)^p, x the learner's wins: how much stronger checkpoints are "
        "preferred; even: x (1 - x), those of its own strength"
    )
    mode: Mode = Field(description="how opponents pick: sample, greedy or a temperature")

    @field_validator("weights")
    @classmethod
    def _weights(cls, weights: dict[str, float]) -> dict[str, float]:
        if any(weight < 0 for weight in weights.values()) or not sum(weights.values()) > 0:
            raise ValueError(f"weights are 0 or more, and one is above 0, not {weights}")
        for name in weights:
            if name not in LINEUPS:
                check_policy(name, LINEUPS)
        return weights

    @field_validator("mode")
    @classmethod
    def _mode(cls, mode: Mode) -> Mode:
        return check_mode(mode)

    @field_validator("prioritisation")
    @classmethod
    def _prioritisation(cls, value: float | str) -> float | str:
        if value == "even":
            return value
        try:
            power = float(value)
        except ValueError:
            power = math.nan
        if not 0 <= power < math.inf:
            raise ValueError(f"a number from 0 on, or even, not {value!r}")
        return power


class EvaluationConfig(Section):
    """Regular matches against fixed opponents; they also choose the best checkpoint."""

    every: int = Field(ge=1, description="transitions between two evaluations")
    deals: int = Field(ge=2, le=1_000_000, description="deals, each played once in every rotation")
    opponents: list[str] = Field(
        min_length=1, description="names of policies; first: the run's first checkpoint"
    )
    mode: Mode = Field(description="how both sides pick: sample, greedy or a temperature")

    @field_validator("opponents")
    @classmethod
    def _opponents(cls, names: list[str]) -> list[str]:
        for name in names:
            if name != FIRST:
                check_policy(name, (FIRST,))
        if set(names) <= {FIRST}:
            raise ValueError(f"the best checkpoint needs an opponent besides {FIRST!r}")
        return names

    @field_validator("mode")
    @classmethod
    def _mode(cls, mode: Mode) -> Mode:
        return check_mode(mode)


class CheckpointConfig(Section):
    """When the run is saved."""

    every: int = Field(ge=1, description="transitions between two checkpoints")


class RunConfig(Section):
    """Everything that decides a run; the same config and seed give the same weights."""

    game: str = Field(description="the game's name")
    players: int | None = Field(description="number of seats; null: the game's default")
    options: dict[str, Any] = Field(description="the game's options; those left out are default")
    reward: Literal["win", "rank", "score"] = Field(description="what a finished game pays")
    seed: int = Field(ge=0, description="of everything random in the run")
    total_timesteps: int = Field(ge=1, description="transitions (decisions of the learner)")
    imitation: int = Field(
        0,
        ge=0,
        description="of these, the first ones that the teacher decides, to be imitated",
    )
    teacher: str = Field("heuristic", description="policy that is imitated, such as search:100")
    num_threads: int | None = Field(ge=1, le=1024, description="of torch; null: one a usable core")
    network: NetworkConfig
    ppo: PPOConfig
    opponents: OpponentsConfig
    evaluation: EvaluationConfig
    checkpoint: CheckpointConfig

    @field_validator("game")
    @classmethod
    def _game(cls, name: str) -> str:
        if name not in GAME_VERSIONS:
            raise ValueError(f"there is no game {name!r}; there are {', '.join(GAME_VERSIONS)}")
        return name

    @field_validator("players")
    @classmethod
    def _players(cls, players: int | None, info: ValidationInfo) -> int | None:
        if "game" not in info.data:  # that error is reported already
            return players
        from ..envs.game import get_game

        return get_game(info.data["game"]).resolve(players, {})[0]

    @field_validator("options")
    @classmethod
    def _options(cls, options: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if "game" not in info.data or "players" not in info.data:
            return options
        from ..envs.game import get_game

        game = get_game(info.data["game"])
        values = {name: typed(value) for name, value in options.items()}
        return game.resolve(info.data["players"], values)[1]

    @field_validator("teacher")
    @classmethod
    def _teacher(cls, name: str, info: ValidationInfo) -> str:
        check_policy(name, (), info.data.get("game"))
        return name

    @model_validator(mode="after")
    def _same_game(self) -> "RunConfig":
        for name in (*self.opponents.weights, *self.evaluation.opponents):
            if name not in (*LINEUPS, FIRST):
                check_policy(name, (), self.game)
        return self


def typed(value: Any) -> Any:
    """Return an option's value: text from the command line may stand for a bool or a number."""
    return read_yaml(value) if isinstance(value, str) else value


class _Loader(yaml.SafeLoader):
    """Reads `on`, `off`, `yes` and `no` as text, which they are as values of options."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - an attribute of the base class
        first: [(tag, regexp) for tag, regexp in resolvers if "bool" not in tag or first in "tTfF"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_yaml(text: str) -> Any:
    """Return what a YAML text holds; only `true` and `false` are bools, as in YAML 1.2."""
    return yaml.load(text, _Loader)


def check_policy(name: str, others: tuple[str, ...] = (), game: str | None = None) -> None:
    """Raise `ValueError` unless `name` is a policy that can be loaded (and plays `game`)."""
    from ..policies.policy import load

    try:
        load(name, game)
    except (ValueError, OSError) as error:
        besides = f" (or {', '.join(others)})" if others else ""
        raise ValueError(f"{error}{besides}") from None


def check_mode(mode: Mode) -> Mode:
    """Return a mode with a temperature as a number; `ValueError` for what is none."""
    from ..policies.policy import temperature

    value = temperature(mode)
    return mode if mode in ("sample", "greedy") else value


def config_names() -> list[str]:
    """Names of the configs that come with the package."""
    folder = resources.files(configs)
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".yaml"))


def read_config(name: str | Path) -> dict[str, Any]:
    """Return the mapping in a YAML file, not yet validated.

    `name` is a path (it ends with `.yaml` or `.yml`) or the name of a config that comes with the
    package. Raises `ConfigError` if there is no such file or it holds no mapping.
    """
    if str(name).endswith((".yaml", ".yml")):
        file = Path(name)
    elif str(name) in config_names():
        file = resources.files(configs) / f"{name}.yaml"
    else:
        known = ", ".join(config_names())
        raise ConfigError(f"config {str(name)!r}: a path ending with .yaml, or one of {known}")
    try:
        content = read_yaml(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"config {str(name)!r}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {str(name)!r}: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"config {str(name)!r}: holds no mapping of keys to values")
    return content


def load_config(name: str | Path) -> RunConfig:
    """Return the config in a YAML file (see `read_config`); `ConfigError` if it is not valid."""
    try:
        return RunConfig.model_validate(read_config(name))
    except ValidationError as error:
        lines = explain(error.errors(), RunConfig)
        raise ConfigError(f"config {str(name)!r}: {'; '.join(lines)}") from None


def dump_config(config: RunConfig) -> str:
    """Return the config as YAML text, keys in the order of the models."""
    return yaml.safe_dump(config.model_dump(), sort_keys=False)


def flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All settings with dotted names: `("ppo.learning_rate", 0.001)`."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def explain(errors: list[Any], model: type[BaseModel], skip: int = 0) -> Iterator[str]:
    """One line for each of pydantic's `errors` about `model`: the key, what is allowed, the value.

    The first `skip` parts of a key (a subcommand's name) are left out.
    """
    for error in errors:
        path = error["loc"]
        key = ".".join(map(str, path[skip:]))
        if error["type"] == "extra_forbidden":
            yield f"{key}: unknown key; there are {', '.join(_keys(model, path[:-1]))}"
        elif error["type"] == "missing":
            yield f"{key}: is missing"
        else:
            message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
            if error["type"] != "value_error":  # ours name the value themselves
                message += f", not {error['input']!r}"
            yield f"{key}: {message}" if key else message


def _keys(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    """Return the keys allowed at `path`."""
    for name in path:
        if name not in model.model_fields:
            break
        annotation: Any = model.model_fields[name].annotation
        model = next(m for m in (annotation, *get_args(annotation)) if hasattr(m, "model_fields"))
    return list(model.model_fields)
