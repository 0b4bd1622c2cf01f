"""Everything that is wrong with a job file, gathered, each with its line and field."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from tunewise.errors import JobFileError, TunewiseError, nearest
from tunewise.job.fields import NESTED, Fields, Nested
from tunewise.job.yaml_document import Document, Path

if TYPE_CHECKING:
    from pydantic import ValidationError

_INSTEAD = {
    "n_trials": "'trials'",
    "max_trials": "'trials'",
    "num_samples": "'trials'",
    "direction": "'maximize' or 'minimize', with the name of a metric",
    "metric": "'maximize' or 'minimize', with its name",
    "constraints": "'subject_to'",
    "limits": "'subject_to'",
}
"""Fields of other tools, and what to write for them."""

_MOST = 50
"""So many mistakes are shown: more would hide the first ones."""
_LONGEST = 7000
"""Characters of all that are shown: a longer error is cut, and the count of the others with it."""


class Diagnostics:
    """Gathers mistakes, so that a person sees them all at once."""

    def __init__(self, document: Document, source: str, nested: Nested = NESTED) -> None:
        """Diagnostics in this document, called `source` in messages, of these fields."""
        self.document, self.source, self._nested = document, source, nested
        self._found: list[tuple[int, str]] = []
        self._fields: set[str | int] = set()

    def add(self, path: Path, sentence: str) -> None:
        """Note a mistake at a field."""
        self._fields.update(path[:1])
        line, field = self.document.line(path), _dotted(path)
        self._found.append((line, f"{self.source}:{line}: {field}{sentence}"))

    @contextmanager
    def at(self, *path: str | int) -> Iterator[None]:
        """Errors raised inside are mistakes of this field."""
        try:
            yield
        except TunewiseError as error:
            self.add(path, f": {error}" if path else str(error))

    def add_all(self, error: "ValidationError") -> list[Path]:
        """Note what pydantic found, in words of the job file, and say where."""
        found = {self._path(e): e for e in reversed(error.errors(include_url=False))}
        # A value that fits none of several forms is reported for each: the innermost counts.
        around = {path[:length] for path in found for length in range(len(path))}
        places = [path for path in found if path not in around]
        for path in places:
            self.add(path, _sentence(path, found[path], self._nested))
        return places

    def __bool__(self) -> bool:
        """Whether there is any mistake."""
        return bool(self._found)

    def has(self, *names: str) -> bool:
        """Whether anything was wrong with one of these fields."""
        return any(name in self._fields for name in names)

    def _path(self, error: Any) -> Path:
        """The place in the document; pydantic's own names of alternatives are left out."""
        path: list[str | int] = []
        here = self.document.data
        *_, last = error["loc"]
        for part in error["loc"]:
            missing = error["type"] == "missing" and part == last
            if isinstance(here, Mapping) and (part in here or missing):
                here = here.get(part)
            elif isinstance(here, list) and isinstance(part, int) and part < len(here):
                here = here[part]
            else:
                continue
            path.append(part)
        return tuple(path)

    def refuse(self) -> None:
        """Raise all that was found, by line."""
        sentences = list(dict.fromkeys(sentence for _, sentence in sorted(self._found)))
        lengths = accumulate(len(sentence) + 1 for sentence in sentences)
        shown = min(_MOST, max(1, sum(length <= _LONGEST for length in lengths)))
        if more := sentences[shown:]:
            plural = "" if len(more) == 1 else "s"
            sentences = [*sentences[:shown], f"and {len(more):,} more mistake{plural}"]
        if sentences:
            raise JobFileError("\n".join(sentences))


def _dotted(path: Path) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _sentence(path: Path, detail: Any, nested: Nested) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        fields = _fields(path[:-1], nested)
        if path[-1] in _INSTEAD:
            return f": unknown field; write {_INSTEAD[path[-1]]}"
        return f": unknown field{nearest(str(path[-1]), fields.model_fields if fields else ())}"
    expected = _expected(path, nested)
    if kind == "missing":
        return f" is missing; expected {expected}"
    return f" is {_short(detail['input'])}; expected {expected}"


def _expected(path: Path, nested: Nested) -> str:
    """The description of the field, or of the one around it."""
    while path:
        fields = _fields(path[:-1], nested)
        field = fields.model_fields.get(str(path[-1])) if fields else None
        if field is not None and field.description:
            return field.description
        path = path[:-1]
    return "fields with values, such as name: digits"


def _fields(path: Path, nested: Nested) -> type[Fields] | None:
    for place, fields in nested.items():
        if len(place) == len(path) and all(
            name in ("*", part) for name, part in zip(place, path, strict=True)
        ):
            return fields
    return None


def _short(value: Any) -> str:
    text = "empty" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
