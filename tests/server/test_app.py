"""The HTTP interface: who may see and do what, limits, and one line for whatever is refused."""

import json
import random
from pathlib import Path

import pytest

from emberdeck.envs import GAMES
from emberdeck.envs.record import read_records

from ..contract_helpers import SOAK, run_python
from ..policies.policy_helpers import write_checkpoint
from .server_helpers import Played, bearer, client

GAME_NAMES = list(GAMES)


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    bot = write_checkpoint(folder / "bot", GAMES["pumafiosi"])
    settings = {"max_simulations": 200, "max_search_ms": 50, "max_body_bytes": 100_000}
    with client(folder, bots={"trained": str(bot), "led": f"search:8:{bot}"}, **settings) as one:
        yield one


def refused(answer, code: int, *words: str) -> None:
    """Check that an answer is that refusal, in one line."""
    assert answer.status_code == code, answer.text
    assert list(answer.json()) == ["detail"]
    detail = answer.json()["detail"]
    assert "\n" not in detail
    assert all(word in detail for word in words), detail


def events(text: str) -> list[tuple[str, dict]]:
    """Return (kind, data) for each event of a stream."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines())
        found.append((lines["event"], json.loads(lines["data"])))
    return found


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_game_from_start_to_record(calls, name):
    seats = ["human", "heuristic", "random"]
    game = Played(calls, name, seats)
    assert game.status["seed"] is None
    assert game.status["to_act"] == 0  # the bots before have played
    status = game.play(seed=3)
    text = calls.get(f"{game.url}/record").text
    (record,) = read_records(text.splitlines())
    *_, state = record.states()
    assert record.header.policies == seats
    assert (status["seed"], status["scores"]) == (record.header.seed, state.scores())
    assert status["winners"] == state.winners() == record.result.winners
    assert game.get("/view")["view"] == state.spectator_view()
    told = events(calls.get(f"{game.url}/events").text)
    assert [kind for kind, _ in told] == ["move"] * len(record.moves) + ["over"]
    assert [(move["seat"], move["name"]) for _, move in told[:-1]] == [
        (move.seat, move.action) for move in record.moves
    ]
    assert told[-1][1] == status
    refused(game.act(0, status["moves"], 0), 409, "over")


@pytest.mark.parametrize("name", GAME_NAMES)
def test_views_at_every_move_are_those_of_the_game(calls, name):
    game = Played(calls, name, ["human"] * min(GAMES[name].players), seed=5)
    game.play(seed=5, limit=12)
    header = game.headers[0]
    text = calls.get(f"{game.url}/record", headers=header).text
    (record,) = read_records(text.splitlines())
    states = list(record.states())
    for number, state in enumerate(states[::4] if not SOAK else states):
        number *= 1 if SOAK else 4
        for seat in range(state.players):
            seen = game.get("/view", seat, move=number)
            assert seen == {"seat": seat, "moves": number, "view": state.view(seat)}
        assert game.get("/view", move=number)["view"] == state.spectator_view()
        replayed = calls.post(f"/replay?move={number}&seat=1", content=text, headers=NDJSON).json()
        assert replayed["seen"]["view"] == state.view(1)
    assert replayed["winners"] is None
    assert len(states) == 13


NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.mark.parametrize(
    ("seats", "change", "words"),
    [
        (["human"], {}, ["players must be one of 2, 3, 4, 5, not 1"]),
        (["human", "bob"], {}, ["'bob'", "heuristic", "trained"]),
        (["human", "../bot"], {}, ["unknown policy '../bot'"]),
        (["human", "runs/x@best"], {}, ["unknown policy"]),
        (["human", "search:100:../bot"], {}, ["unknown policy"]),
        (["human", "search:201"], {}, ["at most 200"]),
        (["human", "search:51ms"], {}, ["at most 50ms"]),
        (["human", "search:0"], {}, ["search takes 1 to"]),
        (["human", "flat:10ms"], {}, ["unknown policy"]),
        (["human", "random"], {"options": {"items": 3}}, ["items", "False, True", "3"]),
        (["human", "random"], {"options": {"colour": 3}}, ["colour"]),
        (["human", "random"], {"seed": -1}, ["seed"]),
        (["human", "random"], {"seed": 2**53}, ["seed"]),
        (["human", "random"], {"seeds": 1}, ["seeds"]),
        (["human", "random"], {"game": "chess"}, ["'chess'", "pumafiosi"]),
        (["human", "trained", "random"], {"game": "pompiers"}, ["plays pumafiosi, not pompiers"]),
        ([], {}, ["seats"]),
        (["human"] * 11, {}, ["seats"]),
    ],
)
def test_a_bad_game_is_refused(calls, seats, change, words):
    answer = calls.post("/games", json={"game": "pumafiosi", "seats": seats, **change})
    refused(answer, 422, *words)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", 422),
        (b"{", 422),
        (b'{"game": "\\ud800", "seats": ["human", "\\ud800"]}', 422),
        (b"[" * 90_000, 400),
        (b'{"seed": 1' + b"0" * 6000 + b"}", 400),
        (b"\xff\xfe", 422),
        (b"null", 422),
        (b" " * 100_001, 413),
    ],
)
def test_a_body_that_is_no_request_is_refused(calls, body, code):
    answer = calls.post("/games", content=body, headers={"Content-Type": "application/json"})
    refused(answer, code)


def test_a_misspelt_query_parameter_is_refused(calls):
    game = Played(calls, "pumafiosi", ["human", "random", "random"])
    refused(calls.get(f"{game.url}/view?move=0&seta=0"), 422, "'seta'", "known: seat, move")
    refused(calls.get("/info?game=pompiers"), 422, "'game'", "known: none")
    assert calls.get(f"{game.url}/view?move=0").status_code == 200


def test_a_long_body_is_refused_without_its_length_in_the_header(calls):
    pieces = (b" " * 1000 for _ in range(200))
    answer = calls.post("/games", content=pieces, headers={"Content-Type": "application/json"})
    refused(answer, 413, "100000 bytes")


def test_a_seat_is_seen_and_played_with_its_own_token_only(calls):
    game = Played(calls, "pompiers", ["human", "human", "human"], local=False)
    other = Played(calls, "pompiers", ["human", "human", "human"], local=False)
    assert [token["seats"] for token in game.tokens] == [[0], [1], [2]]
    seat = game.status["to_act"]
    stranger = (seat + 1) % 3
    (legal, *_) = game.get("/actions", seat)["actions"]
    act = {"json": {"action": legal["action"], "moves": 0}}
    secrets = [
        ("GET", f"/view?seat={seat}", {}),
        ("GET", f"/actions?seat={seat}", {}),
        ("GET", f"/events?seat={seat}", {}),
    ]
    for method, path, body in secrets:
        for headers, code in (
            ({}, 401),
            (bearer("nonsense"), 401),
            ({"Authorization": "Basic eDp5"}, 401),
            (other.headers[seat], 401),
            (game.headers[stranger], 403),
        ):
            answer = calls.request(method, game.url + path, headers=headers, **body)
            refused(answer, code)
            if code == 401:
                assert answer.headers["WWW-Authenticate"] == "Bearer"
    for path, body in (("/actions", act), ("/advice", {"json": {"policy": "random"}})):
        refused(calls.post(game.url + path, headers=game.headers[stranger], **body), 409)
        for headers in ({}, bearer("nonsense"), other.headers[seat]):
            refused(calls.post(game.url + path, headers=headers, **body), 401)
    for headers in ({}, game.headers[seat]):
        code = 403 if headers else 401
        refused(calls.get(f"{game.url}/record", headers=headers), code)
        refused(calls.post(f"{game.url}/undo", json={"moves": 0}, headers=headers), code)
        refused(calls.delete(game.url, headers=headers), code)
    assert game.status["moves"] == 0
    assert game.act(**act["json"], seat=seat).status_code == 200


def everything(game: Played, seat: int, ids: list[int]) -> list:
    """What the holder of one seat's token can get of a game, whoever is to act."""
    answers = []

    def ask(method: str, path: str, token: int | None = seat, **more: object) -> None:
        headers = {} if token is None else game.headers[token]
        answer = game.calls.request(method, game.url + path, headers=headers, **more)
        answers.append((method, path, answer.status_code, answer.text))

    for other in range(game.status["players"]):
        ask("GET", f"/view?seat={other}")
        ask("GET", f"/actions?seat={other}")
    for path in ("", "/view", "/record"):
        ask("GET", path)
        ask("GET", path, None)
    moves = game.status["moves"]
    for policy in ("random", "heuristic", "search:20"):
        ask("POST", "/advice", json={"policy": policy})
    if game.status["to_act"] != seat:
        for action in ids:  # legal or not: told alike
            ask("POST", "/actions", json={"action": action, "moves": moves})
    ask("POST", "/undo", json={"moves": moves})
    told = game.session.told
    return [*answers, *((told(n, seat), told(n, None)) for n in range(moves))]


@pytest.mark.parametrize("name", GAME_NAMES)
def test_hidden_cards_and_secret_choices_change_nothing_that_a_seat_can_get(calls, name):
    """The same moves, but other cards in the other hands and other choices made in secret."""
    handle = GAMES[name]
    seats = ["human"] * min(handle.players)
    compared = 0
    for round_number in range(4 if SOAK else 1):
        game = Played(calls, name, seats, local=False, seed=round_number)
        game.session = calls.app.state.games._sessions[game.url.removeprefix("/games/")]
        for count in range(20 if SOAK else 3):
            game.play(seed=count, limit=4)
            session, seat = game.session, count % len(seats)
            if session.state.over:
                break
            state, moves = session.state, session.moves
            seen = everything(game, seat, [0, handle.num_actions - 1])
            session.state = state.determinize(seat, count)
            secret = sorted(handle.secret_actions)
            session.moves = [
                (mover, secret[0] if mover != seat and action in secret else action)
                for mover, action in moves
            ]
            compared += session.state != state
            assert everything(game, seat, [0, handle.num_actions - 1]) == seen
            session.state, session.moves = state, moves
    assert compared


def test_a_secret_move_is_told_to_its_own_seat_only(calls):
    game = Played(calls, "pompiers", ["human"] * 3, local=False, seed=1)
    handle, rng = GAMES["pompiers"], random.Random(1)
    for _ in range(400):
        status = game.status
        legal = game.get("/actions", status["to_act"])
        choice = rng.choice(legal["actions"])
        answer = game.act(choice["name"], legal["moves"], status["to_act"])
        if choice["action"] in handle.secret_actions:
            break
    assert choice["action"] in handle.secret_actions
    told = answer.json()["moves"][0]
    assert told == {"number": legal["moves"], "seat": status["to_act"], **choice}
    session = calls.app.state.games._sessions[game.url.removeprefix("/games/")]
    for viewer in (None, (status["to_act"] + 1) % 3):
        assert session.told(legal["moves"], viewer) == {**told, "action": None, "name": None}


def test_a_move_is_made_once(calls):
    game = Played(calls, "pumafiosi", ["human", "human"])
    seat = game.status["to_act"]
    (first, *_) = game.get("/actions", seat)["actions"]
    assert game.act(first["action"], 0, seat).status_code == 200
    refused(game.act(first["action"], 0, seat), 409, "1 moves are played, not 0")
    seat = game.status["to_act"]
    refused(game.act("play 99", 1, seat), 422, "no action 'play 99'")
    refused(game.act(138, 1, seat), 422, "not legal")
    refused(game.act(10**9, 1, seat), 422, "not legal")
    assert game.get("/actions", 1 - seat)["actions"] == []
    assert game.status["moves"] == 1


def test_undo_goes_back_to_the_last_decision_of_a_person(calls):
    game = Played(calls, "pumafiosi", ["human", "heuristic", "random"], seed=2)
    undo = {"json": {"moves": game.status["moves"]}, "headers": game.headers[0]}
    refused(calls.post(f"{game.url}/undo", **undo), 409, "nothing to undo")
    before = game.status, game.get("/view", 0), game.get("/actions", 0)
    first = game.act(before[2]["actions"][0]["action"], before[0]["moves"], 0).json()
    assert len(first["moves"]) > 1
    refused(calls.post(f"{game.url}/undo", **undo), 409, "moves are played")
    undo["json"]["moves"] = first["status"]["moves"]
    assert calls.post(f"{game.url}/undo", **undo).json() == before[0]
    assert (game.status, game.get("/view", 0), game.get("/actions", 0)) == before
    again = game.act(before[2]["actions"][0]["action"], before[0]["moves"], 0).json()
    assert again == first  # the bots play as they did


def test_bots_alone_play_when_they_are_told_to(calls):
    game = Played(calls, "fire_bulls", ["heuristic", "random"])
    (token,) = game.tokens
    assert token["seats"] == []
    headers = bearer(token["token"])
    assert game.status["moves"] == 0
    refused(calls.post(f"{game.url}/bots", json={}), 401)
    one = calls.post(f"{game.url}/bots", json={"limit": 1}, headers=headers).json()
    assert len(one["moves"]) == one["status"]["moves"] == 1
    answer = calls.post(f"{game.url}/bots", json={}, headers=headers).json()
    assert answer["status"]["over"]
    assert calls.delete(game.url, headers=headers).status_code == 204
    refused(calls.get(game.url), 404, "no such game")


@pytest.mark.parametrize("policy", ["random", "heuristic", "search:30", "trained", "led"])
def test_advice_and_act_on_a_view(calls, policy):
    game = Played(calls, "pumafiosi", ["human", "random"], seed=4)
    legal = game.get("/actions", 0)["actions"]
    question = {"policy": policy}
    advice = calls.post(f"{game.url}/advice", json=question, headers=game.headers[0]).json()
    view = game.get("/view", 0)["view"]
    position = {**question, "game": "pumafiosi", "seat": 0, "view": view}
    answers = [advice, *(calls.post("/act", json=position).json() for _ in range(2))]
    assert answers[1] == answers[2]
    for answer in answers:
        assert {"action": answer["action"], "name": answer["name"]} in legal
        if policy in ("random", "heuristic"):
            assert answer["probabilities"] is answer["value"] is None
        else:
            chances = answer["probabilities"]
            assert [{"action": c["action"], "name": c["name"]} for c in chances] == legal
            assert sum(c["probability"] for c in chances) == pytest.approx(1, abs=1e-5)
            assert -1 <= answer["value"] <= 1 or policy == "trained"
    refused(calls.post("/act", json={**position, "seat": 1}), 422)
    refused(calls.post("/act", json={**position, "policy": "/etc/passwd"}), 422, "unknown policy")


def broken(document: object, rng: random.Random) -> object:
    """Return a copy of a JSON value with one thing in it replaced or removed."""
    if isinstance(document, dict | list) and document and rng.random() < 0.9:
        changed = document.copy()
        place = rng.choice(list(document) if isinstance(document, dict) else range(len(document)))
        if rng.random() < 0.15:
            del changed[place]
        else:
            changed[place] = broken(document[place], rng)
        return changed
    values = [None, True, -1, 0, 1, 5, 77, 2**15, 2**31, 2**70, 1.5, "", "x", "\x00", [], {}]
    return rng.choice(values)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_broken_view_is_refused_in_one_line(calls, name):
    rng, state = random.Random(1), GAMES[name].new(seed=1)
    codes = []
    for count in range(3000 if SOAK else 60):
        if state.over or count % 200 == 0:
            state = GAMES[name].new(seed=count)
        state.apply(rng.choice(state.legal_actions()))
        view = state.view(state.to_act) if not state.over else state.view(0)
        body = {"game": name, "seat": state.to_act or 0, "policy": "heuristic"}
        answer = calls.post("/act", json={**body, "view": broken(view, rng)})
        codes.append(answer.status_code)
        if codes[-1] != 200:
            refused(answer, codes[-1])
    assert set(codes) <= {200, 409, 422}
    assert codes.count(422) > len(codes) / 2


def test_a_broken_record_is_refused_in_one_line(calls):
    text = Path(__file__).read_text()
    refused(calls.post("/replay", content=text, headers=NDJSON), 422, "line 1", "no JSON")
    game = Played(calls, "pumafiosi", ["human", "human"])
    good = calls.get(f"{game.url}/record", headers=game.headers[0]).text
    refused(calls.post("/replay", content=good * 2, headers=NDJSON), 422, "one game")
    refused(calls.post("/replay?move=1", content=good, headers=NDJSON), 422, "move must be 0 to 0")
    refused(calls.post("/replay?seat=3", content=good, headers=NDJSON), 422, "seat must be")
    refused(calls.post("/replay", content=b"\xff", headers=NDJSON), 422)


def test_a_page_elsewhere_may_call_only_if_the_operator_says_so(calls, tmp_path):
    origin = {"Origin": "https://example.org"}
    assert "access-control-allow-origin" not in calls.get("/health", headers=origin).headers
    with client(tmp_path, cors=["https://example.org"], games=["pumafiosi"]) as one:
        allowed = one.get("/health", headers=origin).headers["access-control-allow-origin"]
        assert allowed == "https://example.org"
        other = one.get("/health", headers={"Origin": "https://example.com"})
        assert "access-control-allow-origin" not in other.headers
        asked = {**origin, "Access-Control-Request-Method": "POST"}
        asked["Access-Control-Request-Headers"] = "authorization"
        assert one.options("/games", headers=asked).status_code == 200
        refused(one.post("/games", json={"game": "pompiers", "seats": ["human"] * 3}), 422)


def test_the_server_needs_no_torch():
    run_python(
        "import sys, emberdeck.server.app, emberdeck.scripts.serve\n"
        "assert 'fastapi' in sys.modules\n"
        "assert not {'torch', 'stable_baselines3'} & set(sys.modules)"
    )


def test_info_lists_what_is_offered(calls):
    info = calls.get("/info").json()["games"]
    assert [game["game"] for game in info] == GAME_NAMES
    policies = {game["game"]: game["policies"] for game in info}
    assert {"random", "heuristic", "trained", "led"} <= set(policies["pumafiosi"])
    assert "trained" not in policies["pompiers"]
    assert info[0]["options"]["items"]["values"] == [False, True]
    assert calls.get("/health").json() == {"status": "ok"}


def test_following_goes_on_from_the_last_event(calls):
    game = Played(calls, "pumafiosi", ["human", "human"], options={"games": 1}, seed=1)
    game.play(seed=1)
    every = calls.get(f"{game.url}/events").text.split("\n\n")
    later = calls.get(f"{game.url}/events", headers={"Last-Event-ID": "5"}).text.split("\n\n")
    assert later == every[5:]
    assert calls.get(f"{game.url}/events?start=5").text.split("\n\n") == later
