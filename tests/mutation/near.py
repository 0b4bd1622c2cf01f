"""How near a test is to a function, by what its file imports and what it mentions."""

import inspect
import re
from functools import cache
from pathlib import Path

import pytest

_IMPORT = re.compile(r"^\s*(?:from (tunewise[\w.]*) import|import (tunewise[\w.]*))", re.M)


def distance(function: str, item: pytest.Item) -> float:
    """The nearest tests have the least: they name the function, or their file imports its module.

    Args:
        function: As mutmut calls it: module, and mangled name.
        item: A test.
    """
    module, mangled = function.rpartition(".")[0], function.rpartition(".")[2]
    inside = mangled.split("ǁ")[1:] if "ǁ" in mangled else [mangled.removeprefix("x_")]
    names = {name.strip("_") for name in inside}
    file, room, last = Path(str(item.path)), module.split(".")[1], module.split(".")[-1]
    return -(
        4.0 * any(_mentions(_text(item), name) for name in names)
        + 2.0 * (module in _imported(file))
        + 2.0 * (last in file.stem)
        + 1.0 * any(_mentions(_said(file), name) for name in names)
        + 1.0 * (file.parent.name == room)
    )


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text) is not None


@cache
def _text(item: pytest.Item) -> str:
    """The name of a test and what it does."""
    function = getattr(item, "function", None)
    return f"{item.nodeid} {'' if function is None else inspect.getsource(function)}"


@cache
def _said(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _imported(file: Path) -> frozenset[str]:
    return frozenset(name for found in _IMPORT.findall(_said(file)) for name in found if name)
