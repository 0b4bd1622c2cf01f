"""Text with `{fields}`, filled in so that no value can become anything but a value."""

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tunewise.errors import ExecutionError, nearest

_WIDEST = 300
"""Letters that a format may ask for: `{x:.999999999f}` would fill the memory."""


class Inactive:
    """The value of a parameter that does not apply to the config: empty text in any format."""

    def __format__(self, form: str) -> str:
        """Empty text, whatever the format."""
        return ""


INACTIVE = Inactive()


@dataclass(frozen=True)
class Field:
    """A place for a value: `{name}` or `{name:format}`."""

    name: str
    format: str = ""

    def text(self, values: Mapping[str, Any]) -> str:
        """The value as text: numbers as Python writes them, exactly."""
        if self.name not in values:
            raise unknown_field(self.name, values)
        value = values[self.name]
        try:
            return format(value, self.format)
        except (TypeError, ValueError, OverflowError) as error:
            raise ExecutionError(
                f"{{{self.name}:{self.format}}} does not fit the value {value!r}: {error}"
            ) from error


@dataclass(frozen=True)
class Template:
    """Literal texts and fields, in order."""

    pieces: tuple[str | Field, ...]

    @classmethod
    def parse(cls, text: str) -> "Template":
        """Read `{name}`, `{name:format}` and the literal braces `{{` and `}}`."""
        pieces: list[str | Field] = []
        try:
            for literal, name, form, conversion in string.Formatter().parse(text):
                pieces += [literal] if literal else []
                if name is not None:
                    pieces.append(_field(text, name, form or "", conversion))
        except ValueError as error:
            raise ExecutionError(
                f"the command text {text!r} has an unmatched brace ({error}); write a literal"
                " brace twice: {{ or }}"
            ) from error
        return cls(tuple(pieces))

    @property
    def fields(self) -> list[Field]:
        """The fields, in order."""
        return [piece for piece in self.pieces if isinstance(piece, Field)]

    def fill(self, values: Mapping[str, Any]) -> str:
        """The text with the values in their places."""
        return "".join(p if isinstance(p, str) else p.text(values) for p in self.pieces)

    def void(self, values: Mapping[str, Any]) -> bool:
        """Whether it has fields and none of their parameters applies."""
        used = self.fields
        return bool(used) and all(values.get(field.name, "") is INACTIVE for field in used)


def filled(words: Sequence[Template], values: Mapping[str, Any]) -> list[str]:
    """The words of a command, without those of parameters that do not apply.

    `--momentum={momentum}` goes as a whole, and `--momentum {momentum}` with its option before it.
    """
    kept: list[str] = []
    for place, word in enumerate(words):
        if not word.void(values):
            kept.append(word.fill(values))
        elif place and all(map(_is_field, word.pieces)) and _is_option(words[place - 1]):
            kept.pop()
    return kept


def _is_field(piece: str | Field) -> bool:
    return isinstance(piece, Field)


def _is_option(word: Template) -> bool:
    """Whether a word such as `--momentum` waits for its value in the next word."""
    text = "" if word.fields else word.fill({})
    return text.startswith("-") and bool(text.strip("-")) and "=" not in text


def unknown_field(name: str, valid: Iterable[str]) -> ExecutionError:
    """The error for a field that no value is known for."""
    return ExecutionError(
        f"the command has an unknown field {{{name}}}{nearest(name, list(valid))}"
        " (write a literal brace twice: {{ or }})"
    )


def for_shell(template: Template) -> tuple[str, dict[str, Field]]:
    """A shell script with a variable in place of each field, and which field each stands for.

    The shell expands a variable once and does not read the value again, so the script stays what
    its author wrote whatever the values are. Text put into the script would not be safe: quotes
    around the field, comments and here-documents each need another way of quoting.
    """
    script, state = "", ""
    variables: dict[str, Field] = {}
    for piece in template.pieces:
        if isinstance(piece, str):
            script, state = script + piece, _quoting(piece, state)
            continue
        if state == "'":
            raise ExecutionError(
                f"{{{piece.name}}} stands between single quotes, where the shell fills in nothing;"
                " use double quotes or none"
            )
        variable = f"TUNEWISE_FIELD_{len(variables)}"
        variables[variable] = piece
        script += f"${{{variable}}}" if state == '"' else f'"${{{variable}}}"'
    return script, variables


def _quoting(text: str, state: str) -> str:
    """Where the shell is after the text: inside `'`, `"`, a comment (`#`), or none of them."""
    before = " "
    for letter in text:
        if before == "\\" and state != "'":
            before = " " if letter == "\\" else letter
            continue
        if state == "#":
            state = "" if letter == "\n" else state
        elif letter in "'\"" and state in ("", letter):
            state = "" if state else letter
        elif letter == "#" and not state and before in " \t\n;&|()":
            state = "#"
        before = letter
    return state


def _field(text: str, name: str, form: str, conversion: str | None) -> Field:
    if not name or name.isdigit():
        raise ExecutionError(
            f"the command text {text!r} has a field without a name; expected one such as {{layers}}"
            " (write a literal brace twice: {{ or }})"
        )
    if conversion or "{" in form:
        raise ExecutionError(
            f"the field {{{name}}} of the command is too clever; expected {{name}} or"
            " {name:format}, such as {learning_rate:.6f}"
        )
    if any(int(number) > _WIDEST for number in re.findall("[0-9]{1,9}", form)):
        raise ExecutionError(
            f"{{{name}:{form[:40]}}} asks for more than {_WIDEST} digits or letters; expected"
            f" fewer, such as {{{name}:.6f}}"
        )
    if not any(_fits(form, value) for value in (0, 0.0, "")):
        raise ExecutionError(
            f"{{{name}:{form}}} has an unknown format {form!r}; expected one of Python's, such as"
            f" {{{name}:.6f}}, or none"
        )
    return Field(name, form)


def _fits(form: str, value: Any) -> bool:
    try:
        format(value, form)
    except (TypeError, ValueError):
        return False
    return True
