"""Which tests are about a function, by what their files import: no run of the tests is needed.

Quicker than `reach`, and more modest: a mutant meets only the files nearest to its module, for a
few seconds, and what is not killed by then has survived.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.reach import TESTS

FILES = 3
"""So many files, the nearest ones, are tried, the shortest first among equally near ones."""
SECONDS = 2.0
"""Of a processor, for all of them."""
_FAR = ("test_conformance.py", "test_scalarised.py", "test_trimtuner_caution.py")
"""Files that take long and are about everything."""
_IMPORT = re.compile(r"^\s*(?:from (tunewise[\w.]*) import ([^\n(]+|\([^)]*\))|import (\S+))", re.M)


def nearest_files(mutants: Iterable[Mutant]) -> dict[str, list[str]]:
    """For each mutated function the files of tests that import its module, or name it."""
    files = [
        file
        for folder in TESTS
        for file in sorted(Path(folder).rglob("test_*.py"))
        if file.name not in _FAR
    ]
    said = {file: file.read_text(encoding="utf-8") for file in files}
    functions = {mutant.function for mutant in mutants}
    return {function: _nearest(function, said) for function in sorted(functions)}


def names_of(function: str) -> set[str]:
    """How people call what a function is or belongs to: its name, or its class."""
    mangled = function.rpartition(".")[2]
    inside = mangled.split("ǁ")[1:] if "ǁ" in mangled else [mangled.removeprefix("x_")]
    return {name.strip("_") for name in inside}


def _nearest(function: str, said: dict[Path, str]) -> list[str]:
    module, names = function.rpartition(".")[0], names_of(function)
    scored = [
        (-_score(module, names, file, text), len(text), str(file)) for file, text in said.items()
    ]
    return [file for score, _, file in sorted(scored)[:FILES] if score < 0]


def _score(module: str, names: set[str], file: Path, text: str) -> float:
    """How near a file of tests is: it imports the module, names the thing, or is about its room."""
    imported = {found[0] for found in _IMPORT.findall(text)}
    named = sum(len(re.findall(rf"\b{re.escape(name)}\b", text)) for name in names)
    room, last = module.split(".")[1], module.split(".")[-1]
    return (
        4.0 * (module in imported)
        + 2.0 * min(named, 3)
        + 2.0 * (last in file.stem or f'"{last}' in text)
        + 1.0 * (file.parent.name == room)
        + 0.5 * any(module.startswith(each + ".") for each in imported)
    )
