"""`emberdeck benchmark`: how fast everything is on this machine, against what it should reach."""

import importlib
import json
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from ..training.config import ConfigError

TIMES = ("s", "ms", "us")  # units of which less is better


@dataclass(frozen=True)
class Row:
    """A figure to measure, by `function` of a module beside this one (called with the game's name).

    The target is the least that it should reach, of a time the most; `other_targets` are those of
    games where the rules themselves take more or less time.
    """

    name: str
    unit: str
    target: float
    function: str
    other_targets: tuple[tuple[str, float], ...] = ()

    def target_of(self, game: str) -> float:
        """Return the target for a game."""
        return dict(self.other_targets).get(game, self.target)

    def measure(self, game: str) -> float:
        """Return the figure on this machine."""
        module, _, name = self.function.partition(".")
        function: Callable[[str], float]
        function = getattr(importlib.import_module(f".{module}", __package__), name)
        return function(game)

    def met(self, value: float, game: str) -> bool:
        """Tell whether a measured value is as good as the game's target."""
        target = self.target_of(game)
        return value <= target if self.unit in TIMES else value >= target

    def bound(self, game: str) -> str:
        """Return the game's target in words."""
        return f"{'at most' if self.unit in TIMES else 'at least'} {self.target_of(game):,}"


ROWS = (
    Row(
        "random playouts, one core",
        "/s",
        5_000_000,
        "measures.random_playouts",
        (("pompiers", 3_000_000), ("pompeji", 1_500_000), ("fire_bulls", 1_500_000)),
    ),
    Row(
        "batch step with observation, 1024 games",
        "/s",
        1_500_000,
        "measures.batch_step",
        (("pompiers", 1_000_000), ("pompeji", 400_000), ("fire_bulls", 700_000)),
    ),
    Row("search, against random playouts", "x", 0.5, "measures.search"),
    Row("AEC raw_env, last and step", "/s", 40_000, "measures.raw_env"),
    Row("AEC env, wrapped, against connect_four", "x", 2, "measures.wrapped_env"),
    Row("public handle: three calls a decision", "/s", 100_000, "measures.handle"),
    Row("training, against a bare PPO loop", "x", 0.85, "measure_training.bare_loop"),
    Row("training, against MaskablePPO, 16 envs", "x", 2.5, "measure_training.plain_maskable_ppo"),
    Row("checkpoint, one decision", "us", 100, "measures.checkpoint_decision"),
    Row("checkpoint, load", "ms", 5, "measures.checkpoint_load"),
    Row("server, 100 games at a time: moves", "/s", 500, "measure_serve.moves_per_second"),
    Row("server: latency of a move, p50", "ms", 400, "measure_serve.latency_p50"),
    Row("server: latency of a move, p95", "ms", 800, "measure_serve.latency_p95"),
    Row("server: latency of a move, p99", "ms", 1200, "measure_serve.latency_p99"),
    Row("import", "s", 0.5, "measures.import_time"),
    Row("first decision of a new process", "s", 2, "measures.first_decision"),
)
PETTINGZOO_ROWS = (
    Row("performance_benchmark, raw_env", "/s", 31_700, "measures.pettingzoo_raw"),
    Row("performance_benchmark, against connect_four", "x", 1, "measures.pettingzoo_ratio"),
)


class Benchmark(BaseModel):
    """Measure the speed of everything: medians of 5, in CPU time; not so training and server."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field("pumafiosi", description="the game to measure with")
    only: list[str] = Field([], description="only rows whose names hold one of these words")
    pettingzoo: bool = Field(False, description="also PettingZoo's own benchmark, 5 s a call")
    as_json: bool = Field(False, alias="json", description="print JSON instead of a table")

    def cli_cmd(self) -> None:
        """Measure and print one table."""
        from rich.console import Console

        from ..envs.game import get_game

        try:
            get_game(self.game)
        except ValueError as error:
            raise ConfigError(f"game: {error}") from error
        rows = [*ROWS, *(PETTINGZOO_ROWS if self.pettingzoo else [])]
        chosen = [row for row in rows if not self.only or any(w in row.name for w in self.only)]
        if not chosen:
            names = "; ".join(row.name for row in rows)
            raise ConfigError(f"only: no row has a word of {self.only}; there are {names}")
        values = {}
        with Console(stderr=True, emoji=False).status("") as status:
            for row in chosen:
                status.update(row.name)
                values[row] = row.measure(self.game)
        if self.as_json:
            figures = [
                {
                    "name": row.name,
                    "value": value,
                    "unit": row.unit,
                    "target": row.target_of(self.game),
                    "met": row.met(value, self.game),
                }
                for row, value in values.items()
            ]
            print(json.dumps({"machine": machine(), "game": self.game, "rows": figures}, indent=2))
        else:
            print_table(self.game, values)


def machine() -> str:
    """Return the processor, the cores and the Python of this machine."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 (Linux only)
            models = [line.partition(":")[2].strip() for line in file if "model name" in line]
    except OSError:
        models = []
    cpu = models[0] if models else platform.processor() or platform.machine()
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}"


def print_table(game: str, values: dict[Row, float]) -> None:
    """Print each row with its figure, its target and whether that is met."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{game}, {machine()}", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("what")
    for column in ("figure", "target", "met"):
        table.add_column(column, justify="right", no_wrap=True)
    for row, value in values.items():
        figure = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        met = "yes" if row.met(value, game) else "no"
        table.add_row(row.name, f"{figure} {row.unit}".rstrip(), row.bound(game), met)
    Console(emoji=False).print(table)
