"""`emberdeck serve`: games with people and bots over HTTP."""

import socket

from ..server.settings import Settings
from ..training.config import ConfigError


class Serve(Settings):
    """Serve games and bots over HTTP; the page /docs of the server shows how to call it.

    Clients may name `random`, `heuristic`, searches within the limits, and the bots that are named
    here. One process has the database at a time.
    """

    def cli_cmd(self) -> None:
        """Serve until Ctrl-C; ConfigError for a bot, a database or an address that is no good."""
        import uvicorn

        from ..server.app import create_app
        from ..server.bots import Bots, warm
        from ..server.store import Store

        try:
            family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
            listening = socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            why = error.strerror or error
            raise ConfigError(f"cannot listen on {self.host} port {self.port}: {why}") from error
        with listening:
            print("preparing the games (compiling them takes minutes after an update)", flush=True)
            try:
                warm(Bots(self), self.games)
                app = create_app(self)
                Store(self.database).close()  # a bad one is refused here, in one line
            except ValueError as error:
                raise ConfigError(str(error)) from error
            host, port = listening.getsockname()[:2]
            host = f"[{host}]" if ":" in host else host
            print(f"serving on http://{host}:{port}, how to call it: /docs", flush=True)
            config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3)
            uvicorn.Server(config).run(sockets=[listening])
