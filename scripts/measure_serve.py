"""What `emberdeck benchmark` measures of the bot server: moves a second and how long one takes.

A real server process and 100 games at a time: a person in each, who plays at random without
thinking, against scripted players. In wall time, the client on the same machine.
"""

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..envs import get_game
from ..training.config import ConfigError

GAMES = 100
WARM, SECONDS = 3.0, 15.0


@dataclass
class Load:
    """Every move of a person: when it was answered, how long that took, how many moves it told."""

    answered: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)


def moves_per_second(game: str) -> float:
    """Return the moves of people and bots that the server makes and saves in a second."""
    return float(measured(game)[0].sum() / SECONDS)


def latency_p50(game: str) -> float:
    """Return the median milliseconds from a move to its answer, after the bots have moved."""
    return float(1e3 * np.percentile(measured(game)[1], 50))


def latency_p95(game: str) -> float:
    """Return the same, 95th percentile."""
    return float(1e3 * np.percentile(measured(game)[1], 95))


def latency_p99(game: str) -> float:
    """Return the same, 99th percentile."""
    return float(1e3 * np.percentile(measured(game)[1], 99))


@cache
def measured(game: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (moves, seconds) of every answer after the warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        package = __name__.partition(".")[0]
        command = [sys.executable, "-m", f"{package}.scripts", "serve", "--port", "0"]
        command += ["--games", game, "--max_games", "100000"]
        command += ["--database", str(Path(folder) / "games.sqlite")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = re.search(r":(\d+),", "".join(server.stdout.readline() for _ in range(2)))
                if not found:
                    raise ConfigError("the server to be measured has not started")
                load = asyncio.run(_play(int(found[1]), game))
            finally:
                server.terminate()
    counted = np.array(load.answered) >= WARM
    return np.array(load.moves)[counted], np.array(load.seconds)[counted]


async def _play(port: int, game: str) -> Load:
    load, end = Load(), time.monotonic() + WARM + SECONDS
    await asyncio.gather(*(_player(port, game, number, load, end) for number in range(GAMES)))
    return load


async def _player(port: int, game: str, number: int, load: Load, end: float) -> None:
    """Play one game after the other until `end`."""
    rng = random.Random(number)
    call = await _Calls.open(port)
    seats = ["human"] + ["heuristic"] * (get_game(game).default_players - 1)
    url, over = "", True
    while time.monotonic() < end:
        if over:
            created = await call("POST", "/games", {"game": game, "seats": seats})
            url, call.token = f"/games/{created['status']['id']}", created["tokens"][0]["token"]
        told = await call("GET", f"{url}/actions?seat=0")
        move = {"action": rng.choice(told["actions"])["action"], "moves": told["moves"]}
        started = time.monotonic()
        played = await call("POST", f"{url}/actions", move)
        now = time.monotonic()
        load.answered.append(now - end + WARM + SECONDS)
        load.seconds.append(now - started)
        load.moves.append(len(played["moves"]))
        over = played["status"]["over"]
    call.writer.close()


@dataclass
class _Calls:
    """One connection, with no more of HTTP than this server speaks: the client costs little."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    token: str = ""

    @classmethod
    async def open(cls, port: int) -> "_Calls":
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def __call__(self, method: str, path: str, body: Any = None) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self.writer.write(head.encode() + content)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = re.search(r"content-length: (\d+)", answer)
        assert length
        content = await self.reader.readexactly(int(length[1]))
        assert answer.startswith(("http/1.1 200", "http/1.1 201")), content
        return json.loads(content)
