"""YAML as people mean it, with the line of every field.

Scalars are read by YAML 1.2: `1e-5` is a number, `on`, `no` and `1:30` are text. (YAML 1.1, which
PyYAML speaks by itself, has it the other way round.)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from tunewise.errors import JobFileError

Path: TypeAlias = tuple[str | int, ...]

_INT = re.compile(r"[-+]?[0-9][0-9_]*\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    "-.inf": float("-inf"),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_MOST_NODES = 200_000
"""An alias of aliases of aliases would fill the memory."""
_DEEPEST = 40
"""Values inside of values; job files need five."""
_LARGEST = 10**300
"""No whole number is larger: each becomes a float somewhere."""
_MOST_DIGITS = 400
"""A number with more digits is beyond the largest, whichever it is: Python would not read it."""
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
"""Neither files nor programs nor stores can take these."""


@dataclass(frozen=True)
class Document:
    """Plain data, and the line (from 1) at which each of its fields begins."""

    data: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of a field, or of the innermost one around it that is there."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def read(text: str, source: str) -> Document:
    """Read one YAML document; `source` names it in errors."""
    try:
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise JobFileError(f"{source}{_where(error)}: {_sentence(error)}") from error
    except yaml.reader.ReaderError as error:
        raise JobFileError(
            f"{source}: not a text file: it has the character {error.character!r}"
        ) from error
    except (ValueError, OverflowError) as error:
        raise JobFileError(
            f"{source}: a text has an escape such as \\U00110000 that stands for no character"
        ) from error
    if root is None:
        raise JobFileError(f"{source}:1: the file is empty; `tunewise init` writes an example")
    builder = _Builder(source)
    return Document(builder.build(root, ()), builder.lines)


class _Loader(yaml.SafeLoader):
    """Composes nodes; what a scalar means is decided here, not by YAML 1.1."""

    yaml_implicit_resolvers: dict[str, Any] = {}
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """One value; refused where it lies too deep, before all of it was read."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise yaml.MarkedYAMLError(problem=_TOO_DEEP, problem_mark=self.get_mark())
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node


class _Builder:
    """Makes plain data of nodes and notes where each was."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: dict[Path, int] = {}
        self._open: set[int] = set()
        self._nodes = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        self._refuse_cycles_and_floods(node)
        self._open.add(id(node))
        try:
            return self._value(node, path)
        finally:
            self._open.discard(id(node))

    def _value(self, node: yaml.Node, path: Path) -> Any:
        if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag:
            raise self._error(node, f"tags such as {node.tag!r} are not understood here")
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*path, i)) for i, child in enumerate(node.value)]
        value = _scalar(node)
        if isinstance(value, int) and abs(value) > _LARGEST:
            shown = f"{str(node.value)[:27]}..."
            raise self._error(
                node, f"{shown} is too large; expected a number of at most 300 digits"
            )
        if isinstance(value, str):
            self._refuse_no_character(node)
        return value

    def _refuse_no_character(self, node: yaml.Node) -> None:
        if found := _NO_CHARACTER.search(node.value):
            raise self._error(node, f"a text has {found[0]!r}, which is no character")

    def _items(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[Any, Any]]:
        seen: dict[Any, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "a field's name must be a word")
            self._refuse_no_character(key_node)
            key, line = key_node.value, key_node.start_mark.line + 1
            if key in seen:
                raise self._error(
                    key_node, f"{key!r} is there twice (first in line {seen[key]}); expected once"
                )
            seen[key] = line
            self.lines[(*path, key)] = line
            yield key, self.build(value_node, (*path, key))

    def _refuse_cycles_and_floods(self, node: yaml.Node) -> None:
        self._nodes += 1
        if id(node) in self._open:
            raise self._error(node, "an alias contains itself")
        if self._nodes > _MOST_NODES:
            raise self._error(node, f"the file has more than {_MOST_NODES} values")

    def _error(self, node: yaml.Node, sentence: str) -> JobFileError:
        return JobFileError(f"{self.source}:{node.start_mark.line + 1}: {sentence}")


def _scalar(node: Any) -> Any:
    text = str(node.value)
    if node.style in ("'", '"', "|", ">"):  # what is quoted is text
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        if len(text) > _MOST_DIGITS:
            return _LARGEST + 1
        return int(text.replace("_", ""), 0 if text[:2] in ("0o", "0x") else 10)
    if _FLOAT.match(text):
        return float(text.replace("_", ""))
    return text


def _where(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    return "" if mark is None else f":{mark.line + 1}:{mark.column + 1}"


_TOO_DEEP = f"there are more than {_DEEPEST} values inside of each other"
_HINTS = {
    "mapping values are not allowed here": "a colon stands where none is expected: is the line"
    " indented like its neighbours, and is text with a colon in quotes?",
    "could not find expected ':'": "expected a colon after the field's name",
    "expected <block end>, but found '-'": "a list item is not indented like the others",
    "found '<block sequence start>'": "a list item is not indented like the others",
    "expected '<document start>', but found '<block mapping start>'": "a field is not indented like"
    " the others of its block",
    "expected <block end>, but found '<block mapping start>'": "a field is not indented like the"
    " others of its block",
    "expected ',' or ']', but got": "a [list] is not closed, or a comma is missing in it",
    "expected ',' or '}', but got": "a {mapping} is not closed, or a comma is missing in it",
    "found character '\\t' that cannot start any token": "a tab indents the line; YAML expects"
    " spaces",
    "found unexpected end of stream": "the file ends inside a quoted text",
    "expected a single document in the stream": "there is a second document after `---`; expected"
    " one",
}


def _sentence(error: yaml.MarkedYAMLError) -> str:
    said = " ".join(part for part in (error.context, error.problem) if part)
    hint = next((hint for key, hint in _HINTS.items() if key in said), said)
    return f"not valid YAML: {hint}"
