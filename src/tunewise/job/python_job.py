"""A job that is a Python function, named in a job file, run in a worker process."""

import ast
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError, nearest
from tunewise.history import Trial
from tunewise.study.folders import within


@dataclass(frozen=True)
class PythonJob:
    """Calls a function that is imported in the worker, at its first trial.

    Attributes:
        target: `module:function` or `file.py:function`.
        folder: Where the module or file is looked for.
        cwd: The folder that the function runs in.
        env: Environment variables for it.
        shared: Whether `preload` does anything.
    """

    target: str
    folder: Path
    cwd: Path
    env: dict[str, str] = field(default_factory=dict)
    shared: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be there, without running it: imports may be slow, or do things."""
        source, function = self._parts()
        file = self._file(source)
        if file is not None:
            _refuse_missing(file, function)

    def __call__(self, trial: Trial) -> Any:
        """Run the function on a trial."""
        self._settle()
        return self.function()(trial)

    def preload(self) -> None:
        """Import the function in the process that workers are copies of, where that is wanted.

        A function `preload` beside it is called then, to read what all trials share.
        """
        if self.shared:
            self._settle()
            ready = getattr(sys.modules[self.function().__module__], "preload", None)
            if callable(ready):
                ready()

    def _settle(self) -> None:
        os.environ.update(self.env)
        os.chdir(self.cwd)

    def _parts(self) -> tuple[str, str]:
        source, _, function = self.target.rpartition(":")
        if not source or not function.isidentifier():
            raise ExecutionError(
                f"{self.target!r} names no function; expected module:function or file.py:function"
            )
        return source, function

    def _file(self, source: str) -> Path | None:
        """The file behind a module or a path; None where only an import can tell."""
        if source.endswith(".py"):
            return within(self.folder, source)
        top = PathFinder.find_spec(source.partition(".")[0], [str(self.folder), *sys.path])
        if top is None:
            near = [file.name for file in sorted(self.folder.glob("*.py"))]
            hint = nearest(f"{source}.py", near) if near else ""
            raise ExecutionError(f"there is no module {source!r} in {self.folder}{hint}")
        return Path(top.origin) if "." not in source and top.origin else None

    def function(self) -> Callable[..., Any]:
        """The function itself, imported."""
        source, name = self._parts()
        # As for a script, what lies beside the file can be imported too.
        beside = within(self.folder, source).parent if source.endswith(".py") else self.folder
        for folder in dict.fromkeys((str(beside), str(self.folder))):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        module = (
            _loaded(within(self.folder, source))
            if source.endswith(".py")
            else import_module(source)
        )
        function = getattr(module, name, None)
        if not callable(function):
            raise ExecutionError(f"{source} has no function {name!r}{nearest(name, dir(module))}")
        found: Callable[..., Any] = function
        return found


def _refuse_missing(file: Path, function: str) -> None:
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except OSError as error:
        raise ExecutionError(f"{file} cannot be read: {error.strerror or error}") from error
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise ExecutionError(f"{file}{line} is not valid Python: {error.args[0]}") from error
    defined = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
    ]
    # A name may also be assigned or imported: only what is nowhere in the file is a mistake.
    mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    if function not in {*defined, *mentioned, *imported} and "*" not in imported:
        known = nearest(function, defined) if defined else "; it defines none"
        raise ExecutionError(f"{file.name} has no function {function!r}{known}")


def _loaded(file: Path) -> Any:
    """The file as a module: under its own name, unless another module has that already."""
    known = sys.modules.get(file.stem)
    if known is not None and getattr(known, "__file__", None) == str(file):
        return known
    name = file.stem if known is None else f"tunewise_job_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]  # or the next to ask would take a part of it for the whole
        raise
    return module
