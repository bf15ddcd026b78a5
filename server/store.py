"""Games in an SQLite file: each is its record's header, its tokens' digests and a row a move.

All of it runs in one thread of its own. A change is on disk when `save` returns; changes that come
while another commit is under way share the next one, so a hundred games cost no hundred syncs.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

VERSION = 1  # of the schema
SCHEMA = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    header TEXT NOT NULL,  -- the first line of the game's record
    tokens TEXT NOT NULL,  -- JSON: the SHA-256 of a token, the seats it holds
    seed_chosen INTEGER NOT NULL,  -- whether a client has named the seed
    touched REAL NOT NULL  -- time of the last change
);
CREATE INDEX idle ON games (touched);
CREATE TABLE moves (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    action TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
"""

Result = TypeVar("Result")
Statement = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Saved:
    """A game as it is kept: `tokens` maps a digest to seats, `moves` are (seat, action name)."""

    id: str
    header: dict[str, Any]
    tokens: dict[str, list[int]]
    seed_chosen: bool
    touched: float
    moves: list[tuple[int, str]]


class Store:
    """The file at `path`, made if it is not there; ValueError if it cannot be used.

    One server has it at a time.
    """

    def __init__(self, path: Path) -> None:
        self._thread = ThreadPoolExecutor(1, "store")
        self._pending: list[tuple[tuple[Statement, ...], asyncio.Future[None]]] = []
        self._flush: asyncio.Task[None] | None = None
        self._database = self._thread.submit(_open, path).result()

    async def save(self, *statements: Statement) -> None:
        """Make changes, all or none, and return when they are on disk.

        Raises OSError, one line, if they cannot be written.
        """
        done = asyncio.get_running_loop().create_future()
        self._pending.append((statements, done))
        if self._flush is None or self._flush.done():
            self._flush = asyncio.create_task(self._write_pending())
        await done

    async def load(self, id: str) -> Saved | None:  # noqa: A002 (its usual name)
        """Return the game of that id, None if there is none."""
        return await self._run(partial(_load, self._database, id))

    async def count(self) -> int:
        """Return the number of games."""
        rows = await self._run(partial(_query, self._database, "SELECT count(*) FROM games"))
        return rows[0][0]

    async def idle(self, before: float) -> list[str]:
        """Return the ids of the games that were not changed since the time `before`."""
        query = partial(_query, self._database, "SELECT id FROM games WHERE touched < ?", before)
        return [row[0] for row in await self._run(query)]

    def close(self) -> None:
        """Wait for the last write and close the file."""
        self._thread.submit(self._database.close).result()
        self._thread.shutdown()

    async def _run(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _write_pending(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, []
            statements = [one for changes, _ in batch for one in changes]
            failure = None
            try:
                await self._run(partial(_write, self._database, statements))
            except sqlite3.Error as error:
                failure = OSError(f"the database cannot be written: {error}")
            for _, done in batch:
                if not done.done():  # else nobody waits any more
                    done.set_exception(failure) if failure else done.set_result(None)


def create(saved: Saved) -> Statement:
    """Return the change that adds a game without moves."""
    row = (json.dumps(saved.header), json.dumps(saved.tokens), saved.seed_chosen, saved.touched)
    return "INSERT INTO games VALUES (?, ?, ?, ?, ?)", (saved.id, *row)


def touch(id: str) -> Statement:  # noqa: A002
    """Return the change that notes the time of a move."""
    return "UPDATE games SET touched = ? WHERE id = ?", (time.time(), id)


def move(id: str, number: int, seat: int, action: str) -> Statement:  # noqa: A002
    """Return the change that adds a move, the first of a game being number 0."""
    return "INSERT INTO moves VALUES (?, ?, ?, ?)", (id, number, seat, action)


def cut(id: str, number: int) -> Statement:  # noqa: A002
    """Return the change that removes all moves but the first `number`."""
    return "DELETE FROM moves WHERE game = ? AND number >= ?", (id, number)


def remove(id: str) -> Statement:  # noqa: A002
    """Return the change that removes a game."""
    return "DELETE FROM games WHERE id = ?", (id,)


def _open(path: Path) -> sqlite3.Connection:
    try:
        database = sqlite3.connect(path, timeout=1, isolation_level=None)
        # Nobody else opens the file meanwhile; a killed process leaves it free.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if version == 0 and tables == 0:
            database.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise ValueError(f"{path} holds no games of this version: name another database")
    except sqlite3.Error as error:
        why = "another server has it open" if "locked" in str(error) else str(error)
        raise ValueError(f"{path}: {why}") from error
    return database


def _query(database: sqlite3.Connection, query: str, *values: object) -> list[tuple[Any, ...]]:
    return database.execute(query, values).fetchall()


def _load(database: sqlite3.Connection, id: str) -> Saved | None:  # noqa: A002
    rows = _query(database, "SELECT * FROM games WHERE id = ?", id)
    if not rows:
        return None
    ((_, header, tokens, seed_chosen, touched),) = rows
    moves = "SELECT seat, action FROM moves WHERE game = ? ORDER BY number"
    found = [(seat, action) for seat, action in _query(database, moves, id)]
    return Saved(id, json.loads(header), json.loads(tokens), bool(seed_chosen), touched, found)


def _write(database: sqlite3.Connection, statements: list[Statement]) -> None:
    database.execute("BEGIN")
    try:
        for statement in statements:
            database.execute(*statement)
        database.execute("COMMIT")
    except sqlite3.Error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
