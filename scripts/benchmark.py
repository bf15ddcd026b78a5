"""`emberdeck benchmark`: how fast everything is on this machine, against what it should reach."""

import json
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from ..training.config import ConfigError


@dataclass(frozen=True)
class Row:
    """A figure to measure; `measure` takes the game's name. Times are at most `target`."""

    name: str
    unit: str
    target: float
    measure: Callable[[str], float]

    def met(self, value: float) -> bool:
        """Tell whether a measured value is as good as the target."""
        return value <= self.target if self.unit in ("s", "ms", "us") else value >= self.target

    def bound(self) -> str:
        """Return the target in words."""
        return f"{'at most' if self.unit in ('s', 'ms', 'us') else 'at least'} {self.target:,g}"


class Benchmark(BaseModel):
    """Measure the speed of everything: medians of 5 in one process, comparisons in the same run."""

    model_config = ConfigDict(extra="forbid")

    game: str = Field("pumafiosi", description="the game to measure with")
    only: list[str] = Field([], description="only rows whose names hold one of these words")
    pettingzoo: bool = Field(False, description="also PettingZoo's own benchmark, 5 s a call")
    as_json: bool = Field(False, alias="json", description="print JSON instead of a table")

    def cli_cmd(self) -> None:
        """Measure and print one table."""
        from rich.console import Console

        from ..envs.game import get_game
        from .measure_training import TRAINING_ROWS
        from .measures import PETTINGZOO_ROWS, ROWS

        try:
            get_game(self.game)
        except ValueError as error:
            raise ConfigError(f"game: {error}") from error
        rows = [*ROWS, *TRAINING_ROWS, *(PETTINGZOO_ROWS if self.pettingzoo else [])]
        chosen = [row for row in rows if not self.only or any(w in row.name for w in self.only)]
        if not chosen:
            raise ConfigError(f"only: no row has such a word: {', '.join(r.name for r in rows)}")
        values = {}
        with Console(stderr=True).status("") as status:
            for row in chosen:
                status.update(row.name)
                values[row] = row.measure(self.game)
        if self.as_json:
            figures = [
                {
                    "name": row.name,
                    "value": value,
                    "unit": row.unit,
                    "target": row.target,
                    "met": row.met(value),
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
        met = "yes" if row.met(value) else "no"
        table.add_row(row.name, f"{figure} {row.unit}".rstrip(), row.bound(), met)
    Console().print(table)
