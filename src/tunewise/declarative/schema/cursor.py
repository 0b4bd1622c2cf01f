"""A place in a program's text, and sentences that point at it."""

import json
import re
from typing import NoReturn

from tunewise.errors import ProgramError

LONGEST = 100_000
"""Characters of a program: a thousand columns or labels of a hundred characters each."""

_AROUND = 30
"""Characters that are shown on either side of a mistake."""

_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_INTEGER = re.compile("[0-9]+")


class Cursor:
    """Reads a text from left to right; white space counts for nothing."""

    def __init__(self, text: str) -> None:
        """Start at the first character."""
        if not isinstance(text, str):
            raise ProgramError(f"a program is {text!r}; expected text")
        if len(text) > LONGEST:
            raise ProgramError(f"a program of {len(text)} characters; at most {LONGEST}")
        self.text, self.at = text, 0

    def skip(self) -> int:
        """Go on to the next character that is no space, and say where that is."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def take(self, literal: str) -> bool:
        """Go on behind these characters, if they are next."""
        self.skip()
        found = self.text.startswith(literal, self.at)
        if found and literal[-1].isalpha():
            after = self.text[self.at + len(literal) : self.at + len(literal) + 1]
            found = not (after.isalnum() or after == "_")
        self.at += len(literal) if found else 0
        return found

    def expect(self, *literals: str) -> str:
        """Go on behind one of these, or say that it is missing."""
        found = next((literal for literal in literals if self.take(literal)), None)
        return found if found is not None else self.fail(" or ".join(map(repr, literals)))

    def match(self, pattern: "re.Pattern[str]", expected: str) -> str:
        """Go on behind what the pattern matches."""
        found = pattern.match(self.text, self.skip())
        if found is None:
            self.fail(expected)
        self.at = found.end()
        return found[0]

    def looks_at(self, pattern: "re.Pattern[str]") -> bool:
        """Whether the pattern matches what is next."""
        return pattern.match(self.text, self.skip()) is not None

    def integer(self) -> int:
        """A whole number, 1 or more."""
        start = self.skip()
        digits = self.match(_INTEGER, "a whole number")
        if len(digits) > 12 or int(digits) < 1:
            self.fail("a whole number from 1 to 999999999999", start)
        return int(digits)

    @property
    def at_integer(self) -> bool:
        """Whether a whole number is next."""
        return self.looks_at(_INTEGER)

    def quoted(self) -> str | None:
        """A string in quotes, if one is next."""
        if not self.looks_at(re.compile('"')):
            return None
        start = self.at
        raw = self.match(_STRING, 'a closing "')
        try:
            return str(json.loads(raw))
        except ValueError:
            self.fail('a string in which \\ stands before ", \\, n, t or uXXXX', start)

    def end(self) -> None:
        """Refuse anything that is left."""
        if self.skip() < len(self.text):
            self.fail("the end of the program")

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        """Say what was expected, and point at where."""
        found = self.skip() if at is None else at
        self.point(f"expected {expected}, not {_shown(self.text, found)}", found)

    def point(self, sentence: str, at: int) -> NoReturn:
        """Say what is wrong, with the place in the text below it."""
        first = max(0, at - _AROUND)
        window = "".join(c if c.isprintable() else " " for c in self.text[first : at + _AROUND])
        before, after = "…" * (first > 0), "…" * (at + _AROUND < len(self.text))
        pointer = " " * (len(before) + at - first) + "^"
        raise ProgramError(
            f"character {at + 1}: {sentence}\n  {before}{window}{after}\n  {pointer}"
        )


def _shown(text: str, at: int) -> str:
    if at >= len(text):
        return "the end"
    word = re.match(r"\w{1,20}|.", text[at:], re.DOTALL)
    return repr(word[0] if word else text[at])
