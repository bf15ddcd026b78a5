"""Game records as JSON lines: how a game began, every decision by name, how it ended.

A game is a header, a line a decision and, once it is over, a line with the result; a file holds any
number of games, one after the other. The seed and the decisions give back every state.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import Field

from .. import __version__
from .document import Strict, parse, require, require_length
from .game import Game, State, get_game
from .rng import seed_bits

Text = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$")]  # fit to be shown on one line


class Header(Strict):
    """The first line of a game; `record` is the version of the format.

    `options` names all of the game's options, `policies` who played, a name a seat.
    """

    record: Annotated[int, Field(ge=1, le=1)]
    game: str
    game_version: int
    emberdeck_version: Text
    players: int
    options: dict[str, bool | int | str]
    seed: Annotated[int, Field(ge=0)]
    policies: list[Text]


class Move(Strict):
    """A decision: the acting seat and the name of its action."""

    seat: int
    action: str


class Result(Strict):
    """The last line of a finished game: every seat's points, and the seats that won."""

    scores: list[int]
    winners: list[int]


@dataclass(frozen=True)
class Record:
    """A game that was played; `result` is None if it did not come to its end."""

    header: Header
    moves: list[Move]
    result: Result | None = None

    @property
    def game(self) -> Game:
        """The game that was played."""
        return get_game(self.header.game)

    def states(self) -> Iterator[State]:
        """Replay the game: a state of its own at the start and after every move."""
        game, header = self.game, self.header
        state = game.new(header.players, header.options, header.seed)
        yield state.copy()
        for move in self.moves:
            state.apply(game.action_id(move.action))
            yield state.copy()


def header(
    game: Game, players: int, options: Mapping[str, Any], seed: int, policies: Sequence[str]
) -> dict[str, Any]:
    """Return the first line of a game; ValueError for what `game.new` or a reader refuses."""
    players, options, _ = game.resolve(players, options)
    seed_bits(seed)  # refuses what is no seed
    entry = {
        "record": 1,
        "game": game.name,
        "game_version": game.version,
        "emberdeck_version": __version__,
        "players": players,
        "options": options,
        "seed": int(seed),
        "policies": list(policies),
    }
    _read_header(entry)
    return entry


def move(game: Game, seat: int, action: int) -> dict[str, Any]:
    """Return the line of a decision: `seat` is to act, `action` a legal id."""
    return {"seat": int(seat), "action": game.action_names[action]}


def result(state: State) -> dict[str, Any]:
    """Return the last line of a finished game."""
    return {"scores": state.scores(), "winners": state.winners()}


def entries(
    game: Game,
    players: int,
    options: Mapping[str, Any],
    seed: int,
    policies: Sequence[str],
    actions: Iterable[int],
) -> Iterator[dict[str, Any]]:
    """Return all lines of a game by replaying its actions; without a result if it is not over.

    Raises ValueError for what `header` refuses and IllegalAction for an action that is not legal.
    """
    yield header(game, players, options, seed, policies)
    state = game.new(players, options, seed)
    for action in actions:
        seat = state.to_act
        state.apply(action)
        assert seat is not None  # or the action was illegal
        yield move(game, seat, action)
    if state.over:
        yield result(state)


def line(entry: Mapping[str, Any]) -> str:
    """Return an entry as a line of a file, its newline included."""
    return json.dumps(entry) + "\n"


def read_records(lines: Iterable[str]) -> Iterator[Record]:
    """Read and check the games of a file; a game that breaks off is shown without a result.

    Every line is replayed, so a record that is shown can be played again. Raises ValueError that
    names the line and what is wrong with it.
    """
    record = state = None
    for number, text in enumerate(lines, 1):
        unfinished = None
        try:
            entry = _decode(text)
            if "record" in entry:
                unfinished, record = record, Record(_read_header(entry), [])
                state = next(record.states())
            elif record is None or state is None:
                raise ValueError("a game begins with a header")
            elif entry.keys() & {"scores", "winners"}:
                record = replace(record, result=_read_result(entry, state))
            else:
                record.moves.append(_read_move(entry, state))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if unfinished:
            yield unfinished
        if record.result:
            yield record
            record = None
    if record:
        yield record


def _decode(text: str) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"this is no JSON: {text.rstrip()!r:.80}") from None
    if not isinstance(entry, dict):
        raise ValueError(f"a line is a JSON object, not {entry!r:.80}")
    return entry


def _read_header(entry: dict[str, Any]) -> Header:
    found = parse(Header, entry)
    game = get_game(found.game)
    here = f"{game.name} is at version {game.version} here, not {found.game_version}"
    require(found.game_version == game.version, "game_version", here)
    _, options, _ = game.resolve(found.players, found.options)
    require(found.options == options, "options", f"must be complete, such as {options}")
    require_length(found.policies, found.players, "policies")
    return found


def _read_move(entry: dict[str, Any], state: State) -> Move:
    """Read a decision and make it in `state`."""
    found = parse(Move, entry)
    action = state.game.action_id(found.action)
    if not state.over:  # where any action is refused
        require(found.seat == state.to_act, "seat", f"{state.to_act} is to act, not {found.seat}")
    state.apply(action)
    return found


def _read_result(entry: dict[str, Any], state: State) -> Result:
    found = parse(Result, entry)
    if not state.over:
        raise ValueError(f"the game is not over: seat {state.to_act} is to act")
    for key, value in result(state).items():
        require(entry[key] == value, key, f"replaying gives {value}, not {entry[key]}")
    return found


class Recorder:
    """Adds games to the file of records at `path`, made with the first of them.

    The file is whole whenever a call returns, so a game that is cut off can be read up to there.
    Raises ValueError if the file cannot be written or holds anything but records.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._game: Game | None = None  # the one that is being played
        self._sizes: list[int] = []  # of the file, after its header and after every move
        if self.path.exists():
            self._check()
        elif not self.path.parent.is_dir():
            raise ValueError(f"{self.path}: there is no such folder")

    def begin(self, state: State, seed: int, policies: Sequence[str]) -> None:
        """Begin a game, `state` fresh from `seed`; `policies` are the names of who plays."""
        entry = header(state.game, state.players, state.options, seed, policies)
        self._game, self._sizes = state.game, [self._write(entry)]

    def move(self, seat: int, action: int) -> None:
        """Note a decision that was made."""
        if self._game is None:
            raise ValueError("no game has begun")
        self._sizes.append(self._write(move(self._game, seat, action)))

    def undo(self, moves: int) -> None:
        """Strike out the last moves of the game; that many are left."""
        with self._open("r+") as file:
            file.truncate(self._sizes[moves])
        del self._sizes[moves + 1 :]

    def end(self, state: State) -> None:
        """Note how the game ended."""
        self._write(result(state))
        self._game = None

    def add(self, game: Iterable[dict[str, Any]]) -> None:
        """Add a whole game, its `entries`, or nothing if an action is not legal."""
        self._write(*game)

    def _write(self, *new: dict[str, Any]) -> int:
        """Add lines to the file; return its size then."""
        text = "".join(map(line, new))
        with self._open("ab") as file:
            file.write(text.encode())
            return file.tell()

    def _check(self) -> None:
        if not self.path.is_file():
            raise ValueError(f"{self.path} is not a file")
        with self._open("r+b") as file:  # as it will be written to
            first = file.readline()
            if not first:
                return
            try:
                next(read_records([first.decode()]))
            except ValueError as error:
                raise ValueError(f"{self.path} holds something else: {error}") from None
            file.seek(-1, os.SEEK_END)
            if file.read() != b"\n":
                raise ValueError(f"{self.path}: the last line is cut off")

    @contextmanager
    def _open(self, mode: str) -> Iterator[IO[bytes]]:
        try:
            with self.path.open(mode) as file:
                yield file
        except OSError as error:
            raise ValueError(f"{self.path}: {error.strerror}") from error
