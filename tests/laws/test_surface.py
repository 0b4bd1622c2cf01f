"""What is public is written down, sorted, and there."""

import ast
from pathlib import Path
from types import ModuleType

import tunewise
from tests.laws.source import SOURCE, name_of, nodes, tree

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


def test_the_names_of_the_contracts_are_public() -> None:
    contracts = {"Space", "Problem", "Study", "Table", "strategy", "Failure"}
    assert contracts <= set(tunewise.__all__)


def test_every_room_lists_its_names_sorted() -> None:
    wrong = [name_of(package) for package in PACKAGES if not _is_sorted(_all_of(package))]
    assert not wrong, f"no literal __all__, or not sorted: {', '.join(wrong)}"


def _is_sorted(names: list[str] | None) -> bool:
    return names is not None and names == sorted(set(names))


def test_every_room_exports_what_it_gathers() -> None:
    hidden = [f"{name_of(package)} {name}" for package in PACKAGES for name in _hidden(package)]
    assert not hidden


def _hidden(package: Path) -> list[str]:
    """Names that a room's `__init__` gathers from its files, and keeps to itself."""
    room = f"tunewise.{package.parent.name}."
    gathered = {
        alias.asname or alias.name
        for node in tree(package).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(room)
        for alias in node.names
    }
    used = {node.id for node in nodes(package) if isinstance(node, ast.Name)}
    return sorted(gathered - used - set(_all_of(package) or []))


def _all_of(package: Path) -> list[str] | None:
    for node in tree(package).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            assert isinstance(node, ast.Assign)
            return list(ast.literal_eval(node.value))
    return None
