"""`emberdeck replay`: every game of a file is checked, one is shown from a seat or from outside."""

import dataclasses
import json
import random
from pathlib import Path

import pytest

from emberdeck.envs import GAMES, State, get_game
from emberdeck.envs.record import Recorder, entries
from emberdeck.scripts.__main__ import main

from .policies.policy_helpers import GAME_NAMES


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "games.jsonl"


def add_game(file: Path, name: str, seed: int = 6, limit: int = 1000) -> list[State]:
    """Record a random game of at most `limit` moves; return its states."""
    game, rng, actions = GAMES[name], random.Random(seed), []
    states = [game.new(seed=seed)]
    while not states[-1].over and len(actions) < limit:
        actions.append(rng.choice(states[-1].legal_actions()))
        states.append(states[-1].copy())
        states[-1].apply(actions[-1])
    state = states[0]
    names = [f"bot {seat}" for seat in range(state.players)]
    setup = (game, state.players, state.options, seed, names)
    Recorder(file).add(entries(*setup, actions))
    return states


def shown(capsys, *arguments: object) -> str:
    assert main(["replay", "games.jsonl", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys, *arguments: object) -> str:
    assert main(["replay", "games.jsonl", *map(str, arguments)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_line_for_each_game(file, capsys):
    ends = {name: add_game(file, name)[-1] for name in GAMES}
    add_game(file, "pompeji", limit=3)
    lines = shown(capsys).splitlines()
    rows = [json.loads(row) for row in shown(capsys, "--json").splitlines()]
    assert len(lines) == len(rows) == len(GAMES) + 1
    for number, (name, end) in enumerate(ends.items(), 1):
        line, row = lines[number - 1], rows[number - 1]
        assert line.startswith(f"{number}: {name}, ")
        assert line.endswith(f"won by {' and '.join(f'player_{w}' for w in end.winners())}")
        assert f"player_1 (bot 1) {end.scores()[1]}, " in line
        assert (row["number"], row["game"], row["players"]) == (number, name, end.players)
        assert row["result"] == {"scores": end.scores(), "winners": end.winners()}
    assert lines[-1].endswith(": 3 moves, player_0 (bot 0), player_1 (bot 1), not finished")
    assert (rows[-1]["moves"], rows[-1]["result"]) == (3, None)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_game_is_shown_as_a_seat_or_a_spectator_sees_it(name, file, capsys):
    add_game(file, "pumafiosi", seed=1)
    states = add_game(file, name)
    drawing = GAMES[name].drawing
    for view, seat in (
        (lambda state: state.spectator_view(), []),
        (lambda state: state.view(1), ["--seat", 1]),
    ):
        text = shown(capsys, "--game", 2, *seat)
        parts = text.split("\nstep ")
        assert parts[0].startswith(f"2: {name}, ")
        assert len(parts) == len(states) + 1
        rows = [json.loads(row) for row in shown(capsys, "--game", 2, "--json", *seat).splitlines()]
        assert [row["step"] for row in rows] == list(range(len(states)))
        for step, (state, part, row) in enumerate(zip(states, parts[1:], rows, strict=True)):
            heading, _, picture = part.partition("\n")
            assert picture.rstrip("\n") == drawing.text(view(state)).rstrip("\n")
            assert row["view"] == view(state)
            if step:
                told = row["move"]["action"] or "in secret"
                mover = states[step - 1].to_act
                assert heading == f"{step} of {len(states) - 1}  player_{mover}: {told}"
        one = shown(capsys, "--game", 2, "--step", 4, *seat)
        assert one == f"{parts[0]}\nstep {parts[5]}"


@pytest.mark.parametrize("name", GAME_NAMES)
def test_pictures(name, file, capsys):
    states = add_game(file, name, limit=2)
    assert shown(capsys, "--game", 1, "--svg", "new/pictures") == "drawn in new/pictures\n"
    files = sorted(Path("new/pictures").iterdir())
    assert [f.name for f in files] == [f"game-1-step-000{step}.svg" for step in range(3)]
    for state, picture in zip(states, files, strict=True):
        assert picture.read_text("utf-8") == GAMES[name].drawing.svg(state.spectator_view())
    Path("taken").touch()
    assert "taken" in refused(capsys, "--game", 1, "--svg", "taken")


def test_a_seat_is_not_told_secret_actions_of_others(file, capsys, monkeypatch):
    states = add_game(file, "pumafiosi", limit=12)
    game = get_game("pumafiosi")
    hidden = dataclasses.replace(game, secret_actions=frozenset(range(game.num_actions)))
    monkeypatch.setitem(GAMES, "pumafiosi", hidden)
    assert {state.to_act for state in states[:-1]} > {1}
    for row in map(json.loads, shown(capsys, "--game", 1, "--seat", 1, "--json").splitlines()):
        if row["move"]:
            assert (row["move"]["action"] is None) == (row["move"]["seat"] != 1)
    headings = [
        line
        for line in shown(capsys, "--game", 1, "--seat", 1).splitlines()
        if line.startswith("step ")
    ]
    assert any(line.endswith("player_0: in secret") for line in headings)
    assert not any("player_1: in secret" in line for line in headings)
    assert "in secret" not in shown(capsys, "--game", 1)


def test_what_is_not_there_is_refused(file, capsys):
    add_game(file, "pompeji", limit=3)
    assert refused(capsys, "--game", 2) == (
        "emberdeck: game: games.jsonl holds 1, there is no game 2"
    )
    assert refused(capsys, "--game", 1, "--step", 4) == "emberdeck: step must be 0 to 3, not 4"
    assert refused(capsys, "--game", 1, "--seat", 2) == "emberdeck: seat must be 0 to 1, not 2"


@pytest.mark.parametrize("arguments", [[], ["--game", 1], ["--json"]])
@pytest.mark.parametrize("bad", [b"{}\n", b"\xff\n", b'{"seat": 0, "action": "fly"}\n'])
def test_a_bad_file_gives_one_line_and_a_code(file, capsys, bad, arguments):
    add_game(file, "pompeji")
    add_game(file, "pompeji", limit=3)
    file.write_bytes(file.read_bytes() + bad)
    line = refused(capsys, *arguments)
    assert line.startswith("emberdeck: games.jsonl: ")
    if bad != b"\xff\n":
        number = file.read_bytes().count(b"\n")
        assert line.startswith(f"emberdeck: games.jsonl: line {number}: ")
