"""The source is finished, and speaks plainly."""

import ast
import re
from pathlib import Path

import pytest

from tests.laws.source import ROOT, SOURCE, modules, name_of, tree

UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b")
LONGEST_FUNCTION = 60
NOT_NOUNS_OF_THE_FIELD = ("common", "core", "helpers", "misc", "utils")


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_nothing_is_marked_as_unfinished(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    marked = [f"{name_of(file)}:{n}" for n, line in enumerate(lines, 1) if UNFINISHED.search(line)]
    assert not marked


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_no_function_is_longer_than_a_page(file: Path) -> None:
    long = [
        f"{name_of(file)}:{node.lineno} {node.name}"
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long, f"longer than {LONGEST_FUNCTION} lines: {', '.join(long)}"


@pytest.mark.parametrize("file", modules(), ids=name_of)
def test_no_error_is_swallowed_whole(file: Path) -> None:
    swallowed = [
        f"{name_of(file)}:{node.lineno}"
        for node in ast.walk(tree(file))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
        and all(isinstance(step, ast.Pass | ast.Continue) for step in node.body)
    ]
    assert not swallowed


def test_rooms_are_named_after_nouns_of_the_field() -> None:
    names = {path.stem for path in SOURCE.rglob("*")}
    assert not names.intersection(NOT_NOUNS_OF_THE_FIELD)


@pytest.mark.parametrize("word", NOT_NOUNS_OF_THE_FIELD)
def test_tests_keep_the_same_names(word: str) -> None:
    assert not [path for path in (ROOT / "tests").rglob("*.py") if path.stem == word]
