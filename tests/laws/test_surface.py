"""What is public is written down, sorted, and there."""

import ast
from pathlib import Path
from types import ModuleType

import pytest

import tunewise
from tests.laws.source import SOURCE, name_of, tree

PACKAGES = sorted(SOURCE.glob("*/__init__.py"))


def test_the_public_names_are_sorted_and_listed_once() -> None:
    assert list(tunewise.__all__) == sorted(set(tunewise.__all__))


def test_every_public_name_is_there() -> None:
    missing = [name for name in tunewise.__all__ if not hasattr(tunewise, name)]
    assert not missing


def test_nothing_is_exported_that_is_not_listed() -> None:
    listed = set(tunewise.__all__)
    exported = {
        name
        for name in dir(tunewise)
        if not name.startswith("_") and not isinstance(getattr(tunewise, name), ModuleType)
    }
    assert exported <= listed, f"not in __all__: {sorted(exported - listed)}"


def test_every_public_name_is_seen_by_dir() -> None:
    assert set(tunewise.__all__) <= set(dir(tunewise))


@pytest.mark.parametrize("name", ["Space", "Problem", "Study", "Table", "strategy", "Failure"])
def test_the_names_of_the_contracts_are_public(name: str) -> None:
    assert name in tunewise.__all__


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_every_room_lists_its_names_sorted(package: Path) -> None:
    names = _all_of(package)
    assert names is not None, f"{name_of(package)} has no literal __all__"
    assert names == sorted(set(names))


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_every_room_exports_what_it_gathers(package: Path) -> None:
    room = f"tunewise.{package.parent.name}."
    gathered = {
        alias.asname or alias.name
        for node in tree(package).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(room)
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree(package)) if isinstance(node, ast.Name)}
    hidden = gathered - used - set(_all_of(package) or [])
    assert not hidden, f"{name_of(package)} hides {sorted(hidden)}"


def _all_of(package: Path) -> list[str] | None:
    for node in tree(package).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            assert isinstance(node, ast.Assign)
            return list(ast.literal_eval(node.value))
    return None
