"""What the operator of a server decides: where it listens, what it keeps, how much it takes on."""

import re
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .. import GAME_VERSIONS

BOT_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
RESERVED = ("human", "random", "heuristic")


class Settings(BaseModel):
    """The settings of a bot server; each is an option of `emberdeck serve`."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    host: str = Field("127.0.0.1", description="address to listen on; 0.0.0.0: all of this machine")
    port: int = Field(8000, ge=0, le=65535, description="port to listen on; 0: any free one")
    database: Path = Field(Path("emberdeck.sqlite"), description="SQLite file that keeps the games")
    games: list[str] = Field(
        list(GAME_VERSIONS), min_length=1, description="the games that are offered"
    )
    bots: dict[str, str] = Field(
        {}, description="bots that clients may name, such as strong=runs/first,quick=search:50"
    )
    mode: str = Field(
        "sample", description="how bots with probabilities pick: sample, greedy or a temperature"
    )
    cors: list[str] = Field(
        [], description="web origins that may call, such as https://example.org; *: all"
    )
    max_games: int = Field(1000, ge=1, description="games kept at a time")
    idle_hours: float = Field(168, gt=0, description="a game without a move for so long is removed")
    max_followers: int = Field(1000, ge=0, description="open event streams at a time")
    max_body_bytes: int = Field(1_000_000, ge=1000, description="size of a request")
    max_simulations: int = Field(20_000, ge=1, description="a search that clients may ask for")
    max_search_ms: int = Field(2000, ge=1, description="the same of a search by time")
    max_seconds: float = Field(10, gt=0, description="a bot's move, its wait for a core included")
    max_waiting: int = Field(256, ge=1, description="bots' moves in work or waiting at a time")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for game in self.games:
            if game not in GAME_VERSIONS:
                raise ValueError(f"there is no game {game!r} (games: {', '.join(GAME_VERSIONS)})")
        for name in self.bots:
            if name in RESERVED or not BOT_NAME.fullmatch(name):
                raise ValueError(
                    f"a bot's name is 1 to 40 of the letters A-Z a-z 0-9 _ . - and none of "
                    f"{', '.join(RESERVED)}, not {name!r}"
                )
        if self.max_search_ms >= 1000 * self.max_seconds:
            raise ValueError(
                f"max_search_ms ({self.max_search_ms}) must be less than max_seconds "
                f"({self.max_seconds:g})"
            )
        return self
