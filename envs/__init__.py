"""The games as environments: `GAMES` maps a name to its public handle."""

import importlib

from .. import GAME_VERSIONS
from .game import Block, Game, IllegalAction, Option, State, get_game

__all__ = ["GAMES", "Block", "Game", "IllegalAction", "Option", "State", "get_game"]

GAMES: dict[str, Game] = {
    name: importlib.import_module(f".{name}", __name__).GAME for name in GAME_VERSIONS
}
