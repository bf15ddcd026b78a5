"""A real server process: killed in the middle of games, it loses nothing that was reported."""

import os
import random
import signal
import threading
from contextlib import contextmanager

import httpx2
import pytest

from emberdeck.envs.record import read_records

from ..contract_helpers import games
from .server_helpers import Played, serving


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_server_has_kept_every_move_that_it_reported(tmp_path):
    database = tmp_path / "games.sqlite"
    for turn in range(games(1, 50)):
        with serving(database, "--games", "pumafiosi") as (process, calls):
            game = Played(calls, "pumafiosi", ["human", "heuristic", "random"], seed=turn)
            killer = threading.Timer(random.uniform(0.2, 1), process.kill)
            killer.start()
            reported = play_until_the_server_is_gone(game)
            killer.join()
        with serving(database, "--games", "pumafiosi") as (process, calls):
            game.calls = calls
            text = calls.get(f"{game.url}/record", headers=game.headers[0]).text
            (record,) = read_records(text.splitlines())
            kept = [(move.seat, move.action) for move in record.moves]
            assert reported
            assert [kept[number] for number in reported] == list(reported.values())
            if game.status["to_act"] not in (0, None):
                calls.post(f"{game.url}/bots", json={}, headers=game.headers[0])
            with following(game) as told:
                assert game.play(seed=turn)["over"]
            assert told.count("event: move") == game.status["moves"]
            other = Played(calls, "pumafiosi", ["human", "human"])
            with following(other) as told:
                process.terminate()
                assert process.wait(60) == -signal.SIGTERM  # though somebody follows
            assert told == ["end of the stream"]


def play_until_the_server_is_gone(game: Played) -> dict[int, tuple[int, str]]:
    """Play; return every move that the server has reported, by its number."""
    rng, reported = random.Random(0), {}
    try:
        while True:
            told = game.get("/actions", 0)
            if told["actions"]:
                answer = game.act(rng.choice(told["actions"])["action"], told["moves"], 0)
                for move in answer.json()["moves"]:
                    reported[move["number"]] = move["seat"], move["name"]
    except httpx2.TransportError:
        return reported


@contextmanager
def following(game: Played):
    """Collect the lines of a game's events, which are there as soon as they happen."""
    lines: list[str] = []
    answered = threading.Event()

    def follow() -> None:
        try:
            with game.calls.stream("GET", f"{game.url}/events") as answer:
                answered.set()
                lines.extend(answer.iter_lines())
                lines.append("end of the stream")
        except httpx2.TransportError:  # it broke off
            return

    thread = threading.Thread(target=follow)
    thread.start()
    assert answered.wait(60)
    yield lines
    thread.join(60)
    assert not thread.is_alive()
