"""A server process: the socket, everything compiled before the first request, an orderly end."""

import socket

import uvicorn

from .app import create_app
from .bots import Bots, warm
from .games import Games
from .settings import Settings
from .store import Store


class Server(uvicorn.Server):
    """uvicorn's server, which ends the event streams before it waits for open connections."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop serving."""
        games: Games = self.config.app.state.games  # type: ignore[union-attr] # always our app
        games.end_streams()
        await super().shutdown(sockets)


def run(settings: Settings) -> None:
    """Serve until Ctrl-C; ValueError for an address, a bot or a database that is no good."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listening = socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        where, why = f"{settings.host} port {settings.port}", error.strerror or error
        raise ValueError(f"cannot listen on {where}: {why}") from error
    with listening:
        bots = Bots(settings)
        print("preparing the games (compiling them takes minutes after an update)", flush=True)
        warm(bots, settings.games)
        app = create_app(settings)
        Store(settings.database).close()  # a bad one is refused here, in one line
        host, port = listening.getsockname()[:2]
        host = f"[{host}]" if ":" in host else host
        print(f"serving on http://{host}:{port}, how to call it: /docs", flush=True)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3)
        Server(config).run(sockets=[listening])
