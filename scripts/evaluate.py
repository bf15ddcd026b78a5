"""`emberdeck evaluate`: a policy against others, the same deals from every seat."""

import json
from typing import TYPE_CHECKING

from pydantic import Field
from pydantic_settings import CliPositionalArg

from ..training.config import ConfigError
from .matches import Matches

if TYPE_CHECKING:
    from ..training.evaluate import Evaluation


class Evaluate(Matches):
    """Play a policy against others: `emberdeck evaluate RUN@best --opponents random,heuristic`.

    Every deal is played once with the candidate in each seat. A policy is `random`, `heuristic`,
    `search:N`, the path of a checkpoint folder or an exported bot, `RUN@latest` or `RUN@best`.
    """

    candidate: CliPositionalArg[str] = Field(description="the policy to evaluate")
    opponents: list[str] = Field(
        ["random", "heuristic"],
        min_length=1,
        description="each takes all other seats in matches of its own; A+B+C seats three",
    )
    games: int = Field(4000, ge=2, description="games against each opponent, rounded up to deals")

    def cli_cmd(self) -> None:
        """Play and print one table."""
        results = self.results()
        if self.as_json:
            print(json.dumps([{"opponent": n, **vars(r)} for n, r in results.items()], indent=2))
        else:
            print_table(results)

    def results(self) -> "dict[str, Evaluation]":
        """Play against each of the opponents; `ConfigError` for what cannot be played."""
        from rich.console import Console
        from rich.progress import Progress

        from ..envs.record import Recorder
        from ..policies.policy import load
        from ..training.evaluate import evaluate

        results = {}
        try:
            candidate = load(self.candidate, self.game, self.mode, self.seed)
            tables = {
                name: [load(n, self.game, self.mode, self.seed + 1) for n in name.split("+")]
                for name in self.opponents
            }
            everybody = [candidate, *(policy for table in tables.values() for policy in table)]
            game, players, options = self.setup(everybody)
            deals = -(-self.games // players)
            recorder = Recorder(self.record) if self.record else None
            console = Console(stderr=True, emoji=False)
            with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
                for name, table in tables.items():
                    task = bar.add_task(f"against {name}", total=deals * players)
                    results[name] = evaluate(
                        candidate,
                        table,
                        game,
                        players,
                        options,
                        deals,
                        self.seed,
                        lambda done, task=task: bar.update(task, completed=done),
                        recorder,
                    )
        except ValueError as error:
            raise ConfigError(str(error)) from error
        return results


def print_table(results: "dict[str, Evaluation]") -> None:
    """Print results by opponent; every figure with its interval, and the chance level and n."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    first = next(iter(results.values()))
    options = ", ".join(f"{key} {value}" for key, value in first.options.items())
    title = f"{first.candidate}: {first.game}, {first.players} seats, {options}"
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("against")
    for column in ("win share, 95 %", "chance", "score margin, 95 %", "games"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, result in results.items():
        table.add_row(
            name,
            "{:.3f}, {:.3f} to {:.3f}".format(result.win_share, *result.win_share_interval),
            f"{result.chance:.3f}",
            "{:+.2f}, {:+.2f} to {:+.2f}".format(result.margin, *result.margin_interval),
            f"{result.games:,}",
        )
    Console(emoji=False).print(table)
