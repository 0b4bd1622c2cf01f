"""The house stays small enough to find one's way: files in a folder, lines in a strategy, steps."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laws.source import SOURCE, modules, name_of, tree

MOST_FILES = 16
"""In one folder, `__init__` aside. DESIGN says about fifteen: from there on sub-folders are due."""

LONGEST_STRATEGY = 120
"""Lines. Who knows a paper recognises it on a page; what is more belongs to the loop's parts."""

LONGEST_FILE = 420
"""Lines of any other file; most have fewer than 150."""

MOST_STEPS = 2
"""Below a contract, which is a class that extends none of ours."""

CONTRACT_OF_STRATEGIES = ("__init__.py", "spec.py", "strategy.py", "scalarised.py")
"""Files beside the strategies that are none: the contract, the names, several objectives."""

FOLDERS = sorted({file.parent for file in modules()})
STRATEGIES = [
    file
    for file in sorted((SOURCE / "strategy").glob("*.py"))
    if file.name not in CONTRACT_OF_STRATEGIES
]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: str(f.relative_to(SOURCE.parent)))
def test_a_folder_has_few_enough_files_to_look_through(folder: Path) -> None:
    files = [file.name for file in folder.glob("*.py") if file.name != "__init__.py"]
    assert len(files) <= MOST_FILES, f"{len(files)} files: make sub-folders"


@pytest.mark.parametrize("file", STRATEGIES, ids=name_of)
def test_a_strategy_fits_on_a_page(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_STRATEGY, f"{name_of(file)} has {lines} lines"


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_a_file_holds_one_concept(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{name_of(file)} has {lines} lines: split it"


def test_no_class_is_more_than_two_steps_below_a_contract() -> None:
    parents = {
        (file, node.name): _ours(file, node) for file in modules() for node in _classes(file)
    }

    def steps(place: tuple[Path, str]) -> int:
        return max((1 + steps(parent) for parent in parents.get(place, ())), default=0)

    deep = [f"{name_of(file)} {name}" for file, name in parents if steps((file, name)) > MOST_STEPS]
    assert not deep, f"more than {MOST_STEPS} steps below a contract: {', '.join(deep)}"


def _classes(file: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree(file)) if isinstance(node, ast.ClassDef))


def _ours(file: Path, node: ast.ClassDef) -> list[tuple[Path, str]]:
    """The classes of this package that a class extends, each with the file it is written in."""
    named = {
        part.id for base in node.bases for part in ast.walk(base) if isinstance(part, ast.Name)
    }
    here = {other.name for other in _classes(file)} - {node.name}
    return [
        place
        for name in named
        if (place := (file, name) if name in here else _imported(file, name)) is not None
    ]


def _imported(file: Path, name: str) -> tuple[Path, str] | None:
    """Where a name that this file imports is written, followed through what gathers names."""
    for node in ast.walk(tree(file)):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("tunewise"):
            continue
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                return _written(_file(str(node.module)), alias.name)
    return None


def _written(file: Path, name: str) -> tuple[Path, str] | None:
    if any(node.name == name for node in _classes(file)):
        return file, name
    return _imported(file, name)


def _file(module: str) -> Path:
    path = SOURCE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
