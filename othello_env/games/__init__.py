"""The rules of the games, for single positions and for arrays of positions.

Each folder here that has a file ``game.py`` is a game. The file registers the game's `othello_env.games.registry.Game`.
"""

import importlib
import pkgutil
from pathlib import Path

for _folder in pkgutil.iter_modules(__path__):
    if _folder.ispkg and any(Path(path, _folder.name, "game.py").exists() for path in __path__):
        importlib.import_module(f"{__name__}.{_folder.name}.game")
