"""The games in progress: who may see and do what, moves of people and of bots, followers.

No HTTP in here: `app.py` turns requests into calls and a `Refusal` into an answer. Everything runs
in one event loop, where a change is seen by others only as a whole; bots think in threads. A move
is on disk (`store.py`) before anybody learns of it, so a game goes on after a crash.
"""

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..envs import Game, State, get_game
from ..envs.record import Record, entries, header, line, read_records
from ..policies.search import usable_cores
from . import store
from .bots import Advice, Bots, generator
from .settings import Settings
from .store import Saved, Store

HUMAN = "human"
SEED_BITS = 53  # whole numbers that JavaScript keeps
HEARTBEAT = 15  # seconds between signs of life to a follower when nothing happens
ADVICE = 1  # the place of advice among the generators of a decision; a bot's own is 0
HOUR = 3600

Result = TypeVar("Result")
log = logging.getLogger(__name__)


class Refusal(Exception):  # noqa: N818
    """A request that is not granted; the text is one line for the client."""


class Unknown(Refusal):
    """There is no such game."""


class Unproven(Refusal):
    """A token is needed, or the one given is not of this game."""


class Forbidden(Refusal):
    """The token does not hold what is asked for."""


class Conflict(Refusal):
    """Not in the game's present state."""


class Busy(Refusal):
    """The server has too much to do or to keep; the game is as it was."""


class TooSlow(Refusal):
    """A bot took too long; the game is as it was."""


@dataclass(eq=False)
class Follower:
    """Somebody who is told of every move from number `position` on.

    What it has not read yet is no list that could grow: `undone_to` is the number of moves that an
    undo has left, `stalled` the last reason it was told.
    """

    position: int
    undone_to: int | None = None
    stalled: str | None = None
    wake: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False)
class Session:
    """A game in progress.

    `seats` says who sits where: "human" or a policy's name. `tokens` maps a token's digest to the
    seats that it holds. `stalled` is why the bots do not go on, if they should.
    """

    id: str
    game: Game
    seats: list[str]
    seed: int
    seed_chosen: bool
    tokens: Mapping[str, frozenset[int]]
    state: State
    moves: list[tuple[int, int]]
    touched: float
    saving: bool = False
    removed: bool = False
    stalled: str | None = None
    bots: asyncio.Task[None] | None = None
    followers: set[Follower] = field(default_factory=set)

    @property
    def humans(self) -> frozenset[int]:
        """The seats that people hold."""
        return frozenset(seat for seat, name in enumerate(self.seats) if name == HUMAN)

    @property
    def bots_at_work(self) -> bool:
        """Whether the bots are playing right now."""
        return self.bots is not None and not self.bots.done()

    @property
    def bot_to_act(self) -> bool:
        """Whether the next decision is a bot's."""
        return self.state.to_act is not None and self.state.to_act not in self.humans

    def held(self, token: str | None) -> frozenset[int]:
        """Return the seats that a token holds; Unproven if it is not one of this game."""
        if token is None:
            raise Unproven("this needs a token of the game: Authorization: Bearer TOKEN")
        held = self.tokens.get(digest(token))
        if held is None:
            raise Unproven("the token is none of this game")
        return held

    def require_seat(self, token: str | None, seat: int) -> None:
        """Raise Forbidden unless the token holds the seat; ValueError if there is no such seat."""
        if not 0 <= seat < len(self.seats):
            raise ValueError(f"seat must be 0 to {len(self.seats) - 1}, not {seat}")
        if seat not in self.held(token):
            raise Forbidden(f"the token does not hold seat {seat}")

    def require_all(self, token: str | None, what: str) -> None:
        """Raise Forbidden unless the token holds the seats of all people."""
        if self.held(token) != self.humans:
            raise Forbidden(f"{what} needs a token that holds the seats of all people")

    def require_count(self, number: int) -> None:
        """Raise Conflict unless `number` moves are played: the client has seen the latest."""
        if number != len(self.moves):
            raise Conflict(f"{len(self.moves)} moves are played, not {number}")

    def told(self, number: int, seat: int | None) -> dict[str, Any]:
        """Return a move as `seat` (None: a spectator) is told of it."""
        mover, action = self.moves[number]
        secret = action in self.game.secret_actions and mover != seat and not self.state.over
        return {
            "number": number,
            "seat": mover,
            "action": None if secret else action,
            "name": None if secret else self.game.action_names[action],
        }

    def status(self) -> dict[str, Any]:
        """Return what everybody may know; the seed, which gives the deal away, after the end."""
        state = self.state
        return {
            "id": self.id,
            "game": self.game.name,
            "players": state.players,
            "options": state.options,
            "seats": self.seats,
            "moves": len(self.moves),
            "to_act": state.to_act,
            "phase": state.phase,
            "over": state.over,
            "scores": state.scores() if state.over else None,
            "winners": state.winners() if state.over else None,
            "seed": self.seed if state.over else None,
            "seed_chosen": self.seed_chosen,
            "stalled": self.stalled,
        }

    def at(self, number: int | None) -> State:
        """Return the state after the first `number` moves, None: the present one."""
        if number is None or number == len(self.moves):
            return self.state
        if not 0 <= number < len(self.moves):
            raise ValueError(f"move must be 0 to {len(self.moves)}, not {number}")
        state = self.game.new(len(self.seats), self.state.options, self.seed)
        for _, action in self.moves[:number]:
            state.apply(action)
        return state

    def record(self) -> str:
        """Return the game's record: JSON lines."""
        state, actions = self.state, [action for _, action in self.moves]
        setup = (self.game, state.players, state.options, self.seed, self.seats)
        return "".join(map(line, entries(*setup, actions)))

    def wake(self) -> None:
        """Let the followers see what has happened."""
        for follower in self.followers:
            follower.wake.set()


class Games:
    """All games of a server, and its bots; make it where the event loop runs."""

    def __init__(self, settings: Settings, bots: Bots, kept: Store) -> None:
        self.settings = settings
        self.bots = bots
        self.store = kept
        self.followers = 0
        self._sessions: dict[str, Session] = {}  # those used since the start
        self._creating = asyncio.Lock()
        self._pool = ThreadPoolExecutor(usable_cores(), "bots")
        self._waiting = 0  # bots' moves in the pool
        self._stopping = False

    async def close(self) -> None:
        """Stop the bots and close the store; unsaved moves were never told to anybody."""
        tasks = [session.bots for session in self._sessions.values() if session.bots]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.end_streams()
        self._pool.shutdown(cancel_futures=True)
        self.store.close()

    def end_streams(self) -> None:
        """Let no follower wait any longer: the server stops."""
        self._stopping = True
        for session in self._sessions.values():
            session.wake()

    def game(self, name: str) -> Game:
        """Return a game that is offered; ValueError lists them."""
        if name not in self.settings.games:
            offered = ", ".join(self.settings.games)
            raise ValueError(f"there is no game {name!r} (games: {offered})")
        return get_game(name)

    async def create(
        self,
        game: Game,
        seats: Sequence[str],
        options: Mapping[str, Any],
        seed: int | None,
        local: bool,
    ) -> tuple[Session, dict[str, frozenset[int]]]:
        """Start a game and return it with its tokens and the seats they hold.

        `local`: one token holds the seats of all people; else each has one of its own. Without
        people there is one token, which holds no seat. ValueError for a bad setup, Busy if the
        server is full.
        """
        players, plain, _ = game.resolve(len(seats), options)
        for name in seats:
            if name != HUMAN:
                self.bots.get(name, game, generator(0))
        chosen = seed is not None
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        state = game.new(players, plain, seed)
        humans = [seat for seat, name in enumerate(seats) if name == HUMAN]
        holders = [humans] if local or not humans else [[seat] for seat in humans]
        tokens = {secrets.token_urlsafe(24): frozenset(held) for held in holders}
        saved = Saved(
            id=secrets.token_urlsafe(12),
            header=header(game, players, plain, seed, seats),
            tokens={digest(token): sorted(held) for token, held in tokens.items()},
            seed_chosen=chosen,
            touched=time.time(),
            moves=[],
        )
        async with self._creating:
            await self._make_room()
            await self._save(store.create(saved))
        session = _session(saved, game, state)
        self._sessions[saved.id] = session
        return session, tokens

    async def get(self, id: str) -> Session:  # noqa: A002 (its usual name)
        """Return the game of that id, from the store if need be; Unknown if there is none."""
        session = self._sessions.get(id)
        if session is None:
            saved = await self.store.load(id)
            if saved is not None:
                session = self._sessions.setdefault(id, self._restore(saved))
        if session is not None and session.touched < self._oldest() and not session.bots_at_work:
            await self._remove(session.id)
            session = None
        if session is None:
            raise Unknown("there is no such game, or it was idle for too long")
        return session

    async def act(
        self, session: Session, held: Collection[int], action: int | str, number: int
    ) -> None:
        """Make the move of the seat that is to act, and let the bots go on.

        `number` is how many moves are played, so that no move is made twice. Raises Conflict if it
        is not, or if it is not the turn of one of the seats `held`; ValueError on an illegal move.
        """
        seat = session.state.to_act
        if seat is None:
            raise Conflict("the game is over")
        session.require_count(number)
        if seat not in held:
            raise Conflict(f"seat {seat} is to act ({session.seats[seat]})")
        if isinstance(action, str):
            action = session.game.action_id(action)
        await self._commit(session, action)
        self.start_bots(session)

    async def undo(self, session: Session, number: int) -> None:
        """Take back the last move of a person and all that followed; Conflict if there is none.

        `number` is how many moves are played.
        """
        if session.state.over:
            raise Conflict("the game is over")
        if session.saving or session.bots_at_work:
            raise Conflict("a move is being made")
        session.require_count(number)
        people = [at for at, (seat, _) in enumerate(session.moves) if seat in session.humans]
        if not people:
            raise Conflict("there is nothing to undo")
        session.saving = True
        try:
            await self._save(store.cut(session.id, people[-1]), store.touch(session.id))
        finally:
            session.saving = False
        session.state = session.at(people[-1])
        del session.moves[people[-1] :]
        session.touched, session.stalled = time.time(), None
        for follower in session.followers:
            if follower.position > people[-1]:
                follower.position = people[-1]
                follower.undone_to = people[-1]
        session.wake()

    async def remove(self, session: Session) -> None:
        """Delete a game; Conflict while a move is being made."""
        if session.saving or session.bots_at_work:
            raise Conflict("a move is being made")
        await self._remove(session.id)

    def start_bots(self, session: Session, limit: int | None = None) -> None:
        """Let the bots play until a person is to act, or for `limit` moves."""
        if session.bot_to_act and not session.bots_at_work:
            session.bots = asyncio.create_task(self._play_bots(session, limit))

    async def wait_for_bots(self, session: Session, seconds: float) -> None:
        """Wait until the bots have stopped playing, or for so long; they play on."""
        if session.bots is not None:
            await asyncio.wait({session.bots}, timeout=seconds)

    async def advise(self, state: State, policy: str, *place: int) -> Advice:
        """Return a bot's move for the acting seat; `place` seeds its chance.

        ValueError for a policy that is not offered, Busy and TooSlow as they say.
        """
        bot = self.bots.get(policy, state.game, generator(*place))
        return await self.think(partial(self.bots.advise, bot, state))

    async def advise_in(self, session: Session, policy: str) -> Advice:
        """Return a bot's move for the acting seat of a game."""
        place = (session.seed, len(session.moves), ADVICE)
        return await self.advise(session.state.copy(), policy, *place)

    async def think(self, work: Callable[[], Result]) -> Result:
        """Return what `work` does, done in a thread; Busy or TooSlow if that is not possible."""
        if self._waiting >= self.settings.max_waiting:
            raise Busy("the server is busy, try again later")
        self._waiting += 1
        loop = asyncio.get_running_loop()
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._done))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.settings.max_seconds)
        except TimeoutError:
            raise TooSlow(f"this takes longer than {self.settings.max_seconds:g} s") from None

    def require_room_to_follow(self) -> None:
        """Raise Busy if too many follow games."""
        if self.followers >= self.settings.max_followers:
            raise Busy("too many follow games here, try again later")

    async def follow(
        self, session: Session, seat: int | None, start: int
    ) -> AsyncIterator[tuple[str, dict[str, Any]] | None]:
        """Yield (kind, what) for every move from number `start` on, as `seat` is told of it.

        Kinds: `move`; `undo`, with the number of moves that are left; `stalled`, with the reason;
        `over`, the last, with the status. None is a sign of life.
        """
        played = len(session.moves)
        follower = Follower(min(start, played), undone_to=played if start > played else None)
        session.followers.add(follower)
        self.followers += 1
        try:
            while not (session.removed or self._stopping):
                follower.wake.clear()
                if follower.undone_to is not None:
                    left, follower.undone_to = follower.undone_to, None
                    yield "undo", {"moves": left}
                elif follower.position < len(session.moves):
                    follower.position += 1
                    yield "move", session.told(follower.position - 1, seat)
                elif session.stalled != follower.stalled:
                    follower.stalled = session.stalled
                    if session.stalled:
                        yield "stalled", {"reason": session.stalled}
                elif session.state.over:
                    yield "over", session.status()
                    return
                else:
                    try:
                        await asyncio.wait_for(follower.wake.wait(), HEARTBEAT)
                    except TimeoutError:
                        yield None
        finally:
            session.followers.discard(follower)
            self.followers -= 1

    def _done(self) -> None:
        self._waiting -= 1

    def _oldest(self) -> float:
        return time.time() - HOUR * self.settings.idle_hours

    def _restore(self, saved: Saved) -> Session:
        """Replay a saved game; Conflict if this version of the package cannot."""
        moves = ({"seat": seat, "action": action} for seat, action in saved.moves)
        try:
            (record,) = read_records(map(line, (saved.header, *moves)))
            game = self.game(record.header.game)
        except ValueError as error:
            raise Conflict(f"the game cannot go on here: {error}") from error
        *_, state = record.states()
        return _session(saved, game, state)

    async def _make_room(self) -> None:
        """Raise Busy if the store is full, even without the games that were idle for too long."""
        limit = self.settings.max_games
        if await self.store.count() >= limit:
            for id in await self.store.idle(self._oldest()):  # noqa: A001
                await self._remove(id)
            if await self.store.count() >= limit:
                raise Busy(f"the server keeps {limit} games, try again later")

    async def _remove(self, id: str) -> None:  # noqa: A002
        await self._save(store.remove(id))
        session = self._sessions.pop(id, None)
        if session:
            session.removed = True
            session.wake()

    async def _play_bots(self, session: Session, limit: int | None) -> None:
        session.stalled = None
        played, seat = 0, 0
        try:
            while session.bot_to_act and (limit is None or played < limit):
                seat = session.state.to_act or 0
                name, state = session.seats[seat], session.state.copy()
                advice = await self.advise(state, name, session.seed, len(session.moves))
                await self._commit(session, advice.action)
                played += 1
        except (Refusal, ValueError) as error:
            self._stall(session, seat, str(error))
        except Exception:  # a bot's own mistake must not go unseen
            log.exception("the bot %s failed", session.seats[seat])
            self._stall(session, seat, "it failed")

    def _stall(self, session: Session, seat: int, why: str) -> None:
        session.stalled = f"seat {seat} ({session.seats[seat]}): {why}"
        session.wake()

    async def _commit(self, session: Session, action: int) -> None:
        """Make a move of the acting seat: on disk first, then for everybody to see."""
        if session.saving:
            raise Conflict("a move is being made")
        state, seat, number = session.state.copy(), session.state.to_act, len(session.moves)
        state.apply(action)
        assert seat is not None  # or the action was illegal
        session.saving = True
        name = session.game.action_names[action]
        try:
            await self._save(store.move(session.id, number, seat, name), store.touch(session.id))
        finally:
            session.saving = False
        session.state, session.touched = state, time.time()
        session.moves.append((seat, action))
        session.wake()

    async def _save(self, *changes: store.Statement) -> None:
        try:
            await self.store.save(*changes)
        except OSError as error:
            log.error("%s", error)
            raise Busy(str(error)) from error


def digest(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def replayed(text: str, number: int | None) -> tuple[Record, State]:
    """Return the only game of a record, checked, and its state after `number` moves (None: all).

    ValueError, with the line if it is one's fault.
    """
    records = list(read_records(text.splitlines()))
    if len(records) != 1:
        raise ValueError(f"a record of one game is needed, not of {len(records)}")
    states = list(records[0].states())
    if number is not None and not 0 <= number < len(states):
        raise ValueError(f"move must be 0 to {len(states) - 1}, not {number}")
    return records[0], states[-1 if number is None else number]


def _session(saved: Saved, game: Game, state: State) -> Session:
    return Session(
        id=saved.id,
        game=game,
        seats=list(saved.header["policies"]),
        seed=saved.header["seed"],
        seed_chosen=saved.seed_chosen,
        tokens={token: frozenset(held) for token, held in saved.tokens.items()},
        state=state,
        moves=[(seat, game.action_id(action)) for seat, action in saved.moves],
        touched=saved.touched,
    )
