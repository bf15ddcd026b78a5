"""The command `emberdeck` as a user types it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from emberdeck.envs import GAMES
from emberdeck.policies.checkpoint import save_checkpoint
from emberdeck.scripts import benchmark, measure_serve, measure_training, measures
from emberdeck.scripts.__main__ import Emberdeck, main

from .training.run_helpers import make_card, make_weights, write_tiny

COMMANDS = (
    "train",
    "evaluate",
    "tournament",
    "play",
    "replay",
    "export",
    "serve",
    "benchmark",
    "demo",
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, *arguments: str) -> str:
    """The one line that a command prints to say why it does nothing."""
    assert main(list(arguments)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.startswith("emberdeck: ")
    return line.removeprefix("emberdeck: ")


def test_the_installed_command_and_the_module_print_help():
    for command in (
        [str(Path(sys.executable).with_name("emberdeck"))],
        [sys.executable, "-m", "emberdeck.scripts"],
    ):
        shown = subprocess.run([*command, "--help"], capture_output=True, text=True)
        assert shown.returncode == 0
        assert all(name in shown.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_lists_every_option(capsys, command):
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "(required)" not in shown
    field = Emberdeck.model_fields[command].annotation
    for name in field.__args__[0].model_fields:
        assert name.removeprefix("as_").lower() in shown.lower()
    if command == "train":
        for option in ("--ppo.learning_rate", "--opponents.weights", "--num_threads", "--resume"):
            assert option in shown


def test_without_a_command_the_help_is_shown(capsys):
    assert main([]) == 0
    assert "usage: emberdeck" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trian"], ["'trian'", "train", "evaluate"]),
        (["train"], ["config"]),
        (["train", "pumafosi"], ["'pumafosi'", "pumafiosi"]),
        (["train", "no/such.yaml"], ["'no/such.yaml'", "No such file"]),
        (["train", "smoke", "--ppo.learning_rat", "1"], ["ppo.learning_rat: unknown key", "gamma"]),
        (["train", "smoke", "--colour=red"], ["colour: unknown key", "ppo"]),
        (
            ["train", "smoke", "--ppo.learning_rate", "abc"],
            ["ppo.learning_rate", "number", "'abc'"],
        ),
        (["train", "smoke", "--ppo.gamma", "2"], ["ppo.gamma", "less than or equal to 1", "2"]),
        (["train", "smoke", "--network.hints", "maybe"], ["network.hints", "boolean", "'maybe'"]),
        (["train", "smoke", "--ppo.gamma"], ["ppo.gamma", "expected one argument"]),
        (["train", "smoke", "--game", "chess"], ["game", "'chess'", "pumafiosi"]),
        (["train", "smoke", "--players", "7"], ["players", "7", "2, 3, 4, 5"]),
        (["train", "smoke", "--options", "items=red"], ["options", "'red'", "False, True"]),
        (
            ["train", "smoke", "--opponents.weights", "bob=1"],
            ["opponents.weights", "'bob'", "pool"],
        ),
        (["train", "smoke", "--name", "a/b"], ["name", "'a/b'"]),
        (["train", "--resume"], ["--name"]),
        (["train", "--resume", "--name", "gone"], ["name", "gone"]),
        (["evaluate", "bob"], ["'bob'", "heuristic"]),
        (["evaluate", "heuristic"], ["game"]),
        (["evaluate", "heuristic", "--game", "chess"], ["'chess'", "pumafiosi"]),
        (["evaluate", "random", "--game", "pumafiosi", "--players", "9"], ["players", "9"]),
        (["evaluate", "random", "--game", "pumafiosi", "--opponents", "random+random"], ["2 opp"]),
        (["evaluate", "random", "--game", "pumafiosi", "--mode", "hot"], ["'hot'", "greedy"]),
        (["evaluate", "random", "--games", "x"], ["games", "integer", "'x'"]),
        (
            ["evaluate", "random", "--game", "pumafiosi", "--record", "no/such.jsonl"],
            ["no/such.jsonl", "no such folder"],
        ),
        (
            ["evaluate", "random", "--game", "pumafiosi", "--players", "9", "--record", "a.jsonl"],
            ["players", "9"],
        ),
        (["tournament"], ["required: POLICIES"]),
        (["tournament", "random", "heuristic"], ["game"]),
        (["tournament", "random", "--game", "pumafiosi"], ["at least two"]),
        (["tournament", "random", "random", "--game", "pumafiosi"], ["'random'", "twice"]),
        (["replay"], ["required: FILE"]),
        (["replay", "no/such.jsonl"], ["no/such.jsonl: No such file"]),
        (["replay", "."], [".: Is a directory"]),
        (["replay", "a.jsonl", "--seat", "1"], ["seat: of which game? (--game 1)"]),
        (["replay", "a.jsonl", "--game", "0"], ["game", "greater than or equal to 1"]),
        (["export", "bot"], ["output"]),
        (["export", "bot", "-o", "out"], ["'bot'", "RUN@best"]),
        (["export", "x@best", "-o", "out"], ["'x@best'", "best.json"]),
        (["export", "bot", "-o", "out", "--opset", "14"], ["opset", "15", "27", "14"]),
        (["export", "bot", "-o", "out", "--vectors", "49"], ["vectors", "50", "49"]),
        (["serve", "--games", "chess"], ["'chess'", "pumafiosi"]),
        (["serve", "--bots", "a/b=random"], ["bot's name", "'a/b'"]),
        (["serve", "--bots", "human=random"], ["bot's name", "'human'"]),
        (["serve", "--bots", "x=bob", "--port", "0"], ["bots: x: unknown policy 'bob'"]),
        (["serve", "--max-seconds", "1"], ["max_search_ms (2000)", "max_seconds (1)"]),
        (["serve", "--port", "x"], ["port", "integer", "'x'"]),
        (["serve", "--host", "192.0.2.1"], ["cannot listen on 192.0.2.1 port 8000"]),
        (["benchmark", "--game", "chess"], ["'chess'", "pumafiosi"]),
        (["benchmark", "--only", "nothing"], ["only", "nothing"]),
    ],
)
def test_a_bad_command_line_gives_one_line_and_code_2_and_writes_nothing(
    folder, capsys, arguments, words
):
    line = refused(capsys, *arguments)
    for word in words:
        assert word in line
    assert list(folder.iterdir()) == []


def test_train_evaluate_and_resume_as_a_user_types_them(folder, capsys, monkeypatch):
    write_tiny(folder)
    arguments = ["train", "tiny.yaml", "--name", "one", "--ppo.learning-rate", "2e-3"]
    monkeypatch.setattr(sys, "argv", ["emberdeck", *arguments, "--total_timesteps=600"])
    assert main() == 0
    assert "runs/one@best" in capsys.readouterr().out
    assert "learning_rate: 0.002" in (folder / "runs" / "one" / "config.yaml").read_text()
    command = (folder / "runs" / "one" / "command.txt").read_text()
    assert command.startswith("emberdeck train tiny.yaml --name one ")
    assert "exists already" in refused(capsys, *arguments)
    assert "ppo.learning_rate: 0.001" in refused(
        capsys, "train", "tiny.yaml", "--name", "one", "--resume"
    )
    longer = ["train", "--name", "one", "--resume", "--total_timesteps", "900"]
    assert main(longer) == 0
    assert main(["evaluate", "one@latest", "--games", "20", "--opponents", "random,one@best"]) == 0
    table = capsys.readouterr().out
    for word in ("win share, 95 %", "chance", "0.500", "games", "one@best", " 20"):
        assert word in table


def test_evaluate_prints_json(capsys):
    arguments = ["--game", "pumafiosi", "--players", "3", "--options", "games=1", "--games", "10"]
    assert (
        main(["evaluate", "heuristic", "--opponents", "random+heuristic", *arguments, "--json"])
        == 0
    )
    (result,) = json.loads(capsys.readouterr().out)
    assert result["opponents"] == ["random", "heuristic"]
    assert (result["players"], result["deals"], result["games"]) == (3, 4, 12)
    assert result["options"] == {"items": False, "games": 1}
    assert result["chance"] == pytest.approx(1 / 3)


def test_benchmark_measures_what_is_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(measures, "fast", lambda game: {"pumafiosi": 20.0}[game], raising=False)
    monkeypatch.setattr(measures, "slow", lambda game: {"pumafiosi": 7.5}[game], raising=False)
    rows = (
        benchmark.Row("fast thing", "/s", 10, "measures.fast"),
        benchmark.Row("slow thing", "ms", 5, "measures.slow"),
    )
    monkeypatch.setattr(benchmark, "ROWS", rows)
    assert main(["benchmark", "--only", "thing"]) == 0
    table = capsys.readouterr().out
    assert "fast thing" in table
    assert "at most 5" in table
    assert main(["benchmark", "--only", "slow", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row == {"name": "slow thing", "value": 7.5, "unit": "ms", "target": 5, "met": False}


def test_a_target_may_depend_on_the_game():
    row = benchmark.Row("thing", "/s", 10, "measures.thing", (("pompeji", 4),))
    assert (row.met(5, "pompeji"), row.met(5, "pumafiosi")) == (True, False)
    assert (row.bound("pompeji"), row.bound("pumafiosi")) == ("at least 4", "at least 10")
    for row in benchmark.ROWS:
        assert {game for game, _ in row.other_targets} <= set(GAMES)


def test_every_row_of_the_benchmark_has_its_function():
    modules = {
        "measures": measures,
        "measure_training": measure_training,
        "measure_serve": measure_serve,
    }
    for row in (*benchmark.ROWS, *benchmark.PETTINGZOO_ROWS):
        module, name = row.function.split(".")
        assert callable(getattr(modules[module], name))


@pytest.mark.parametrize("name", ["checkpoint_load", "raw_env", "handle", "search"])
def test_a_row_measures_something(name, monkeypatch):
    monkeypatch.setattr(measures, "REPEATS", 1)
    assert 0 < getattr(measures, name)("pumafiosi") < float("inf")


def test_the_load_on_the_server_is_measured(monkeypatch):
    monkeypatch.setattr(measure_serve, "GAMES", 3)
    monkeypatch.setattr(measure_serve, "WARM", 0)
    monkeypatch.setattr(measure_serve, "SECONDS", 1)
    assert measure_serve.moves_per_second("pumafiosi") > 3
    answers = [measure_serve.latency_p50, measure_serve.latency_p95, measure_serve.latency_p99]
    times = [answer("pumafiosi") for answer in answers]
    assert 0 < times[0] <= times[1] <= times[2]


def test_a_command_whose_extra_is_missing_says_so_in_one_line(folder):
    """In a process without them, what needs none works and the others name the extra."""
    missing = "('torch', 'onnx', 'onnxruntime', 'fastapi')"
    hide = f"import sys; sys.modules |= dict.fromkeys({missing})\n"
    hide += "from emberdeck.scripts.__main__ import main\n"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        code = f"{hide}sys.exit(main({list(arguments)!r}))"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    trained = run("train", "smoke", "--name", "x")
    assert trained.returncode == 2
    assert trained.stderr == ("emberdeck: torch is not installed: pip install 'emberdeck[train]'\n")
    served = run("serve", "--port", "0", "--games", "pumafiosi")
    assert served.stderr == (
        "emberdeck: fastapi is not installed: pip install 'emberdeck[serve]'\n"
    )
    assert list(folder.iterdir()) == []
    save_checkpoint(folder / "bot", make_weights(1), make_card(5))
    exported = run("export", "bot", "-o", "out")
    assert exported.returncode == 2
    assert exported.stderr == (
        "emberdeck: onnx is not installed: pip install 'emberdeck[export]'\n"
    )
    assert [file.name for file in folder.iterdir()] == ["bot"]
    shown = run(
        "evaluate", "random", "--game", "pumafiosi", "--games", "4", "--opponents", "random"
    )
    assert shown.returncode == 0, shown.stderr


def test_a_checkpoint_and_its_export_bring_their_game_players_and_options(folder, capsys):
    save_checkpoint(folder / "bot", make_weights(1), make_card(5))
    assert main(["export", "bot", "-o", "onnx/bot", "--vectors=50", "--opset", "18"]) == 0
    line = capsys.readouterr().out
    assert re.fullmatch(
        r"onnx/bot: pumafiosi step 5, opset 18, 50 golden vectors, \d.\d MB\n", line
    )
    assert "is not empty" in refused(capsys, "export", "bot", "-o", "onnx/bot")
    assert "bot.json is a file" in refused(capsys, "export", "bot", "-o", "onnx/bot/bot.json")
    assert "onnx/bot/bot.json/x: Not a directory" in refused(
        capsys, "export", "bot", "-o", "onnx/bot/bot.json/x"
    )
    for bot in ("bot", "onnx/bot"):
        assert main(["evaluate", bot, "--opponents", "random", "--games", "4", "--json"]) == 0
        (result,) = json.loads(capsys.readouterr().out)
        assert (result["game"], result["players"]) == ("pumafiosi", 2)
        assert result["options"] == {"items": False, "games": 1}


def test_a_tournament_rates_bots_as_the_first_was_trained(folder, capsys):
    save_checkpoint(folder / "bot", make_weights(1), make_card(5))
    players = ["random", "heuristic", "bot"]
    assert main(["tournament", *players, "--games", "30", "--record", "games.jsonl"]) == 0
    table = capsys.readouterr().out
    assert "pumafiosi, 2 seats, items False, games 1: 30 games" in table
    for word in (*players, "rating, 95 %", "win share, 95 %", "0.500"):
        assert word in table
    assert (folder / "games.jsonl").read_text().count('"record"') == 30
    assert main(["tournament", *players, "--games", "30", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["game"], result["deals"]) == ("pumafiosi", 15)
    assert {rated["policy"] for rated in result["ratings"]} == set(players)


def test_demo_trains_evaluates_and_shows_a_game(folder, capsys):
    config = write_tiny(folder, total_timesteps=400)
    assert main(["demo", "--config", str(config), "--games", "10"]) == 0
    printed = capsys.readouterr().out
    (run,) = (folder / "runs").iterdir()
    for word in ("win share, 95 %", f"runs/{run.name}", "heuristic", "won by", "place at"):
        assert word in printed
