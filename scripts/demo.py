"""`emberdeck demo`: from nothing to a bot that wins, and a game to watch."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ..training.config import load_config
from .evaluate import Evaluate, print_table
from .train import run_name, train


class Demo(BaseModel):
    """Train a bot in a minute or two, evaluate it, and show one game that it plays."""

    model_config = ConfigDict(extra="forbid")

    config: str = Field("demo", description="name of a config, or path of a YAML file")
    runs: Path = Field(Path("runs"), description="folder of all runs")
    games: int = Field(2000, ge=2, description="games against each opponent")

    def cli_cmd(self) -> None:
        """Train, evaluate, play."""
        from ..policies.policy import load
        from .play import commented_game

        config = load_config(self.config)
        folder = self.runs / f"demo-{run_name(config.game)}"
        run = train(config, folder, resume=False, command="emberdeck demo")
        bot = f"{run.folder}@best"
        print()
        settings = {"candidate": bot, "games": self.games, "seed": config.seed}
        print_table(Evaluate.model_validate(settings).results())
        print(f"The run lies in {run.folder}; its best bot is {bot}.")
        print("A game against the scripted player:\n")
        assert run.config.players is not None  # a valid config holds the resolved number
        opponents = [load("heuristic", config.game) for _ in range(run.config.players - 1)]
        policies = [load(bot, mode="greedy"), *opponents]
        commented_game(config.game, policies, config.options, config.seed)
        print(f"\nPlay it yourself: emberdeck play {config.game} --opponents {bot}")
