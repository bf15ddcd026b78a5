"""`emberdeck replay`: checks recorded games, and shows one of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import CliPositionalArg

from ..envs.drawing import seat_name
from ..envs.record import Move, Record, read_records
from ..training.config import ConfigError


class Replay(BaseModel):
    """Check recorded games, and show one of them: `emberdeck replay games.jsonl --game 1`.

    Every decision of every game is made again. Games count from 1; step 0 is the start of a game,
    step 5 what its fifth decision led to.
    """

    model_config = ConfigDict(extra="forbid")

    file: CliPositionalArg[Path] = Field(description="file of records")
    game: int | None = Field(None, ge=1, description="show this one; null: a line for each")
    seat: int | None = Field(None, ge=0, description="as this seat saw it; null: as a spectator")
    step: int | None = Field(None, ge=0, description="show this step only; null: all")
    svg: Path | None = Field(None, description="write pictures into this folder instead")
    as_json: bool = Field(False, alias="json", description="print JSON lines instead of text")

    def cli_cmd(self) -> None:
        """Check the whole file and print; ConfigError for a bad record, or none of that number."""
        shown, count = None, 0
        for option in ("seat", "step", "svg"):
            if self.game is None and getattr(self, option) is not None:
                raise ConfigError(f"{option}: of which game? (--game 1)")
        for count, record in enumerate(read_file(self.file), 1):
            if self.game is None:
                print(json.dumps(facts(count, record)) if self.as_json else summary(count, record))
            elif self.game == count:
                shown = record
        if shown:
            self._show(shown)
        elif self.game:
            raise ConfigError(f"game: {self.file} holds {count}, there is no game {self.game}")

    def _show(self, record: Record) -> None:
        """Print the chosen steps of a game, or draw them."""
        last, seats = len(record.moves), record.header.players
        if self.step is not None and self.step > last:
            raise ConfigError(f"step must be 0 to {last}, not {self.step}")
        if self.seat is not None and self.seat >= seats:
            raise ConfigError(f"seat must be 0 to {seats - 1}, not {self.seat}")
        if not (self.as_json or self.svg):
            print(summary(self.game, record))
        for step, state in enumerate(record.states()):
            if self.step not in (None, step):
                continue
            view = state.spectator_view() if self.seat is None else state.view(self.seat)
            move = self._told(record, record.moves[step - 1]) if step else None
            if self.svg:
                self._draw(self.svg, step, record.game.drawing.svg(view))
            elif self.as_json:
                print(json.dumps({"step": step, "move": move, "view": view}))
            else:
                text = f"{seat_name(move['seat'])}: {move['action'] or 'in secret'}" if move else ""
                print(f"\nstep {step} of {last}  {text}".rstrip())
                print(record.game.drawing.text(view))
        if self.svg:
            print(f"drawn in {self.svg}")

    def _told(self, record: Record, move: Move) -> dict[str, Any]:
        """Return a move as the seat that looks on learns it: a secret one of others is null."""
        told = move.model_dump()
        secret = record.game.action_id(move.action) in record.game.secret_actions
        if secret and self.seat not in (None, move.seat):
            told["action"] = None
        return told

    def _draw(self, folder: Path, step: int, svg: str) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"game-{self.game}-step-{step:04}.svg").write_text(svg, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"svg: {error.filename}: {error.strerror}") from error


def read_file(path: Path) -> Iterator[Record]:
    """Read the games of a file; ConfigError names the line at fault."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from read_records(file)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error


def facts(number: int, record: Record) -> dict[str, Any]:
    """Return a game in short, as JSON values: its number, header, number of moves, result."""
    result = record.result.model_dump() if record.result else None
    header = record.header.model_dump()
    return {"number": number, **header, "moves": len(record.moves), "result": result}


def summary(number: int | None, record: Record) -> str:
    """Return a game in short, as a line of text."""
    header, result = record.header, record.result
    options = ", ".join(f"{key} {value}" for key, value in header.options.items())
    seats = [f"{seat_name(seat)} ({name})" for seat, name in enumerate(header.policies)]
    if result:
        seats = [f"{who} {score}" for who, score in zip(seats, result.scores, strict=True)]
        end = f"won by {' and '.join(map(seat_name, result.winners))}"
    else:
        end = "not finished"
    game = f"{number}: {header.game}, {options}, seed {header.seed}"
    return f"{game}: {len(record.moves)} moves, {', '.join(seats)}, {end}"
