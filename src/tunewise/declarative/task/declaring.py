"""Declares a task in a store, under a name that it may have."""

import secrets
from pathlib import Path
from typing import Any

from tunewise.declarative.models.networks.training import Plan
from tunewise.declarative.schema import Program, parse
from tunewise.errors import TaskError
from tunewise.storage.tasks import TaskRow, TaskStore


def declare(store: TaskStore, name: str, program: Program, settings: dict[str, Any]) -> TaskRow:
    """Add a task, or return the one of this name."""
    if "/" in name or name != name.strip() or name in (".", ".."):
        raise TaskError(
            f"a task is called {name!r:.60}; a name has no / and neither begins nor ends with a"
            " space"
        )
    Plan(rates=settings.get("rates", Plan.rates))  # refuses an unknown name
    return store.create(name, str(program), {"salt": secrets.token_hex(8), **settings})


def checked_name(name: str) -> str:
    """The name, or a TaskError that says what was expected."""
    if not isinstance(name, str) or not name.strip() or len(name) > 100 or not name.isprintable():
        raise TaskError(f"a task is called {name!r:.60}; expected up to 100 printable characters")
    return name


def found_file(path: str | Path | None) -> str | None:
    """The whole path of a file, or a TaskError where there is none."""
    if path is None:
        return None
    if not Path(path).expanduser().is_file():
        raise TaskError(f"there is no file {str(path)!r}")
    return str(Path(path).expanduser().absolute())


def check_same(found: TaskRow, program: Program) -> None:
    """Refuse another program under the same name; the examples may have decided it since."""
    stored = parse(found.program)
    if stored == program:
        return
    same = stored.input == program.input
    one, other = stored.output.single, program.output.single
    if same and program.undecided and one and other and one.shape == other.shape:
        return
    raise TaskError(
        f"the task {found.name!r} is {found.program!r} already, not {str(program)!r};"
        " choose another name"
    )
