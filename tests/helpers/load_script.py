"""Scripts as modules: ``load_script("measure/speed")`` imports ``scripts/measure/speed.py``."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"


def load_script(name: str) -> ModuleType:
    """Import a script with its own folder on the path, as Python does that runs it."""
    file = SCRIPTS / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"script_{file.stem}", file)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
    return module
