"""Rewrite the golden games in this folder: `python tests/playthroughs/regenerate.py`.

A changed file means that the rules, the document or the observation changed: raise the game's
version, or say in CHANGELOG.md why not.
"""

import runpy
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    """Write one file for every setup and remove those of setups that no longer exist."""
    helpers = runpy.run_path(str(FOLDER.parent / "contract_helpers.py"))
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for setup in helpers["every_setup"]():
        (FOLDER / f"{setup.label}.txt").write_text(helpers["playthrough"](setup), "utf-8")


if __name__ == "__main__":
    main()
