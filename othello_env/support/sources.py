"""The sources that a module depends on: its own file and the files of all modules that it imports.

The machine code of a kernel contains functions and constants from other modules. `Sources.digest` returns one hash of
all these sources. Machine code is stored under this hash, so it is never used after a source has changed.

Only imports of some modules are followed: modules of `othello_env`, and modules of the outermost package that contains
the hashed module (``a`` for a module ``a.b.c``). If the hashed module is not in a package, imports of the modules in
its folder are followed, too.

An import statement counts (is followed) wherever it stands in a file. Imports inside a function count, because a module
may call this function to compute a constant. Imports under TYPE_CHECKING count, too, because some packages import a
name only on first use, and list the name there. Imports without an import statement, such as
`importlib.import_module`, are not noticed.

For ``from a.b import c``, the files of ``a.b`` and ``a.b.c`` count, but not the file of the package ``a``. Comments,
docstrings and layout never count.
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from othello_env.support.files import write_file

__all__ = ["Sources"]

_Imports = dict[str, list[str]]
"""The imports of a file. The keys are modules. Each value lists the names that the file imports from the module.

The modules are spelled as in the file, with the dots of relative imports.
"""

_PACKAGE = __name__.partition(".")[0]
_MOST_REMEMBERED = 400
_INSTALLED = ("site-packages", "dist-packages")
"""The names of folders into which packages are installed.

If the hashed module lies directly in such a folder, the packages in this folder belong to other projects. So imports of
these packages are not followed.
"""


class Sources:
    """Reads source files. A file is read again only if it has changed.

    Parsing takes longer than reading. So the results of parsing are stored in a file, the memory file. The key of each
    result is a hash of its source. A later process does not parse a source whose result is in this file.

    Args:
        memory: the path of the memory file, which need not exist.

    Raises:
        OSError: the source file of this class cannot be read.
    """

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._remembered: dict[str, tuple[str, _Imports]] = {}
        self._is_new = False
        # Another version of Python or of this file may parse differently. With this salt in the hashes, results from
        # such a version are never used.
        self._salt = Path(__file__).read_bytes() + sys.version.encode()
        self._read: dict[tuple[Path, int, int], tuple[str, _Imports]] = {}
        with contextlib.suppress(OSError, ValueError, RecursionError):  # the memory file may be missing or damaged
            found = json.loads(memory.read_bytes())
            if _is_memory(found):
                self._remembered = found

    def digest(self, file: Path, package: str) -> str:
        """A hash of a module and of all modules that it imports, as hexadecimal digits.

        Args:
            file: the absolute path of the module's source.
            package: the dotted name of the package that contains the module. For the ``__init__.py`` of a package, give
                the name of this package. For a module that is not in a package, give an empty text.

        Raises:
            OSError: a source cannot be read.
        """
        finder = _Finder(file, package)
        name = package if _is_package(file) else f"{package}.{file.stem}".lstrip(".")
        files, names, hashes = {name: file}, [name], []
        for name in names:  # the loop adds names to this list
            meaning, imports = self._look_into(files[name])
            hashes.append(f"{name} {meaning}")
            inside = name if _is_package(files[name]) else name.rpartition(".")[0]
            for found, path in finder.imported(imports, inside):
                if found not in files:
                    files[found] = path
                    names.append(found)
        self._remember()
        return hashlib.sha256("\n".join(hashes).encode()).hexdigest()

    def _look_into(self, file: Path) -> tuple[str, _Imports]:
        """A hash of the file's code, and the file's imports; see `_parse`."""
        status = file.stat()
        version = (file, status.st_mtime_ns, status.st_size)
        if version not in self._read:
            data = file.read_bytes()
            content = hashlib.sha256(self._salt + data).hexdigest()
            known = self._remembered.pop(content, None)
            self._is_new |= known is None
            # an entry that is used moves to the end of the dict, because `_remember` drops entries at the beginning
            self._read[version] = self._remembered[content] = known or _parse(data)
        return self._read[version]

    def _remember(self) -> None:
        if self._is_new:
            self._is_new = False
            last = dict([*self._remembered.items()][-_MOST_REMEMBERED:])
            with contextlib.suppress(OSError):  # if the file cannot be written, later processes parse again
                write_file(self._memory, json.dumps(last).encode())


class _Finder:
    """Finds the files of imported modules by the rules in this file's docstring."""

    def __init__(self, file: Path, package: str) -> None:
        self._folders = {_PACKAGE: Path(__file__).parents[1]}  # the folder of each outermost package
        if package:
            self._folders[package.partition(".")[0]] = file.parents[: package.count(".") + 1][-1]
        self._beside = None if package else file.parent

    def imported(self, imports: _Imports, inside: str) -> Iterator[tuple[str, Path]]:
        """The names and files of the imported modules. The module that imports them is in the package `inside`."""
        for written, members in imports.items():
            try:
                module = importlib.util.resolve_name(written, inside) if written.startswith(".") else written
            except ImportError:  # a relative import that leads out of the package fails in Python, too
                continue
            path = self._find(module)
            if path is not None:
                yield module, path
            if members and (path is None or _is_package(path)):
                if path is not None and "*" in members:
                    members = sorted(each.stem for each in path.parent.glob("*.py"))
                for member in members:
                    if (inner := self._find(f"{module}.{member}")) is not None:
                        yield f"{module}.{member}", inner

    def _find(self, name: str) -> Path | None:
        outermost, _, rest = name.partition(".")
        if outermost in self._folders:
            return _find(self._folders[outermost], rest)
        if self._beside is None:
            return None
        found = _find(self._beside, name)
        is_strange = found is not None and found.parent != self._beside and self._beside.name in _INSTALLED
        return None if is_strange else found


@functools.cache
def _find(folder: Path, name: str) -> Path | None:
    """The file of the module with this dotted name in `folder`, or None. An empty name means `folder` itself."""
    path = folder.joinpath(*name.split("."))
    for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
        if file.is_file():
            return file
    return None


def _is_package(file: Path) -> bool:
    return file.name == "__init__.py"


def _parse(data: bytes) -> tuple[str, _Imports]:
    """A hash of a source (without its comments, docstrings and layout), and the modules that the source imports."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # Python cannot import this source
        return hashlib.sha256(data).hexdigest(), {}
    imports: dict[str, dict[str, None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:  # ``import a.b`` imports a, too
                parts = alias.name.split(".")
                for end in range(1, len(parts) + 1):
                    imports.setdefault(".".join(parts[:end]), {})
        elif isinstance(node, ast.ImportFrom):
            names = imports.setdefault("." * node.level + (node.module or ""), {})
            names.update((alias.name, None) for alias in node.names)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [statement for statement in body if not _is_text(statement)]
    with contextlib.suppress(RecursionError):  # a source that is nested too deep is hashed as a text
        data = ast.dump(tree).encode()
    return hashlib.sha256(data).hexdigest(), {module: [*names] for module, names in imports.items()}


def _is_memory(found: object) -> bool:
    """Whether a value from a memory file has the right form: a dict of results of `_parse`."""
    return isinstance(found, dict) and all(
        isinstance(result, list)
        and len(result) == 2
        and isinstance(result[0], str)
        and isinstance(result[1], dict)
        and all(
            isinstance(names, list) and all(isinstance(each, str) for each in names) for names in result[1].values()
        )
        for result in found.values()
    )


def _is_text(statement: ast.AST) -> bool:
    """Whether a statement is a docstring or another bare string, which has no effect."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
