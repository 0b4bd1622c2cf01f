"""The house stays small enough to find one's way: files in a folder, lines in a strategy, steps."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.laws.source import SOURCE, modules, name_of, nodes

MOST_FILES = 16
"""In one folder, `__init__` aside. DESIGN says about fifteen: from there on sub-folders are due."""

LONGEST_STRATEGY = 120
"""Lines. Who knows a paper recognises it on a page; what is more belongs to the loop's parts."""

USUAL_FILE = 150
"""Lines that a file is meant to have at most: three of four do. The fourth has its reasons."""

LONGEST_FILE = 420
"""Lines of any file. It is no size to aim at: a file that comes near holds several concepts."""

MOST_STEPS = 2
"""Below a contract, which is a class that extends none of ours."""

CONTRACT_OF_STRATEGIES = ("__init__.py", "spec.py", "strategy.py", "scalarised.py")
"""Files beside the strategies that are none: the contract, the names, several objectives."""

STRATEGIES = [
    file
    for file in sorted((SOURCE / "strategy").glob("*.py"))
    if file.name not in CONTRACT_OF_STRATEGIES
]


def test_a_folder_has_few_enough_files_to_look_through() -> None:
    files = Counter(file.parent for file in modules() if file.name != "__init__.py")
    crowded = [
        f"{name_of(folder)} {count}" for folder, count in files.items() if count > MOST_FILES
    ]
    assert not crowded, f"make sub-folders: {', '.join(crowded)}"


def test_a_strategy_fits_on_a_page() -> None:
    long = [
        f"{name_of(file)} {n}" for file in STRATEGIES if (n := _length(file)) > LONGEST_STRATEGY
    ]
    assert not long


def test_a_file_is_short_as_a_rule() -> None:
    lengths = sorted(map(_length, modules()))
    assert lengths[len(lengths) * 3 // 4] <= USUAL_FILE


def test_no_file_is_far_longer_than_the_others() -> None:
    long = [f"{name_of(file)} {n}" for file in modules() if (n := _length(file)) > LONGEST_FILE]
    assert not long, f"split: {', '.join(long)}"


def _length(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def test_no_class_is_more_than_two_steps_below_a_contract() -> None:
    parents = {
        (file, node.name): _ours(file, node) for file in modules() for node in _classes(file)
    }

    def steps(place: tuple[Path, str]) -> int:
        return max((1 + steps(parent) for parent in parents.get(place, ())), default=0)

    deep = [f"{name_of(file)} {name}" for file, name in parents if steps((file, name)) > MOST_STEPS]
    assert not deep, f"more than {MOST_STEPS} steps below a contract: {', '.join(deep)}"


def _classes(file: Path) -> Iterator[ast.ClassDef]:
    return (node for node in nodes(file) if isinstance(node, ast.ClassDef))


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
    for node in nodes(file):
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
