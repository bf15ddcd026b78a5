"""What the server's tests share: a client of an app in this process, games over HTTP."""

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from fastapi.testclient import TestClient

from emberdeck.server.app import create_app
from emberdeck.server.settings import Settings


@contextmanager
def client(folder: Path, **settings: object) -> Iterator[TestClient]:
    """Return a client of a server with its database in `folder`.

    A bot's move has minutes, for kernels may have to be compiled.
    """
    app = create_app(
        Settings(**{"database": folder / "games.sqlite", "max_seconds": 600, **settings})
    )
    with TestClient(app) as calls:
        yield calls


@contextmanager
def serving(database: Path, *options: str):
    """Run `emberdeck serve`; yield the process and a client of it."""
    command = [sys.executable, "-m", "emberdeck.scripts", "serve", "--port", "0"]
    command += ["--max-seconds", "600", "--database", str(database), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = re.search(r"http://\S+:\d+", "".join(process.stdout.readline() for _ in "12"))
            assert url, "the server has not started"
            with httpx2.Client(base_url=url[0], timeout=60) as calls:
                yield process, calls
        finally:
            process.kill()


def bearer(token: str) -> dict[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


class Played:
    """A game over HTTP: its URL, a header a human seat, and calls that must succeed."""

    def __init__(self, calls, game: str, seats: list[str], **more: object) -> None:
        self.calls = calls
        answer = calls.post("/games", json={"game": game, "seats": seats, **more})
        assert answer.status_code == 201, answer.text
        self.url = f"/games/{answer.json()['status']['id']}"
        self.tokens = answer.json()["tokens"]
        self.headers = {
            seat: bearer(token["token"]) for token in self.tokens for seat in token["seats"]
        }

    @property
    def status(self) -> dict:
        """What everybody may know."""
        return self.get("")

    def get(self, path: str, seat: int | None = None, **query: object) -> dict:
        """GET with the token of a seat, in whose name it is asked."""
        if seat is not None:
            query["seat"] = seat
        answer = self.calls.get(self.url + path, params=query, headers=self.headers.get(seat, {}))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def act(self, action: int | str, moves: int, seat: int):
        """Try a move; return the answer."""
        body = {"action": action, "moves": moves}
        return self.calls.post(f"{self.url}/actions", json=body, headers=self.headers[seat])

    def play(self, seed: int, limit: int = 10_000) -> dict:
        """Play at random for all human seats, to the end or so many moves; return the status."""
        rng, status = random.Random(seed), self.status
        while not status["over"] and limit > 0:
            seat = status["to_act"]
            legal = self.get("/actions", seat)
            answer = self.act(rng.choice(legal["actions"])["action"], legal["moves"], seat)
            assert answer.status_code == 200, answer.text
            status = answer.json()["status"]
            limit -= 1
        return status
