"""The law of the house: imports point upwards, and the pure rooms stay pure."""

import ast
from functools import cache
from pathlib import Path

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
    nodes,
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


def test_every_file_is_in_a_room() -> None:
    homeless = [name_of(f) for f in modules() if room_of(f) not in (SURFACE, *ROOMS)]
    assert not homeless


def test_imports_between_rooms_point_only_upwards() -> None:
    wrong = []
    for file in modules(*ROOMS):
        here = room_of(file)
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


def test_a_pure_room_imports_nothing_from_the_outside() -> None:
    wrong = [
        f"{name_of(file)}:{line} imports {name}"
        for file in modules(*PURE)
        for name, line in imports(file)
        if name.split(".")[0] in OUTSIDE
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_catalogue_reads_package_data() -> None:
    wrong = [name_of(f) for f in modules(*PURE) if _reads_package(f) and room_of(f) != "space"]
    assert not wrong


@cache
def _reads_package(file: Path) -> bool:
    return any(name.startswith(PACKAGE_DATA) for name, _ in imports(file))


def test_a_pure_room_opens_no_file_and_prints_nothing() -> None:
    wrong = [
        f"{name_of(file)}:{node.lineno} calls {called(node)}"
        for file in modules(*PURE)
        for node in nodes(file)
        if isinstance(node, ast.Call) and _touches_the_world(node, _reads_package(file))
    ]
    assert not wrong, "\n".join(wrong)


def _touches_the_world(node: ast.Call, package_data: bool) -> bool:
    if isinstance(node.func, ast.Name):
        return called(node) in ("open", "print", "input")
    return called(node) in FILE_CALLS and not package_data


def test_a_pure_room_draws_only_from_seeded_generators() -> None:
    wrong = [
        f"{name_of(file)}:{node.lineno} draws from {drawn}"
        for file in modules(*PURE)
        for node in nodes(file)
        if isinstance(node, ast.expr) and (drawn := _unseeded(node))
    ]
    assert not wrong, "\n".join(wrong)


def _unseeded(node: ast.expr) -> str:
    """What draws without a seed here, empty where nothing does."""
    if isinstance(node, ast.Attribute) and dotted(node.value) in ("np.random", "numpy.random"):
        return "" if node.attr in SEEDED else f"numpy.random.{node.attr}"
    bare = isinstance(node, ast.Call) and called(node) == "default_rng" and not node.args
    return "a generator without a seed" if bare else ""


def test_every_room_that_exists_has_a_law_in_its_docstring() -> None:
    silent = [
        name_of(package)
        for package in sorted(SOURCE.glob("*/__init__.py"))
        if not ast.get_docstring(tree(package))
    ]
    assert not silent, f"rooms without a law: {', '.join(silent)}"
