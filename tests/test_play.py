"""`emberdeck play`: a person at the table over text streams, bots with comments, the command."""

import dataclasses
import io
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from emberdeck.envs import GAMES, State
from emberdeck.envs.drawing import seat_name
from emberdeck.envs.record import Record, Recorder, read_records
from emberdeck.policies.policy import load
from emberdeck.scripts.__main__ import main
from emberdeck.scripts.play import commented_game, play

from .policies.policy_helpers import GAME_NAMES, write_checkpoint

COMMAND = [sys.executable, "-m", "emberdeck.scripts", "play"]


def game_of(game: str, text: str, others: tuple[str, ...] = (), seed: int = 1, **options):
    """Play in seat 0 with the lines of `text`; return the finished game and what was shown."""
    seats = ["human", *(others or ["heuristic"] * (GAMES[game].default_players - 1))]
    output = io.StringIO()
    return play(game, seats, options, seed, io.StringIO(text), output), output.getvalue()


class Chooser:
    """A person that answers what the last prompt offered."""

    def __init__(self, output: io.StringIO, answer) -> None:
        self.output, self.answer = output, answer

    def readline(self) -> str:
        shown = self.output.getvalue().split("\n\n")[-1].splitlines()
        moves = [line.split(None, 1) for line in shown if line.lstrip()[:1].isdigit()]
        return self.answer(moves) + "\n"


@pytest.mark.parametrize("by", [0, 1])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_whole_game_by_number_or_name(game, by):
    rng = random.Random(1)
    players = min(GAMES[game].players)
    output = io.StringIO()
    chooser = Chooser(output, lambda moves: rng.choice(moves)[by].upper())
    state = play(game, ["heuristic"] * (players - 1) + ["human"], None, 3, chooser, output)  # type: ignore
    assert isinstance(state, State)
    assert state.over
    text = output.getvalue()
    assert "no legal move" not in text
    for winner in state.winners():
        assert seat_name(winner) in text.splitlines()[-1]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_shows_the_persons_view_and_the_legal_moves(game):
    state = GAMES[game].new(seed=1)
    while state.to_act != 0:
        state.apply(state.heuristic_action())
    _, text = game_of(game, "")
    assert GAMES[game].drawing.text(state.view(0)) in text
    for number, action in enumerate(state.legal_actions(), 1):
        assert f"{number:4}  {GAMES[game].action_names[action]}\n" in text


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("bad", ["", "0", "99", "-1", "1.5", "play", "9" * 5000, "²", "\x00"])
def test_bad_input_gets_one_line_and_another_chance(game, bad):
    state, text = game_of(game, f"{bad}\nquit\n")
    assert state is None
    answers = [line for line in text.splitlines() if "is no legal move" in line]
    assert len(answers) == 1
    assert answers[0].endswith("please type a move by number or name, 'undo' or 'quit'")


@pytest.mark.parametrize("text", ["", "1\n", "quit", "QUIT\n", "1\n  quit \n"])
@pytest.mark.parametrize("game", GAME_NAMES)
def test_quit_and_the_end_of_the_input_end_it(game, text):
    state, shown = game_of(game, text)
    assert state is None
    assert shown.endswith("the game ends here\n")


@pytest.mark.parametrize("game", GAME_NAMES)
def test_undo_goes_back_to_the_persons_previous_decision(game, tmp_path):
    bot = str(write_checkpoint(tmp_path / "bot", GAMES[game]))
    bots = ("random", bot, "heuristic", "random")[: GAMES[game].default_players - 1]

    def screens(text: str) -> list[str]:
        return game_of(game, text, bots)[1].split(f"{seat_name(0)}> ")

    plain = screens("1\n1\n")
    undone = screens("1\n1\nundo\nundo\n1\n1\n")
    assert undone[:3] == plain[:3]
    assert len(undone[3]) > 100
    assert plain[1].endswith(undone[3])  # the table as it was, without the bots' moves before
    assert plain[0].endswith(undone[4])
    assert undone[5:] == plain[1:]  # and the bots play as they did
    assert "there is nothing to undo" in screens("undo\n")[1]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_person_is_not_told_a_bots_secret_actions(game):
    every_action = frozenset(range(GAMES[game].num_actions))
    hidden = dataclasses.replace(GAMES[game], secret_actions=every_action)
    players = min(hidden.players)
    output, answers = io.StringIO(), io.StringIO("1\n" * 1000)
    play(hidden, ["human", *["random"] * (players - 1)], None, 1, answers, output)
    moves = [line for line in output.getvalue().splitlines() if "(random): " in line]
    assert moves
    assert all(line.endswith("decides in secret") for line in moves)
    watched = io.StringIO()
    commented_game(hidden, [load("random", hidden)] * players, seed=1, output=watched)
    assert "in secret" not in watched.getvalue()


@pytest.mark.parametrize("game", GAME_NAMES)
def test_commented_game_has_a_line_a_decision(game, tmp_path):
    bot = load(str(write_checkpoint(tmp_path / "bot", GAMES[game])))
    output = io.StringIO()
    players = min(GAMES[game].players)
    bots = [bot, *[load("heuristic")] * (players - 1)]
    state = commented_game(game, bots, seed=2, output=output)
    assert state.over
    lines = output.getvalue().split("\n\n")[0].splitlines()
    replay = GAMES[game].new(players, seed=2)
    for line in lines:
        who, move = line.split(": ", 1)
        assert who.startswith(f"{seat_name(replay.to_act)} (")
        assert ("[probability" in line) == (replay.to_act == 0)
        replay.apply(GAMES[game].action_id(move.split("  [")[0]))
    assert replay == state


def recorded(path: Path) -> list[Record]:
    with path.open(encoding="utf-8") as file:
        return list(read_records(file))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_recorded_game_replays_to_the_one_that_was_played(game, tmp_path):
    rng, output, path = random.Random(4), io.StringIO(), tmp_path / "games.jsonl"
    answer = lambda moves: "undo" if rng.random() < 0.2 else rng.choice(moves)[0]  # noqa: E731
    chooser, players = Chooser(output, answer), min(GAMES[game].players)
    seats = ["human", *["random"] * (players - 1)]
    state = play(game, seats, None, 8, chooser, output, Recorder(path))  # type: ignore
    assert isinstance(state, State)
    assert "undo" not in path.read_text()
    bots = [load("heuristic")] * players
    watched = commented_game(game, bots, None, 9, output, Recorder(path))
    first, second = recorded(path)
    for record, policies, played in (
        (first, seats, state),
        (second, ["heuristic"] * players, watched),
    ):
        assert record.header.policies == policies
        *_, last = record.states()
        assert last.array.tobytes() == played.array.tobytes()
        assert record.result is not None


@pytest.mark.parametrize(
    ("text", "answers"), [("", 0), ("1\n", 1), ("1\n1\n", 2), ("1\n1\nundo\nquit\n", 1)]
)
def test_a_game_that_is_left_is_recorded_up_to_there(text, answers, tmp_path):
    path, output = tmp_path / "games.jsonl", io.StringIO()
    play("pumafiosi", ["human", "random"], None, 1, io.StringIO(text), output, Recorder(path))
    (record,) = recorded(path)
    assert record.result is None
    assert [move.seat for move in record.moves].count(0) == answers
    *_, last = record.states()
    assert (
        GAMES["pumafiosi"].drawing.text(last.view(0)) in output.getvalue().split("player_0> ")[-2]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("whist", "there is no game 'whist'"),
        ("pumafiosi --players 9", "players must be one of 2, 3, 4, 5, not 9"),
        ("pumafiosi --seat 4", "seat must be 0 to 3, not 4"),
        ("pumafiosi --opponents bob", "unknown policy 'bob': allowed are random, heuristic"),
        ("pumafiosi --opponents random,random", "opponents must be one policy or 3, not 2"),
        ("pumafiosi --options games=2", "option games must be one of 3, 1, not 2"),
        ("pumafiosi --mode best", "mode must be sample, greedy or a temperature > 0"),
        ("pumafiosi --record no/such.jsonl", "no/such.jsonl: there is no such folder"),
        (f"pumafiosi --record {__file__}", "test_play.py holds something else: line 1: this is"),
    ],
)
def test_the_command_refuses_in_one_line(arguments, message, capsys):
    assert main(["play", *arguments.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.count("\n") == 1


def test_the_command_seats_the_person_and_the_bots(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    bots = "random,heuristic,random"
    assert main(["play", "pumafiosi", "--seat", "2", "--seed", "4", "--opponents", bots]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Pumafiosi, seed 4\n")
    assert text.endswith("player_2> the game ends here\n")
    assert "player_0 (heuristic)" in text or "player_1 (random)" in text


def test_the_command_shows_a_new_game_each_time(capsys):
    shown = set()
    for _ in range(2):
        assert main(["play", "pumafiosi", "--watch", "--players", "2", "--options", "games=1"]) == 0
        shown.add(capsys.readouterr().out.splitlines()[0])
    assert len(shown) == 2


@pytest.fixture
def command(tmp_path) -> Iterator[subprocess.Popen]:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    default = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's `&` ignores it
    line = [*COMMAND, "pumafiosi", "--seed", "1", "--record", "games.jsonl"]
    with subprocess.Popen(line, **pipes, preexec_fn=default, cwd=tmp_path) as process:
        yield process
        process.kill()


def test_the_command_over_a_pipe(command, tmp_path):
    out, err = command.communicate(b"1\n\xff\xfe\nundo\n", timeout=300)
    assert command.returncode == 0
    assert err == b""
    ending = "player_0> the game ends here\nrecorded in games.jsonl\n"
    assert out.decode().replace("\r", "").endswith(ending)
    (record,) = recorded(tmp_path / "games.jsonl")
    assert 0 not in [move.seat for move in record.moves]


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_the_command_stops_without_a_traceback_and_the_record_is_kept(
    command, number, code, tmp_path
):
    assert command.stdin
    assert command.stdout
    command.stdin.write(b"1\n")
    command.stdin.flush()
    for _ in range(2):
        while not command.stdout.readline().startswith(b"   1  play"):
            pass
    command.send_signal(number)
    _, err = command.communicate(timeout=300)
    assert command.returncode == code
    assert err == b""
    (record,) = recorded(tmp_path / "games.jsonl")
    assert [move.seat for move in record.moves].count(0) == 1


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_command_ends_quietly_when_its_reader_has_seen_enough(unbuffered):
    command = [*COMMAND, "pumafiosi", "--seed", "1", "--watch"]
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, **pipes, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) == 1
        assert process.stderr.read() == b""
