"""The documentation tells the truth: code and commands run, tables come from the code."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from emberdeck.envs import GAMES

from .contract_helpers import SOAK
from .policies.policy_helpers import write_bot
from .rules.observation_helpers import rule_rows
from .test_conformance import every_game
from .test_packaging import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list:
    """Return a parameter (text, page) for each code block of a language, in all pages."""
    return [
        pytest.param(code, id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, (name, code) in enumerate(BLOCK.findall(page.read_text()))
        if name == language
    ]


@pytest.fixture(scope="module")
def bot(tmp_path_factory) -> Path:
    """The exported bot that code may take to lie in its folder."""
    return write_bot(tmp_path_factory.mktemp("bots") / "bot", GAMES["pumafiosi"])


@pytest.mark.parametrize("code", blocks("python"))
def test_code_runs_as_pasted(code, bot, tmp_path):
    shutil.copytree(bot, tmp_path / "bot")
    (tmp_path / "example.py").write_text(code)
    run(sys.executable, "-W", "error", "example.py", cwd=tmp_path)


def test_the_first_example_is_short():
    code = BLOCK.findall(README)[1]
    assert code[0] == "python"
    assert len(code[1].splitlines()) <= 10


@every_game
def test_tables_come_from_the_code(game):
    """O-20, O-55: `make docs` rewrites them; the page has all that a user looks for."""
    tables = runpy.run_path(str(ROOT / "docs" / "tables.py"))
    page = (ROOT / "docs" / "environments" / f"{game.name}.md").read_text()
    assert tables["rewrite"](page, game) == page
    assert set(tables["GENERATED"].findall(page)) == {
        (f"<!-- {name}: generated -->\n", name) for name in tables["TABLES"]
    }
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    wanted = ["Spaces", "Options", "Actions", "Observation", "Rewards", "Versions", "Baselines"]
    assert headings == wanted
    assert f"docs/environments/{game.name}.md" in README
    assert (ROOT / "docs" / "rules" / f"{game.name}.md").is_file()
    assert f"| v{game.version} |" in page


@every_game
def test_rules_page_lists_blocks_and_options(game):
    listed = [(name, int(length)) for name, length, *_ in rule_rows(game, 12)]
    assert listed == [(block.name, block.length) for block in game.observation_blocks]
    page = (ROOT / "docs" / "rules" / f"{game.name}.md").read_text()
    assert f"{game.observation_size} float" in page
    defaults = {name: default.lower() for name, _, default, _ in rule_rows(game, 3)}
    assert defaults == {name: str(o.default).lower() for name, o in game.options.items()}


@every_game
def test_blocks_fill_the_observation(game):
    """O-20: named slices follow one another and end where the observation ends."""
    end = 0
    for block in game.observation_blocks:
        assert block.offset == end
        assert block.length > 0
        end += block.length
    assert end == game.observation_size == len(game.new(seed=0).observation(0))
    names = [block.name for block in game.observation_blocks]
    assert len(set(names)) == len(names)


def unproven_claims(text: str) -> list[str]:
    """Return the paragraphs and table rows that state a win rate without n, interval and chance."""
    claims = []
    for paragraph in re.split(r"\n\s*\n", text):
        wins = re.search(r"\b(wins?|won|beats?|beaten)\b", paragraph, re.IGNORECASE)
        rate = re.search(r"\d(\.\d+)? ?%|\b0\.\d+\b", re.sub(r"\b95 ?%", "", paragraph))
        if wins and rate:
            interval = re.search(r"±|\[\d[\d.]* ?%?, \d|\d[\d.]* ?%? to \d", paragraph)
            count = re.search(r"\bn = \d|\bgames\b.*\d{3}", paragraph, re.DOTALL)
            if not (interval and count and "chance" in paragraph):
                claims.append(paragraph)
    return claims


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_win_rates_have_n_interval_and_chance(page):
    """O-45."""
    assert unproven_claims(BLOCK.sub("", page.read_text())) == []


@pytest.mark.parametrize(
    ("text", "proven"),
    [
        ("The bot wins 61.2 % of its games.", False),
        ("It beats the scripted player in 0.61 of 4000 games (chance 0.25).", False),
        ("Win share 61.2 % [59.7, 62.7], chance 25 %.", False),
        ("Win share 61.2 % [59.7, 62.7], n = 4000.", False),
        ("Win share 61.2 % [59.7, 62.7], n = 4000, chance 25 %.", True),
        ("| opponent | games | win share | 95 % interval | chance |\n"
         "| --- | --- | --- | --- | --- |\n"
         "| random | 4000 | 61.2 % | 59.7 to 62.7 | 25 % |", True),
        ("| opponent | win share |\n| --- | --- |\n| random | 61.2 % |", False),
        ("The second-highest card wins. Intervals are 95 %.", True),
    ],
)  # fmt: skip
def test_the_linter_sees_what_is_missing(text, proven):
    assert (unproven_claims(text) == []) == proven


def commands() -> list[str]:
    """Return the lines of README's shell blocks, in order."""
    shell = [code for name, code in BLOCK.findall(README) if name == "sh"]
    return [line for code in shell for line in code.splitlines() if line]


def test_make_targets_exist():
    targets = [line.split()[1] for line in commands() if line.startswith("make ")]
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)


# `make test` shortens the training that README shows; `make soak` runs it as it stands.
SHORTER = {"emberdeck train smoke": "--total_timesteps 8000 --evaluation.deals 10"}


def test_commands_run(tmp_path):
    """O-53: the `emberdeck` lines of the README run as pasted, one after the other."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    lines = [line for line in commands() if line.startswith("emberdeck ")]
    assert any("train" in line for line in lines)
    for line in lines:
        more = [] if SOAK else [text for start, text in SHORTER.items() if line.startswith(start)]
        run("sh", "-c", " ".join([line, *more]), cwd=tmp_path, PATH=path)


def test_self_play_is_answered_on_the_first_screen():
    """O-53."""
    start = "\n".join(README.splitlines()[:60])
    assert "Can MaskablePPO train several agents?" in start
    assert "self-play" in start
    assert "emberdeck train" in start


def test_every_link_leads_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page}: {target}"


def test_every_game_is_in_the_readme():
    for game in GAMES.values():
        assert game.title in README
