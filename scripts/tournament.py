"""`emberdeck tournament`: policies rated by games among all of them."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import Field
from pydantic_settings import CliPositionalArg

from ..training.config import ConfigError
from .matches import Matches

if TYPE_CHECKING:
    from ..training.tournament import Tournament


class PlayTournament(Matches):
    """Rate policies: `emberdeck tournament random heuristic search:100 --game pumafiosi`.

    At every deal some of them meet, and each sits in every seat. 400 points more are odds of 10 to
    1 to finish ahead of another policy; the mean of all ratings is 0.
    """

    policies: CliPositionalArg[list[str]] = Field(
        description="as in `emberdeck evaluate`; two or more"
    )
    games: int = Field(4000, ge=2, description="in all, rounded up to deals")

    def cli_cmd(self) -> None:
        """Play and print one table."""
        result = self.result()
        if self.as_json:
            print(json.dumps(asdict(result), indent=2))
        else:
            print_ratings(result)

    def result(self) -> "Tournament":
        """Play and rate; `ConfigError` for what cannot be played."""
        from rich.console import Console
        from rich.progress import Progress

        from ..envs.record import Recorder
        from ..policies.policy import load
        from ..training.tournament import tournament

        console = Console(stderr=True, emoji=False)
        try:
            policies = [
                load(name, self.game, self.mode, self.seed + i)
                for i, name in enumerate(self.policies)
            ]
            game, players, options = self.setup(policies)
            deals = -(-self.games // players)
            recorder = Recorder(self.record) if self.record else None
            with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
                task = bar.add_task("tournament", total=deals * players)
                return tournament(
                    policies,
                    game,
                    players,
                    options,
                    deals,
                    self.seed,
                    lambda done: bar.update(task, completed=done),
                    recorder,
                )
        except ValueError as error:
            raise ConfigError(str(error)) from error


def print_ratings(result: "Tournament") -> None:
    """Print the ratings, best first; every figure with its interval, chance level and n."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    options = ", ".join(f"{key} {value}" for key, value in result.options.items())
    title = f"{result.game}, {result.players} seats, {options}: {result.games:,} games"
    table = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("policy")
    for column in ("rating, 95 %", "win share, 95 %", "chance", "games"):
        table.add_column(column, justify="right", no_wrap=True)
    for rated in result.ratings:
        table.add_row(
            rated.policy,
            "{:+.0f}, {:+.0f} to {:+.0f}".format(rated.rating, *rated.rating_interval),
            "{:.3f}, {:.3f} to {:.3f}".format(rated.win_share, *rated.win_share_interval),
            f"{result.chance:.3f}",
            f"{rated.games:,}",
        )
    Console(emoji=False).print(table)
