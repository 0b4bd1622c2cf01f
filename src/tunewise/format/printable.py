"""Text that a terminal shows and does not obey."""

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters other than line ends and tabs, and those that turn the direction of text."""

_PICTURES, _DELETE, _UNKNOWN = 0x2400, "\u2421", "\ufffd"


def printable(text: str) -> str:
    r"""The text with a picture in place of each control character, such as ␛ for an escape.

    >>> printable("a\x1b[2Jb")
    'a␛[2Jb'
    """
    return _UNSEEN.sub(_picture, text)


def pictured(text: str) -> bool:
    """Whether the text may have been printed in place of one with control characters."""
    return any("\u2400" <= c <= _DELETE or c == _UNKNOWN for c in text)


def escaped_json(text: str) -> str:
    r"""JSON with `\u....` in place of each control character that JSON allows as it is."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}" if found[0] > "\x1f" else "", text)


def _picture(found: "re.Match[str]") -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE if code == 0x7F else _UNKNOWN
