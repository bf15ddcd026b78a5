"""The built wheel holds the package's files, no others, and works away from the source tree."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]

PLAY = """
import sys
import emberdeck

assert "numba" not in sys.modules and "torch" not in sys.modules
assert emberdeck.__file__.startswith(sys.argv[1]), emberdeck.__file__

import pettingzoo
from emberdeck.envs import GAMES

for name, game in GAMES.items():
    env = pettingzoo.make("aec", f"emberdeck/{name}", render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape[2] == 3
    state = game.new(seed=0)
    state.apply(state.heuristic_action())
    print(name, state.view(0))
assert "torch" not in sys.modules
"""


def run(*command: object, cwd: Path, **environment: str) -> str:
    """Run a command and return what it printed."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build the wheel from a copy of the tree, so that nothing is left in the tree itself."""
    copy = tmp_path_factory.mktemp("source") / "any name"
    private = shutil.ignore_patterns(
        ".*", "build", "dist", "runs", "*.egg-info", "__pycache__", "node_modules"
    )
    shutil.copytree(ROOT, copy, ignore=private)
    target = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
    run(*pip, "--wheel-dir", target, copy, cwd=target)
    return next(target.glob("emberdeck-*.whl"))


def test_every_folder_with_code_is_a_listed_package():
    top = {path.parent for path in ROOT.glob("*/__init__.py")} - {ROOT / "tests"}
    folders = {path.parent for folder in top for path in folder.rglob("*.py")}
    names = [".".join(("emberdeck", *folder.relative_to(ROOT).parts)) for folder in folders]
    assert sorted(["emberdeck", *names]) == sorted(PACKAGES)


def test_the_wheel_holds_the_tree(wheel):
    expected = set()
    for package in PACKAGES:
        folder = ROOT.joinpath(*package.split(".")[1:])
        files = [path for path in folder.iterdir() if path.is_file()]
        inside = files if folder != ROOT else [ROOT / "__init__.py", ROOT / "py.typed"]
        expected |= {f"emberdeck/{path.relative_to(ROOT)}" for path in inside}
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_works_elsewhere(wheel, tmp_path):
    site = tmp_path / "site"
    pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", site)
    run(*pip, wheel, cwd=tmp_path)
    plain = {"PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "1"}  # spares compiling it once more
    printed = run(sys.executable, "-c", PLAY, site, cwd=tmp_path, **plain)
    assert "pumafiosi" in printed
    command = (sys.executable, "-m", "emberdeck.scripts", "--help")
    assert "train" in run(*command, cwd=tmp_path, PYTHONPATH=str(site))
