"""The source is finished, and speaks plainly."""

import ast
import re
from pathlib import Path

from tests.laws.source import ROOT, SOURCE, modules, name_of, nodes, tree

UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b")
LONGEST_FUNCTION = 60
NUMERIC = ("surrogate", "belief", "acquisition", "filtering", "strategy", "tenancy", "online")
NOT_NOUNS_OF_THE_FIELD = ("common", "core", "helpers", "misc", "utils")


def test_nothing_is_marked_as_unfinished() -> None:
    marked = [
        f"{name_of(file)}:{number}"
        for file in modules()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not marked


def test_no_function_is_longer_than_a_page() -> None:
    long = [
        f"{name_of(file)}:{node.lineno} {node.name}"
        for file in modules()
        for node in nodes(file)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long, f"longer than {LONGEST_FUNCTION} lines: {', '.join(long)}"


def test_no_error_is_swallowed_whole() -> None:
    swallowed = [
        f"{name_of(file)}:{node.lineno}"
        for file in modules()
        for node in nodes(file)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
        and all(isinstance(step, ast.Pass | ast.Continue) for step in node.body)
    ]
    assert not swallowed


def test_every_chosen_number_says_beside_it_what_it_does() -> None:
    bare = [place for file in modules(*NUMERIC, "study") for place in _bare_numbers(file)]
    assert not bare, "say what it does, and how it was chosen:\n" + "\n".join(bare)


def _bare_numbers(file: Path) -> list[str]:
    lines, body = file.read_text(encoding="utf-8").splitlines(), tree(file).body
    return [
        f"{name_of(file)}:{node.lineno} {lines[node.lineno - 1]}"
        for node, after in zip(body, [*body[1:], None], strict=True)
        if isinstance(node, ast.Assign) and _chosen(node.value)
        if not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant))
        if not lines[node.lineno - 2].startswith("#")
    ]


def _chosen(value: ast.expr) -> bool:
    """Whether it is a number that somebody wrote down, or several."""
    if isinstance(value, ast.Tuple | ast.List):
        return any(map(_chosen, value.elts))
    if isinstance(value, ast.UnaryOp | ast.BinOp):
        parts = (value.operand,) if isinstance(value, ast.UnaryOp) else (value.left, value.right)
        return all(map(_chosen, parts))
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float)


def test_rooms_are_named_after_nouns_of_the_field() -> None:
    names = {path.stem for path in SOURCE.rglob("*")}
    assert not names.intersection(NOT_NOUNS_OF_THE_FIELD)


def test_tests_keep_the_same_names() -> None:
    names = {path.stem for path in (ROOT / "tests").rglob("*.py")}
    assert not names.intersection(NOT_NOUNS_OF_THE_FIELD)


def test_no_docstring_is_a_single_word() -> None:
    bare = [
        f"{name_of(file)}:{node.lineno} {said}"
        for file in modules()
        for node in nodes(file)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if (said := ast.get_docstring(node)) is not None and len(said.split()) < 2
    ]
    assert not bare, "say what it gives:\n" + "\n".join(bare)
