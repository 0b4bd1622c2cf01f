"""What a trial has shown of the space, as its folder keeps it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tunewise.errors import TunewiseError
from tunewise.space import Parameter
from tunewise.space.description import parameter_of
from tunewise.space.parameter import Value

FILE = "parameters.json"


@dataclass(frozen=True)
class Shown:
    """How a training's parameters differ from those of its config.

    Attributes:
        found: Parameters that it asked for and the config does not have, by name.
        values: What they got.
        unused: Parameters of the config that it did not ask for, though it came to its end.
    """

    found: dict[str, Parameter] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    unused: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.found or self.unused)


def read(folder: Path | None) -> Shown:
    """What the trial with this folder has shown; a file that is damaged says nothing."""
    if folder is None or not (folder / FILE).is_file():
        return Shown()
    try:
        told = json.loads((folder / FILE).read_text(encoding="utf-8"))
        found = {p.name: p for p in map(parameter_of, told["found"])}
        values = {name: found[name].check(value) for name, value in told["values"].items()}
        return Shown(found, values, tuple(map(str, told["unused"])))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, TunewiseError):
        return Shown()


def note_found(folder: Path, parameter: Parameter, value: Value) -> None:
    """Add a parameter that the config does not have."""
    shown, name = read(folder), parameter.name
    _write(folder, Shown({**shown.found, name: parameter}, {**shown.values, name: value}))


def note_unused(folder: Path, unused: Iterable[str]) -> None:
    """Add the parameters that a training which has ended did not ask for."""
    shown = read(folder)
    _write(folder, Shown(shown.found, shown.values, tuple(unused)))


def _write(folder: Path, shown: Shown) -> None:
    """A kill at any moment leaves the file whole."""
    found = [parameter.describe() for parameter in shown.found.values()]
    told = {"found": found, "values": shown.values, "unused": list(shown.unused)}
    passing = folder / f"{FILE}.new"
    passing.write_text(json.dumps(told), encoding="utf-8")
    passing.replace(folder / FILE)
