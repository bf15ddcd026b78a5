"""Schemathesis plays against the OpenAPI document: every answer is documented, none is a 5xx."""

import schemathesis
from hypothesis import HealthCheck, Phase, settings

from emberdeck.server.app import create_app
from emberdeck.server.settings import Settings

from ..contract_helpers import games
from .server_helpers import bearer

EXAMPLES = settings(
    max_examples=games(3, 100),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
SCHEMA = schemathesis.openapi.from_asgi(
    "/openapi.json", create_app(Settings(database=":memory:", max_seconds=600, max_games=100_000))
)


# A request that fits the schema may still name no policy or be no legal move.
EXCLUDED = [schemathesis.checks.positive_data_acceptance]


@schemathesis.serializer("application/x-ndjson")
def as_lines(context, value):
    del context
    return str(value).encode("utf-8", "replace")


@SCHEMA.parametrize()
@EXAMPLES
def test_every_answer_is_documented(case):
    case.call_and_validate(excluded_checks=EXCLUDED)


def call(path: str, body: dict, **more) -> dict:
    """POST to the same server; return the answer."""
    case = SCHEMA[path]["POST"].Case(body=body, media_type="application/json", **more)
    return case.call().json()


@SCHEMA.include(path_regex="/games/{id}").exclude(method="DELETE").parametrize()
@EXAMPLES
def test_every_answer_about_a_real_game_is_documented(case):
    over = case.path.endswith("/events")  # else they would not end
    seats = ["random"] * 3 if over else ["human", "random", "human"]
    created = call("/games", {"game": "pumafiosi", "seats": seats, "options": {"games": 1}})
    case.path_parameters["id"] = created["status"]["id"]
    headers = bearer(created["tokens"][0]["token"])
    if over:
        call("/games/{id}/bots", {}, path_parameters=case.path_parameters, headers=headers)
    # With the real game and token put in, a request that was made wrong on purpose may be right.
    excluded = [*EXCLUDED, schemathesis.checks.negative_data_rejection]
    case.call_and_validate(headers=headers, excluded_checks=excluded)
