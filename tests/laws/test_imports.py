"""The law of the house: imports point upwards, and the pure rooms stay pure."""

import ast
from pathlib import Path

import pytest

from tests.laws.source import (
    PURE,
    ROOMS,
    SOURCE,
    SURFACE,
    called,
    dotted,
    imports,
    modules,
    name_of,
    room_of,
    tree,
)

FILES_AND_PROCESSES = {
    *("asyncio", "concurrent", "fcntl", "glob", "http", "logging", "mmap", "multiprocessing"),
    *("os", "pathlib", "queue", "requests", "select", "selectors", "shelve", "shutil", "signal"),
    *("socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "urllib"),
}
CLOCK_ENVIRONMENT_AND_CHANCE = {
    *("datetime", "getpass", "locale", "platform", "random", "resource", "secrets", "time", "uuid"),
}
PACKAGES_OF_OUTER_ROOMS = {
    *("alembic", "fastapi", "jinja2", "plotly", "psycopg", "pydantic", "ray", "rich"),
    *("sqlalchemy", "typer", "yaml"),
}
OUTSIDE = FILES_AND_PROCESSES | CLOCK_ENVIRONMENT_AND_CHANCE | PACKAGES_OF_OUTER_ROOMS

BIT_GENERATORS = {"BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"}
SEEDED = {"Generator", "SeedSequence", "default_rng", *BIT_GENERATORS}
PACKAGE_DATA = "importlib.resources"
FILE_CALLS = {"read_text", "read_bytes", "write_text", "write_bytes", "unlink", "mkdir"}


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_imports_between_rooms_point_only_upwards(file: Path) -> None:
    here = room_of(file)
    if here == SURFACE:
        return
    assert here in ROOMS, f"{name_of(file)} is in no room of DESIGN"
    wrong = []
    for name, line in imports(file):
        there = _room_of_import(name)
        if there is not None and ROOMS.index(there) > ROOMS.index(here):
            wrong.append(f"{name_of(file)}:{line} imports {name}: {there} comes after {here}")
    assert not wrong, "\n".join(wrong)


def _room_of_import(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != SURFACE:
        return None
    # A name of the package's own surface, not of a room, is for the last rooms only.
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else "cli"


@pytest.mark.parametrize("file", modules(*PURE), ids=name_of)
def test_a_pure_room_imports_nothing_from_the_outside(file: Path) -> None:
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for name, line in imports(file)
        if name.split(".")[0] in OUTSIDE
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("file", modules(*PURE), ids=name_of)
def test_only_the_catalogue_reads_package_data(file: Path) -> None:
    reads = [name for name, _ in imports(file) if name.startswith(PACKAGE_DATA)]
    assert not reads or room_of(file) == "space", f"{name_of(file)} reads package data"


@pytest.mark.parametrize("file", modules(*PURE), ids=name_of)
def test_a_pure_room_opens_no_file_and_prints_nothing(file: Path) -> None:
    package_data = any(name.startswith(PACKAGE_DATA) for name, _ in imports(file))
    wrong = []
    for node in ast.walk(tree(file)):
        if not isinstance(node, ast.Call):
            continue
        plain = isinstance(node.func, ast.Name) and called(node) in ("open", "print", "input")
        on_a_path = isinstance(node.func, ast.Attribute) and called(node) in FILE_CALLS
        if plain or (on_a_path and not package_data):
            wrong.append(f"{name_of(file)}:{node.lineno} calls {called(node)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("file", modules(*PURE), ids=name_of)
def test_a_pure_room_draws_only_from_seeded_generators(file: Path) -> None:
    wrong = []
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Attribute) and dotted(node.value) in ("np.random", "numpy.random"):
            if node.attr not in SEEDED:
                wrong.append(f"{name_of(file)}:{node.lineno} uses numpy.random.{node.attr}")
        elif isinstance(node, ast.Call) and called(node) == "default_rng" and not node.args:
            wrong.append(f"{name_of(file)}:{node.lineno} makes a generator without a seed")
    assert not wrong, "\n".join(wrong)


def test_every_room_that_exists_has_a_law_in_its_docstring() -> None:
    silent = [
        name_of(package)
        for package in sorted(SOURCE.glob("*/__init__.py"))
        if not ast.get_docstring(tree(package))
    ]
    assert not silent, f"rooms without a law: {', '.join(silent)}"
