"""Finds code that stands in two places: the same lines, or lines of the same shape."""

import ast
import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from tests.laws.source import nodes

LINES = 6
"""So many lines in two places are a repeat."""
THIN = 4
"""A run with fewer different shapes than this is a list of data (keywords of a call, rows of a
table), in which only the text can be a repeat."""
_SPACE = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)


@dataclass(frozen=True)
class Line:
    """A line of code: where it stands, in which function, its text and its shape."""

    file: Path
    number: int
    function: str
    text: str
    shape: str


@dataclass(frozen=True)
class Repeat:
    """Two runs of lines that are alike."""

    one: tuple[Line, ...]
    two: tuple[Line, ...]

    def __str__(self) -> str:
        """Both places, as `file:first-last`."""
        return " ~ ".join(
            f"{run[0].file.name}:{run[0].number}-{run[-1].number}" for run in (self.one, self.two)
        )


def lines(file: Path) -> list[Line]:
    """The lines that do something: no imports, signatures, fields, docstrings or lone brackets."""
    source = file.read_text(encoding="utf-8")
    passed, functions = _passed(nodes(file)), _functions(nodes(file))
    words: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SPACE and token.string and token.start[0] not in passed:
            words[token.start[0]].append((token.string, _kind(token)))
    return [
        Line(file, number, functions.get(number, ""), _joined(row, 0), _joined(row, 1))
        for number, row in sorted(words.items())
        if any(text.isalnum() or text[0] in "_'\"" for text, _ in row)
    ]


def repeats(files: Iterable[Path]) -> list[Repeat]:
    """Every pair of places that share six or more lines, each as long as it goes."""
    windows: dict[tuple[str, ...], list[tuple[Line, ...]]] = defaultdict(list)
    for file in files:
        code = lines(file)
        for first in range(len(code) - LINES + 1):
            run = tuple(code[first : first + LINES])
            windows[("text", *(line.text for line in run))].append(run)
            one_function = len({line.function for line in run}) == 1 and run[0].function
            shapes = tuple(line.shape for line in run)
            if one_function and len(set(shapes)) >= THIN:
                windows[("shape", *shapes)].append(run)
    pairs = (pair for runs in windows.values() for pair in combinations(runs, 2))
    return [Repeat(*pair) for pair in pairs if not _overlap(*pair)]


def _overlap(one: tuple[Line, ...], two: tuple[Line, ...]) -> bool:
    return one[0].file == two[0].file and abs(one[0].number - two[0].number) < LINES


def _joined(row: list[tuple[str, str]], which: int) -> str:
    return " ".join(word[which] for word in row)


def _type(token: tokenize.TokenInfo) -> str:
    return tokenize.tok_name[token.type]  # since Python 3.12 an f-string is several tokens


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return "name"
    if token.type in (tokenize.STRING, tokenize.NUMBER) or "FSTRING" in _type(token):
        return "value"
    return token.string


def _passed(nodes: Iterable[ast.AST]) -> set[int]:
    """Numbers of the lines that are declarations: they may be alike."""
    return {
        number
        for node in nodes
        for first, last in _declared(node)
        for number in range(first, last + 1)
    }


def _declared(node: ast.AST) -> Iterator[tuple[int, int]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        yield first, max(first, node.body[0].lineno - 1)
    elif (
        isinstance(node, ast.Import | ast.ImportFrom)
        or isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        or isinstance(node, ast.AnnAssign)
        and node.value is None
        or isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "__all__"
    ):
        yield node.lineno, node.end_lineno or node.lineno


def _functions(nodes: Iterable[ast.AST]) -> dict[int, str]:
    """By line, the innermost function it belongs to."""
    found: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[number] = f"{node.name}:{node.lineno}"
    return found
