"""What `evaluate` and `tournament` share: the options of their matches."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from ..training.config import ConfigError, typed

if TYPE_CHECKING:
    from ..envs import Game
    from ..policies.policy import Policy


class Matches(BaseModel):
    """The options of commands that play policies against each other."""

    model_config = ConfigDict(extra="forbid")

    game: str | None = Field(None, description="null: the one that the policies are trained for")
    players: int | None = Field(None, description="null: as the first bot was trained")
    options: dict[str, Any] = Field({}, description="the game's; the others as it was trained")
    mode: str = Field("sample", description="how policies pick: sample, greedy or a temperature")
    seed: int = Field(0, ge=0, description="of the deals and all decisions")
    record: Path | None = Field(
        None, description="file that all games are added to; see `emberdeck replay`"
    )
    as_json: bool = Field(False, alias="json", description="print JSON instead of a table")

    def setup(self, policies: "Sequence[Policy]") -> "tuple[Game, int, dict[str, Any]]":
        """Return game, players and options: those asked for, else those of the first bot."""
        games = [policy.game for policy in policies if policy.game is not None]
        if not games:
            raise ConfigError("game: say which one; none of the policies is trained for one")
        cards = (getattr(policy, "card", None) for policy in policies)
        card: dict[str, Any] = next(filter(None, cards), {})
        trained = card.get("trained_players", card.get("players"))  # exported bot, checkpoint
        options = card.get("options", {}) | {k: typed(v) for k, v in self.options.items()}
        return games[0], self.players or trained or games[0].default_players, options
