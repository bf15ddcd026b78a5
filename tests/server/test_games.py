"""Games without HTTP: two at once, slow bots, followers, full servers, restarts."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from emberdeck.envs import GAMES
from emberdeck.server import store
from emberdeck.server.bots import Advice, Bots, warm
from emberdeck.server.games import (
    HOUR,
    Busy,
    Conflict,
    Forbidden,
    Games,
    TooSlow,
    Unknown,
    Unproven,
)
from emberdeck.server.settings import Settings
from emberdeck.server.store import Store

GAME = GAMES["pumafiosi"]


@asynccontextmanager
async def server(folder, **settings) -> AsyncIterator[Games]:
    limits = {"database": folder / "games.sqlite", "max_seconds": 600, **settings}
    all_settings = Settings(**limits)
    games = Games(all_settings, Bots(all_settings), Store(all_settings.database))
    yield games
    await games.close()


async def start(games: Games, seats=("human", "human"), local=True, game=GAME):
    session, tokens = await games.create(game, list(seats), {}, 1, local)
    return session, list(tokens)


async def act(games: Games, session, times: int = 1) -> None:
    for _ in range(times):
        action = session.state.legal_actions()[0]
        await games.act(session, session.humans, action, len(session.moves))
        if session.bots:
            await session.bots


def run_sql(games: Games, query: str) -> list:
    database = games.store._database
    return games.store._thread.submit(lambda: database.execute(query).fetchall()).result()


def test_of_two_moves_at_once_one_is_made(tmp_path):
    async def run():
        async with server(tmp_path) as games:
            session, _ = await start(games)
            action = session.state.legal_actions()[0]
            moves = [games.act(session, session.humans, action, 0) for _ in range(5)]
            results = await asyncio.gather(*moves, return_exceptions=True)
            assert [type(one) for one in results].count(Conflict) == 4
            assert len(session.moves) == 1
            assert len((await games.store.load(session.id)).moves) == 1
            both = (games.undo(session, 1), games.act(session, session.humans, action, 1))
            undone, made = await asyncio.gather(*both, return_exceptions=True)
            assert undone is None
            assert isinstance(made, Conflict)
            assert session.moves == []

    asyncio.run(run())


def test_a_move_that_cannot_be_saved_is_not_made(tmp_path):
    async def run():
        async with server(tmp_path) as games:
            session, _ = await start(games, ["human", "random"])
            await act(games, session)
            before, moves = session.state.copy(), list(session.moves)
            run_sql(games, "ALTER TABLE moves RENAME TO lost")
            for attempt in (act(games, session), games.undo(session, len(moves))):
                with pytest.raises(Busy, match="cannot be written"):
                    await attempt
            assert session.state == before
            assert session.moves == moves
            run_sql(games, "ALTER TABLE lost RENAME TO moves")
            await act(games, session)
            assert len(session.moves) > len(moves)

    asyncio.run(run())


def test_a_slow_bot_leaves_the_game_as_it_was_and_can_be_asked_again(tmp_path):
    async def run():
        async with server(tmp_path, max_seconds=1, max_search_ms=50) as games:
            session, _ = await start(games, ["human", "random"])
            games.start_bots(session)
            await games.wait_for_bots(session, 5)
            released = threading.Event()
            advise, games.bots.advise = games.bots.advise, lambda *_: released.wait()
            count = len(session.moves)
            await act(games, session)
            assert session.moves[count:] == [session.moves[count]]  # the person's move is made
            assert session.stalled == "seat 1 (random): this takes longer than 1 s"
            assert session.status()["stalled"] == session.stalled
            with pytest.raises(TooSlow):
                await games.advise_in(session, "heuristic")
            games.bots.advise = advise
            released.set()
            games.start_bots(session, limit=1)
            await games.wait_for_bots(session, 5)
            assert session.stalled is None
            assert len(session.moves) == count + 2

    warm(Bots(Settings()), ["pumafiosi"])  # what is compiled is not slow
    asyncio.run(run())


def test_a_bot_that_fails_stalls_its_game_only(tmp_path, caplog):
    async def run():
        async with server(tmp_path) as games:
            session, _ = await start(games, ["human", "random"])
            follower = games.follow(session, None, 0)
            games.bots.advise = lambda *_: 1 / 0
            games.start_bots(session)
            await games.wait_for_bots(session, 5)
            if session.state.to_act == 0:
                await act(games, session)
            assert session.stalled == "seat 1 (random): it failed"
            told = [await anext(follower) for _ in range(len(session.moves) + 1)]
            assert told[-1] == ("stalled", {"reason": session.stalled})
            games.bots.advise = lambda *_: Advice(10**6, None, None)
            games.start_bots(session)
            await games.wait_for_bots(session, 5)
            assert "not legal" in session.stalled
            await follower.aclose()

    asyncio.run(run())
    assert "ZeroDivisionError" in caplog.text


def test_too_much_at_once_is_refused(tmp_path):
    async def run():
        async with server(tmp_path, max_waiting=2, max_followers=1) as games:
            session, _ = await start(games)
            games.bots.advise = lambda *_: time.sleep(0.3)
            asked = [games.advise_in(session, "random") for _ in range(5)]
            results = await asyncio.gather(*asked, return_exceptions=True)
            assert [type(one) for one in results].count(Busy) == 3
            games.require_room_to_follow()
            first = games.follow(session, None, 0)
            waiting = asyncio.create_task(anext(first))
            await asyncio.sleep(0)
            with pytest.raises(Busy, match="too many follow"):
                games.require_room_to_follow()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            games.require_room_to_follow()

    asyncio.run(run())


def test_a_follower_who_does_not_read_holds_nothing_up_and_misses_nothing(tmp_path):
    async def run():
        async with server(tmp_path) as games:
            session, _ = await start(games)
            hangs, reads = games.follow(session, 0, 0), games.follow(session, None, 3)
            await act(games, session)
            assert (await anext(hangs))[1] == session.told(0, 0)
            await act(games, session, 5)
            assert (await anext(reads))[1] == session.told(3, None)
            await games.undo(session, 6)
            assert await anext(reads) == ("move", session.told(4, None))
            await act(games, session)
            assert await anext(reads) == ("move", session.told(5, None))
            await games.undo(session, 6)
            await act(games, session)
            assert await anext(reads) == ("undo", {"moves": 5})
            late = games.follow(session, None, 9)  # it has seen moves that are undone
            assert await anext(late) == ("undo", {"moves": 6})
            await late.aclose()
            assert await anext(reads) == ("move", session.told(5, None))
            while not session.state.over:
                await act(games, session)
            told = [one async for one in hangs]
            expected = [
                ("move", session.told(number, 0)) for number in range(1, len(session.moves))
            ]
            assert told == [*expected, ("over", session.status())]
            assert games.followers == 1
            await reads.aclose()
            assert games.followers == 0

    asyncio.run(run())


def test_a_follower_hears_of_nothing_that_nothing_happens(tmp_path, monkeypatch):
    async def run():
        async with server(tmp_path) as games:
            session, tokens = await start(games)
            follower = games.follow(session, None, 0)
            assert await anext(follower) is None
            session.require_all(tokens[0], "deleting")
            await games.remove(session)
            assert [one async for one in follower] == []  # the stream ends

    monkeypatch.setattr("emberdeck.server.games.HEARTBEAT", 0.01)
    asyncio.run(run())


def test_tokens_hold_their_seats(tmp_path):
    async def run():
        async with server(tmp_path) as games:
            session, tokens = await start(games, ["human", "random", "human"], local=False)
            assert [session.held(token) for token in tokens] == [{0}, {2}]
            for token in (None, "", "x", session.id, next(iter(session.tokens))):
                with pytest.raises(Unproven):
                    session.held(token)
            with pytest.raises(Forbidden):
                session.require_seat(tokens[0], 2)
            with pytest.raises(Forbidden):
                session.require_seat(tokens[0], 1)
            with pytest.raises(ValueError, match="seat must be 0 to 2, not 3"):
                session.require_seat(tokens[0], 3)
            with pytest.raises(Forbidden):
                session.require_all(tokens[0], "undo")
            saved = json.dumps(run_sql(games, "SELECT * FROM games"))
            assert not any(token in saved for token in tokens)

    asyncio.run(run())


def test_a_full_server_refuses_and_idle_games_make_room(tmp_path):
    async def run():
        async with server(tmp_path, max_games=2, idle_hours=1) as games:
            (old, _), (young, _) = [await start(games) for _ in range(2)]
            results = await asyncio.gather(
                *(start(games) for _ in range(3)), return_exceptions=True
            )
            assert all(isinstance(one, Busy) for one in results)
            old.touched -= HOUR + 1
            await games.store.save(
                ("UPDATE games SET touched = touched - 3601 WHERE id = ?", (old.id,))
            )
            fresh, _ = await start(games)
            assert old.removed
            for session in (young, fresh):
                assert await games.get(session.id) is session
            with pytest.raises(Unknown):
                await games.get(old.id)
            young.touched -= HOUR + 1
            with pytest.raises(Unknown, match="idle"):
                await games.get(young.id)
            assert await games.store.count() == 1

    asyncio.run(run())


@pytest.mark.parametrize("name", list(GAMES))
def test_a_game_goes_on_after_a_restart(tmp_path, name):
    async def run():
        seats = ["human", "heuristic", "random"]
        async with server(tmp_path) as games:
            session, (token,) = await start(games, seats, game=GAMES[name])
            games.start_bots(session)
            await games.wait_for_bots(session, 60)
            await act(games, session, 3)
        async with server(tmp_path) as games:
            again = await games.get(session.id)
            assert again is not session
            assert (again.moves, again.seats, again.seed) == (session.moves, seats, 1)
            assert again.state.array.tobytes() == session.state.array.tobytes()
            assert again.held(token) == {0}
            await games.undo(again, len(again.moves))
            await act(games, again)
            assert again.moves == session.moves  # the bots play as they did
            assert again.state.array.tobytes() == session.state.array.tobytes()

    asyncio.run(run())


def test_a_game_of_another_version_is_refused(tmp_path):
    async def run():
        async with server(tmp_path) as games:
            session, _ = await start(games)
            header = {**json.loads(run_sql(games, "SELECT header FROM games")[0][0])}
            header["game_version"] = 99
            await games.store.save(("UPDATE games SET header = ?", (json.dumps(header),)))
        async with server(tmp_path) as games:
            with pytest.raises(Conflict, match=r"cannot go on here: .*version"):
                await games.get(session.id)
        async with server(tmp_path, games=["pompeji"]) as games:
            with pytest.raises(Conflict):
                await games.get(session.id)

    asyncio.run(run())


def test_a_database_has_one_server_at_a_time(tmp_path):
    path = tmp_path / "games.sqlite"
    first = Store(path)
    with pytest.raises(ValueError, match="another server has it open"):
        Store(path)
    first.close()
    Store(path).close()


def test_a_foreign_database_is_refused(tmp_path):
    path = tmp_path / "games.sqlite"
    with pytest.raises(ValueError, match="unable to open"):
        Store(tmp_path / "nowhere" / "games.sqlite")
    path.write_text("something else, long enough to be no header of a database" * 20)
    with pytest.raises(ValueError, match="not a database"):
        Store(path)
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE other (a)")
    database.close()
    with pytest.raises(ValueError, match="name another database"):
        Store(path)


def test_changes_are_saved_all_or_none(tmp_path):
    async def run():
        async with server(tmp_path) as games:
            session, _ = await start(games)
            good, bad = store.move(session.id, 0, 0, "x"), store.move("nobody", 0, 0, "x")
            with pytest.raises(OSError, match="FOREIGN KEY"):
                await games.store.save(good, bad)
            assert (await games.store.load(session.id)).moves == []
            await games.store.save(good)
            await games.store.save(store.cut(session.id, 0))
            assert (await games.store.load(session.id)).moves == []

    asyncio.run(run())
