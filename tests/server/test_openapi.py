"""Schemathesis plays against the OpenAPI document: every answer is documented, none is a 5xx."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from emberdeck.server.app import create_app
from emberdeck.server.settings import Settings

from ..contract_helpers import games
from .server_helpers import bearer

EXAMPLES = settings(
    max_examples=games(8, 1000),
    deadline=None,
    derandomize=games(1, 0) == 1,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openapi")
    app = create_app(Settings(database=folder / "games.sqlite", max_seconds=600, max_games=100_000))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


loaded = schemathesis.pytest.from_fixture("schema")


@loaded.parametrize()
@EXAMPLES
def test_every_answer_is_documented(case):
    case.call_and_validate()


@pytest.fixture(scope="module")
def game(schema):
    """A real game on the same server, and its token."""
    create = schema["/games"]["POST"]
    body = {"game": "pumafiosi", "seats": ["human", "random", "human"]}
    created = create.Case(body=body, media_type="application/json").call().json()
    return created["status"]["id"], created["tokens"][0]["token"]


@loaded.include(path_regex="/games/{id}").exclude(method="DELETE").parametrize()
@EXAMPLES
def test_every_answer_about_a_real_game_is_documented(case, game):
    case.path_parameters["id"] = game[0]
    checks = [schemathesis.checks.not_a_server_error]
    answer = case.call(headers=bearer(game[1]))
    case.validate_response(answer, excluded_checks=IGNORED, additional_checks=checks)


IGNORED = []
