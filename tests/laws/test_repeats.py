"""No two places of the source share six or more lines, by text or by shape; signatures may."""

from pathlib import Path

from tests.laws.repeats import repeats
from tests.laws.source import modules

ROUND = """
def {name}({given}):
    total = 0
    for {each} in {given}:
        if {each} > {limit}:
            total += {each} * {limit}
        elif {each} < 0:
            total -= {each}
    return total, {limit}
"""


def test_nothing_stands_in_two_places() -> None:
    found = repeats(modules())
    assert not found, "one of them can serve both: " + "; ".join(map(str, found[:5]))


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_the_same_lines_with_other_names_and_numbers_are_a_repeat(tmp_path: Path) -> None:
    one = written(tmp_path, "a.py", ROUND.format(name="f", given="xs", each="x", limit=3))
    two = written(tmp_path, "b.py", ROUND.format(name="g", given="rows", each="row", limit=40))
    assert {str(found).partition(":")[0] for found in repeats([one, two])} == {"a.py"}


def test_five_lines_are_no_repeat(tmp_path: Path) -> None:
    kept = [line for line in ROUND.splitlines() if "elif" not in line and "-=" not in line]
    short = "\n".join(kept)
    one = written(tmp_path, "a.py", short.format(name="f", given="xs", each="x", limit=3))
    two = written(tmp_path, "b.py", short.format(name="g", given="ys", each="y", limit=3))
    assert repeats([one, two]) == []


def test_signatures_imports_fields_and_docstrings_may_be_alike(tmp_path: Path) -> None:
    alike = '''"""A module.\n\nOf\nmany\nlines\nof\ntext."""
from one import (
    a,
    b,
    c,
    d,
    e,
    f,
)

class C:
    """What it is."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int

def f(
    a,
    b,
    c,
    d,
    e,
    g,
):
    return '''
    files = [written(tmp_path, f"{name}.py", f"{alike}{name}\n") for name in "ab"]
    assert repeats(files) == []
