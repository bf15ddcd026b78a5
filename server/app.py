"""The HTTP interface: each route is a call of `games.py`, each refusal a status code.

FastAPI makes the OpenAPI document (/openapi.json) and the page that shows it (/docs).
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .. import __version__
from ..envs import Game, State
from . import models
from .bots import Advice, Bots
from .games import (
    Busy,
    Conflict,
    Forbidden,
    Games,
    Refusal,
    Session,
    TooSlow,
    Unknown,
    Unproven,
    replayed,
)
from .settings import Settings
from .store import Store

STATUS = {Unproven: 401, Forbidden: 403, Unknown: 404, Conflict: 409, Busy: 503, TooSlow: 504}
WAIT = 5  # seconds that an answer waits for bots; they play on
NDJSON = "application/x-ndjson"
EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "number of moves known then"},
        "event": {"enum": ["move", "undo", "stalled", "over"]},
        "data": {"type": "string", "description": "JSON"},
    },
    "required": ["id", "event", "data"],
}
ABOUT = "Games with people and bots, and bots for games that are played elsewhere."


class BodyLimit:
    """ASGI middleware: a request of more than `limit` bytes is a 413, however it is sent."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a request's body and pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body, more = bytearray(), True
        while more and len(body) <= self.limit:
            message = await receive()
            if message["type"] != "http.request":  # the client has gone
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
        if len(body) > self.limit:
            refusal = _error(413, f"a request has at most {self.limit} bytes")
            await refusal(scope, receive, send)
            return
        unread: list[Message] = [{"type": "http.request", "body": bytes(body)}]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        await self.app(scope, replay, send)


def create_app(settings: Settings) -> FastAPI:
    """Return the server as an ASGI application; ValueError if a bot is no good.

    It opens the database when it starts and closes it when it stops.
    """
    bots = Bots(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.games = Games(settings, bots, Store(settings.database))
        yield
        await app.state.games.close()

    app = FastAPI(
        title="Emberdeck",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        dependencies=[Depends(_require_known_query)],
        responses=_errors(400, 413, 422),
    )
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes)
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Last-Event-ID"],
        )
    for kind in (Refusal, ValueError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _explain)
    _add_routes(app)
    return app


def _errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": models.Error} for code in codes}


def _error(code: int, detail: str, headers: Any = None) -> JSONResponse:
    line = " ".join(detail.encode("utf-8", "replace").decode().split())
    return JSONResponse({"detail": line}, code, headers)


async def _explain(request: Request, error: Exception) -> JSONResponse:
    """Answer a refused request: one line."""
    if isinstance(error, HTTPException):  # no such page or method, a body that is no JSON
        headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
        return _error(error.status_code, str(error.detail), headers)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        return _error(422, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    if isinstance(error, Refusal):
        code = STATUS[type(error)]
        headers = {"WWW-Authenticate": "Bearer"} if code == 401 else None
        return _error(code, str(error), headers)
    return _error(422, str(error))


def _allowed(request: Request) -> str:
    """Return the methods of a path; Starlette names only those of the first route it meets."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    found = [r.methods or () for r in routes if r.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for methods in found for method in methods}))


async def _require_known_query(request: Request) -> None:
    """Refuse a query parameter that the call does not have: a misspelt one would do nothing."""
    known = [parameter.alias for parameter in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            raise ValueError(f"query: no parameter {name!r} (known: {', '.join(known) or 'none'})")


def _games(request: Request) -> Games:
    return request.app.state.games


def _token(
    given: Annotated[
        HTTPAuthorizationCredentials | None,
        Depends(HTTPBearer(auto_error=False, description="of a game, told when it is created")),
    ],
) -> str | None:
    return given.credentials if given else None


async def _session(id: str, games: Annotated[Games, Depends(_games)]) -> Session:  # noqa: A002
    return await games.get(id)


GamesHere = Annotated[Games, Depends(_games)]
SessionHere = Annotated[Session, Depends(_session)]
TokenHere = Annotated[str | None, Depends(_token)]
SeatQuery = Annotated[
    models.Seat | None, Query(description="whose view, with its token; none: a spectator's")
]
MoveQuery = Annotated[models.Count | None, Query(description="after so many moves; none: now")]
OPTIONAL_TOKEN = {"security": [{}]}  # FastAPI adds the token's scheme to it
RECORD_BODY = Body(media_type=NDJSON, description="JSON lines, as /games/{id}/record gives them")


def _add_routes(app: FastAPI) -> None:
    """Add all routes; those with a seat's secrets ask for its token."""

    @app.get("/health")
    async def health() -> models.Health:
        """Tell that the server is there."""
        return models.Health()

    @app.get("/info")
    async def info(games: GamesHere) -> models.Info:
        """List the games with their options, and the policies that may be named."""
        offered = [games.game(name) for name in games.settings.games]
        return models.Info(
            emberdeck_version=__version__, games=[_game_info(game, games.bots) for game in offered]
        )

    @app.post("/games", status_code=201, responses=_errors(503))
    async def create(new: models.NewGame, games: GamesHere) -> models.Created:
        """Start a game; bots that are to act begin at once if people play too."""
        game = games.game(new.game)
        session, tokens = await games.create(game, new.seats, new.options, new.seed, new.local)
        if session.humans:
            games.start_bots(session)
            await games.wait_for_bots(session, WAIT)
        return models.Created(
            status=_status(session),
            tokens=[models.Token(token=t, seats=sorted(held)) for t, held in tokens.items()],
        )

    @app.get("/games/{id}", responses=_errors(404, 409))
    async def status(session: SessionHere) -> models.Status:
        """Tell what everybody may know of a game."""
        return _status(session)

    @app.delete("/games/{id}", status_code=204, responses=_errors(401, 403, 404, 409, 503))
    async def remove(session: SessionHere, games: GamesHere, token: TokenHere) -> None:
        """Delete a game, with a token that holds the seats of all people."""
        session.require_all(token, "deleting")
        await games.remove(session)

    @app.get(
        "/games/{id}/view",
        responses=_errors(401, 403, 404, 409),
        openapi_extra=OPTIONAL_TOKEN,
    )
    async def view(
        session: SessionHere, token: TokenHere, seat: SeatQuery = None, move: MoveQuery = None
    ) -> models.Seen:
        """Show the game, now or earlier, as a seat or a spectator may see it."""
        if seat is not None:
            session.require_seat(token, seat)
        moves = len(session.moves) if move is None else move
        return _seen(session.at(move), seat, moves)

    @app.get("/games/{id}/actions", responses=_errors(401, 403, 404, 409))
    async def actions(session: SessionHere, token: TokenHere, seat: models.Seat) -> models.Actions:
        """List what a seat may do now."""
        session.require_seat(token, seat)
        legal = session.state.legal_actions() if session.state.to_act == seat else []
        names = session.game.action_names
        return models.Actions(
            seat=seat,
            moves=len(session.moves),
            actions=[models.Action(action=action, name=names[action]) for action in legal],
        )

    @app.post("/games/{id}/actions", responses=_errors(401, 403, 404, 409, 503))
    async def act(
        session: SessionHere, games: GamesHere, token: TokenHere, new: models.NewMove
    ) -> models.Played:
        """Make the move of the seat that is to act; the bots after it go on by themselves."""
        held, seat = session.held(token), session.state.to_act
        await games.act(session, held, new.action, new.moves)
        await games.wait_for_bots(session, WAIT)
        return _played(session, seat, new.moves)

    @app.post("/games/{id}/undo", responses=_errors(401, 403, 404, 409, 503))
    async def undo(
        session: SessionHere, games: GamesHere, token: TokenHere, back: models.Undo
    ) -> models.Status:
        """Go back to the last decision of a person, if one token holds the seats of them all."""
        session.require_all(token, "undo")
        await games.undo(session, back.moves)
        return _status(session)

    @app.post("/games/{id}/bots", responses=_errors(401, 403, 404, 409, 503, 504))
    async def bots(
        session: SessionHere, games: GamesHere, token: TokenHere, order: models.BotMoves
    ) -> models.Played:
        """Let the bots go on: in a game without people, after a restart or when they stalled."""
        held, before = session.held(token), len(session.moves)
        games.start_bots(session, order.limit)
        await games.wait_for_bots(session, WAIT)
        return _played(session, min(held, default=None), before)

    @app.post("/games/{id}/advice", responses=_errors(401, 403, 404, 409, 503, 504))
    async def advice(
        session: SessionHere, games: GamesHere, token: TokenHere, question: models.Question
    ) -> models.Advice:
        """Ask a policy for the move of the seat that is to act, with that seat's token."""
        seat = session.state.to_act
        held = session.held(token)
        if seat is None:
            raise Conflict("the game is over")
        if seat not in held:
            raise Conflict(f"seat {seat} is to act ({session.seats[seat]})")
        found = await games.advise_in(session, question.policy)
        return _advice(question.policy, session.game, found)

    @app.get(
        "/games/{id}/record",
        response_class=Response,
        responses={
            200: {"content": {NDJSON: {"schema": {"type": "string"}}}},
            **_errors(401, 403, 404, 409),
        },
        openapi_extra=OPTIONAL_TOKEN,
    )
    async def record(session: SessionHere, token: TokenHere) -> PlainTextResponse:
        """Download the record; before the end, with a token that holds all people's seats."""
        if not session.state.over:
            session.require_all(token, "the record of a game that is not over")
        return PlainTextResponse(session.record(), media_type=NDJSON)

    @app.get(
        "/games/{id}/events",
        response_class=StreamingResponse,
        responses={
            200: {"content": {"text/event-stream": {"schema": EVENT}}},
            **_errors(401, 403, 404, 409, 503),
        },
        openapi_extra=OPTIONAL_TOKEN,
    )
    async def events(
        request: Request,
        session: SessionHere,
        games: GamesHere,
        token: TokenHere,
        seat: SeatQuery = None,
        start: Annotated[models.Count, Query(description="number of the first move told")] = 0,
    ) -> StreamingResponse:
        """Follow the game by server-sent events: move, undo, stalled and, as the last one, over.

        The id of an event is the number of moves known then: `Last-Event-ID` goes on from there.
        """
        if seat is not None:
            session.require_seat(token, seat)
        games.require_room_to_follow()
        last = request.headers.get("last-event-id", "")
        start = int(last) if last.isascii() and last.isdigit() and len(last) < 10 else start
        stream = _event_stream(games, session, seat, start)
        return StreamingResponse(
            stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    @app.post("/act", responses=_errors(409, 503, 504))
    async def act_on_view(position: models.Position, games: GamesHere) -> models.Advice:
        """Ask a policy for a move in a game that is played elsewhere, given a seat's view of it."""
        game, seat = games.game(position.game), position.seat
        state = await games.think(partial(game.from_view, position.view, seat, position.seed))
        if state.to_act != seat:
            raise Conflict(f"seat {seat} is not to act in this view")
        found = await games.advise(state, position.policy, position.seed)
        return _advice(position.policy, game, found)

    @app.post("/replay", responses=_errors(503, 504))
    async def replay(
        games: GamesHere,
        text: Annotated[str, RECORD_BODY],
        seat: SeatQuery = None,
        move: MoveQuery = None,
    ) -> models.Replayed:
        """Check a record and show one state of it."""
        found, state = await games.think(partial(replayed, text, move))
        header, result, moves = found.header, found.result, len(found.moves)
        return models.Replayed(
            game=header.game,
            players=header.players,
            options=header.options,
            policies=header.policies,
            moves=moves,
            scores=result.scores if result else None,
            winners=result.winners if result else None,
            seen=_seen(state, seat, moves if move is None else move),
        )


def _game_info(game: Game, bots: Bots) -> models.GameInfo:
    options = {
        name: models.Option(default=o.default, values=list(o.values), meaning=o.meaning)
        for name, o in game.options.items()
    }
    return models.GameInfo(
        game=game.name,
        title=game.title,
        version=game.version,
        players=list(game.players),
        default_players=game.default_players,
        options=options,
        actions=game.num_actions,
        policies=bots.names(game),
    )


def _status(session: Session) -> models.Status:
    return models.Status(**session.status())


def _played(session: Session, seat: int | None, since: int) -> models.Played:
    moves = [session.told(number, seat) for number in range(since, len(session.moves))]
    return models.Played(status=_status(session), moves=[models.Move(**move) for move in moves])


def _seen(state: State, seat: int | None, moves: int) -> models.Seen:
    shown = state.spectator_view() if seat is None else state.view(seat)
    return models.Seen(seat=seat, moves=moves, view=shown)


def _advice(policy: str, game: Game, advice: Advice) -> models.Advice:
    names, chances = game.action_names, advice.probabilities
    return models.Advice(
        policy=policy,
        action=advice.action,
        name=names[advice.action],
        probabilities=None
        if chances is None
        else [
            models.Chance(action=action, name=names[action], probability=chance)
            for action, chance in chances.items()
        ],
        value=advice.value,
    )


async def _event_stream(
    games: Games, session: Session, seat: int | None, start: int
) -> AsyncIterator[str]:
    known = start
    async for event in games.follow(session, seat, start):
        if event is None:
            yield ": still here\n\n"
            continue
        kind, what = event
        known = {"move": what.get("number", 0) + 1, "undo": what.get("moves")}.get(kind, known)
        yield f"id: {known}\nevent: {kind}\ndata: {json.dumps(what)}\n\n"
