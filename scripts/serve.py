"""`emberdeck serve`: games with people and bots over HTTP."""

from ..server.settings import Settings
from ..training.config import ConfigError


class Serve(Settings):
    """Serve games and bots over HTTP; the page /docs of the server shows how to call it.

    Clients may name `random`, `heuristic`, searches within the limits, and the bots that are named
    here. One process has the database at a time.
    """

    def cli_cmd(self) -> None:
        """Serve until Ctrl-C; ConfigError for what cannot be served."""
        from ..server.run import run

        try:
            run(self)
        except ValueError as error:
            raise ConfigError(str(error)) from error
