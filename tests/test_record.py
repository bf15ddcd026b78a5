"""Game records: what is written replays to the same states, and nothing else is read."""

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from emberdeck import __version__
from emberdeck.envs import GAMES, State
from emberdeck.envs.record import (
    Recorder,
    entries,
    header,
    line,
    move,
    read_records,
    result,
)

from .contract_helpers import Setup, every_setup, games

SETUPS = every_setup()
GAME = GAMES["pumafiosi"]
OPTIONS = {"items": False, "games": 1}


def written(setup: Setup, seed: int) -> tuple[list[str], list[State]]:
    """Record a random game; return its lines and the states it went through."""
    rng = random.Random(seed)
    state = setup.new(seed)
    names = [f"bot {seat}" for seat in range(setup.players)]
    lines = [line(header(setup.game, setup.players, setup.options, seed, names))]
    states = [state.copy()]
    while state.to_act is not None:
        action = rng.choice(state.legal_actions())
        lines.append(line(move(setup.game, state.to_act, action)))
        state.apply(action)
        states.append(state.copy())
    return [*lines, line(result(state))], states


@pytest.mark.parametrize("setup", SETUPS, ids=[setup.label for setup in SETUPS])
def test_a_record_replays_to_the_very_states_that_were_played(setup):
    for seed in (0, *range(2**64 - 1, 2**64 - 1 + games(1, 50))):
        lines, states = written(setup, seed)
        (record,) = read_records(lines)
        assert record.game is setup.game
        assert [s.array.tobytes() for s in record.states()] == [s.array.tobytes() for s in states]
        assert record.result is not None
        assert record.result.scores == states[-1].scores()
        assert record.result.winners == states[-1].winners()
        actions = [setup.game.action_id(one.action) for one in record.moves]
        policies = record.header.policies
        again = entries(setup.game, setup.players, setup.options, seed, policies, actions)
        assert list(map(line, again)) == lines


def short_game() -> list[str]:
    return written(Setup(GAME, 3, OPTIONS), 5)[0]


def test_the_format():
    lines = short_game()
    assert json.loads(lines[0]) == {
        "record": 1,
        "game": "pumafiosi",
        "game_version": GAME.version,
        "emberdeck_version": __version__,
        "players": 3,
        "options": {"items": False, "games": 1},
        "seed": 5,
        "policies": ["bot 0", "bot 1", "bot 2"],
    }
    for text in lines[1:-1]:
        entry = json.loads(text)
        assert list(entry) == ["seat", "action"]
        assert entry["action"] in GAME.action_names
    assert list(json.loads(lines[-1])) == ["scores", "winners"]
    assert all(text.endswith("}\n") and text.count("\n") == 1 for text in lines)


def test_numpy_numbers_are_written_as_numbers():
    bits = np.uint64(2**64 - 1)
    entry = header(GAME, 2, {}, bits, ["a", "b"])  # type: ignore[arg-type]
    assert json.loads(line(entry))["seed"] == 2**64 - 1
    action = np.int64(3)
    assert line(move(GAME, np.int64(1), action)) == line(move(GAME, 1, 3))  # type: ignore[arg-type]


@pytest.mark.parametrize("kept", [1, 2, 10])
def test_a_game_that_breaks_off_has_no_result(kept):
    lines = short_game()
    records = list(read_records([*lines[:kept], *lines, *lines[:kept]]))
    assert [len(record.moves) for record in records] == [kept - 1, len(lines) - 2, kept - 1]
    assert [record.result is None for record in records] == [True, False, True]
    assert len(list(records[0].states())) == kept


def test_a_finished_game_may_lack_its_last_line():
    (record,) = read_records(short_game()[:-1])
    assert record.result is None
    assert [state.over for state in record.states()][-2:] == [False, True]


def test_a_file_without_lines_holds_no_games():
    assert list(read_records([])) == []


def changed(text: str, **values: object) -> str:
    return line(json.loads(text) | values)


BAD_HEADERS = [
    ({"record": 2}, "record: Input should be less than or equal to 1, not 2"),
    ({"record": True}, "record: Input should be a valid integer, not True"),
    ({"game": "whist"}, "there is no game 'whist'"),
    ({"game_version": 9}, "game_version: pumafiosi is at version 0 here, not 9"),
    ({"players": 9}, "players must be one of 2, 3, 4, 5, not 9"),
    ({"players": 3.0}, "players: Input should be a valid integer, not 3.0"),
    ({"seed": -1}, "seed: Input should be greater than or equal to 0, not -1"),
    ({"seed": "5"}, "seed: Input should be a valid integer, not '5'"),
    ({"options": {"items": False}}, "options: must be complete, such as {'items': False, 'games'"),
    ({"options": OPTIONS | {"items": 0}}, "option items must be one of False, True, not 0"),
    ({"options": OPTIONS | {"colour": 1}}, "has no option 'colour'"),
    ({"policies": ["a", "b"]}, "policies: must hold 3, not 2"),
    ({"policies": ["a", "b", "c\n"]}, "policies.2: String should match pattern"),
    ({"policies": ["a", "b", "\ud800"]}, "policies.2: Input should be a valid string"),
    ({"comment": "nice"}, "comment: Extra inputs are not permitted, not 'nice'"),
]


@pytest.mark.parametrize(("values", "message"), BAD_HEADERS)
def test_a_bad_header_is_refused(values, message):
    lines = short_game()
    (error,) = refusals([*lines, changed(lines[0], **values), *lines[1:]])
    assert error.startswith(f"line {len(lines) + 1}: ")
    assert message in error
    assert "\n" not in error


def refusals(lines: list[str]) -> list[str]:
    """Return what reading says of the lines: nothing if all is well."""
    try:
        list(read_records(lines))
    except ValueError as error:
        return [str(error)]
    return []


def test_what_is_read_is_what_a_header_may_say():
    with pytest.raises(ValueError, match="policies: must hold 2, not 1"):
        header(GAME, 2, {}, 0, ["a"])
    for seed in (-1, 1.0, True, "1"):
        with pytest.raises(ValueError, match=f"seed must be an int >= 0, not {seed!r}"):
            header(GAME, 2, {}, seed, ["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has no option 'item'"):
        header(GAME, 2, {"item": True}, 0, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is no JSON: ''"),
        ("{", "this is no JSON: '{'"),
        ("[" * 100_000, "this is no JSON: '[[["),
        ('{"seed": ' + "9" * 5000 + "}", "this is no JSON"),
        ("[1]", "a line is a JSON object, not [1]"),
        ("{}", "seat: Field required"),
        ('{"seat": 0}', "action: Field required"),
        ('{"seat": 0, "action": "fly"}', "pumafiosi has no action 'fly'"),
        ('{"seat": 0, "action": 3}', "action: Input should be a valid string, not 3"),
        ('{"seat": true, "action": "play 1"}', "seat: Input should be a valid integer, not True"),
        ('{"seat": 0, "action": "play 1", "why": ""}', "why: Extra inputs are not permitted"),
        ('{"scores": [1, 2, 3], "winners": [2]}', "the game is not over: seat "),
        ('{"scores": [1, 2, 3]}', "winners: Field required"),
        ('{"scores": [1, 2.5, 3], "winners": [2]}', "scores.1: Input should be a valid integer"),
        ('{"record": 1}', "game: Field required"),
    ],
)
def test_a_bad_line_is_refused_by_its_number(text, message):
    lines = short_game()
    (error,) = refusals([*lines[:4], text, *lines[4:]])
    assert error.startswith(f"line 5: {message}")
    assert "\n" not in error


def test_another_seat_an_illegal_action_and_another_result_are_refused():
    lines = short_game()
    (record,) = read_records(lines)
    state = next(record.states())
    assert state.to_act is not None
    legal = set(state.legal_actions())
    illegal = next(a for a in range(GAME.num_actions) if a not in legal)
    other_seat = (state.to_act + 1) % 3
    tries = {
        line(move(GAME, state.to_act, illegal)): f"line 2: action {illegal} (",
        line(move(GAME, other_seat, min(legal))): f"line 2: seat: {state.to_act} is to act, not",
    }
    for text, message in tries.items():
        (error,) = refusals([lines[0], text, *lines[2:]])
        assert error.startswith(message)
    end = json.loads(lines[-1])
    for key, value in {"scores": end["scores"][::-1], "winners": [0, 1, 2]}.items():
        assert value != end[key]
        (error,) = refusals([*lines[:-1], changed(lines[-1], **{key: value})])
        assert error == f"line {len(lines)}: {key}: replaying gives {end[key]}, not {value}"


def test_nothing_follows_the_end_of_a_game_and_nothing_comes_before_it():
    lines = short_game()
    for text in (lines[1], lines[-1]):
        assert refusals([*lines, text]) == [f"line {len(lines) + 1}: a game begins with a header"]
        assert refusals([text]) == ["line 1: a game begins with a header"]
    (error,) = refusals([*lines[:-1], lines[-2]])
    assert error.startswith(f"line {len(lines)}: action ")
    assert error.endswith(": the game is over")


VALUES = (None, True, -1, 0, 1, 3.5, 10**30, "", "play 1", "pumafiosi", [], [0], {}, {"items": 1})


@pytest.mark.parametrize("setup", SETUPS[:: len(SETUPS) // 6], ids=lambda setup: setup.label)
def test_a_damaged_record_is_refused_in_one_line_or_replays(setup):
    rng, read, refused = random.Random(1), 0, 0
    lines = written(setup, 1)[0]
    for _ in range(games(60, 5000)):
        damaged = list(lines)
        at = rng.choice((0, rng.randrange(len(lines)), len(lines) - 1))
        entry, text = json.loads(lines[at]), lines[at]
        place = rng.randrange(len(text))
        damaged[at] = rng.choice(
            (
                line(entry | {rng.choice(list(entry)): rng.choice(VALUES)}),
                text[:place] + chr(rng.randrange(32, 127)) + text[place + 1 :],
                text[:place],
            )
        )
        if rng.random() < 0.2:
            damaged.insert(rng.randrange(len(lines)), damaged.pop(rng.randrange(len(lines))))
        errors = refusals(damaged)
        for error in errors:
            assert re.fullmatch(r"line \d+: .+", error)  # one line
        refused += len(errors)
        for record in read_records(damaged) if not errors else ():
            assert len(list(record.states())) == len(record.moves) + 1
            read += 1
    assert refused > 20
    assert read > 0  # such as a game with another name of a policy


def read(path: Path) -> list[tuple[int, bool]]:
    """Return the number of moves of every game in a file, and whether it was finished."""
    with path.open(encoding="utf-8") as file:
        return [(len(record.moves), record.result is not None) for record in read_records(file)]


def test_the_file_is_whole_after_every_call(tmp_path):
    path = tmp_path / "games.jsonl"
    recorder = Recorder(path)
    assert not path.exists()
    for before in (0, 1):
        state = GAME.new(2, OPTIONS, 9)
        recorder.begin(state, 9, ["human", "random"])
        rng, count = random.Random(before), 0
        while not state.over:
            assert read(path)[before:] == [(count, False)]
            seat, action = state.to_act, rng.choice(state.legal_actions())
            assert seat is not None
            state.apply(action)
            recorder.move(seat, action)
            count += 1
        recorder.end(state)
        assert read(path)[before:] == [(count, True)]


def test_undo_leaves_a_number_of_moves(tmp_path):
    path = tmp_path / "games.jsonl"
    Recorder(path).add(entries(GAME, 2, OPTIONS, 1, ["a", "b"], []))
    recorder = Recorder(path)
    states = [GAME.new(2, OPTIONS, 9)]
    recorder.begin(states[0], 9, ["human", "random"])

    def go_on(left: int, to: int) -> None:
        del states[left + 1 :]
        while len(states) <= to:
            state = states[-1].copy()
            assert state.to_act is not None
            recorder.move(state.to_act, state.legal_actions()[0])
            state.apply(state.legal_actions()[0])
            states.append(state)

    go_on(0, 6)
    content = path.read_bytes()
    for left in (5, 5, 2, 0):
        recorder.undo(left)
        assert read(path) == [(0, False), (left, False)]
        go_on(left, 6)
        assert path.read_bytes() == content


def test_an_illegal_action_adds_nothing(tmp_path):
    path = tmp_path / "games.jsonl"
    with pytest.raises(ValueError, match="is not legal"):
        Recorder(path).add(entries(GAME, 2, OPTIONS, 1, ["a", "b"], [GAME.num_actions - 1]))
    assert not path.exists()


def test_other_files_are_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    for content, message in [
        (b"my notes\n", "notes.txt holds something else: line 1: this is no JSON"),
        (b"\xff\xfe", "notes.txt holds something else"),
        (short_game()[0].strip().encode(), "notes.txt: the last line is cut off"),
    ]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            Recorder(path)
        assert path.read_bytes() == content
    with pytest.raises(ValueError, match="there is no such folder"):
        Recorder(tmp_path / "no" / "games.jsonl")
    with pytest.raises(ValueError, match="is not a file"):
        Recorder(tmp_path)
    with pytest.raises(ValueError, match="no game has begun"):
        Recorder(tmp_path / "new.jsonl").move(0, 0)
    path.write_bytes(b"")
    Recorder(path).add(entries(GAME, 2, OPTIONS, 1, ["a", "b"], []))
    assert read(path) == [(0, False)]
