"""What of a store's URL must not be seen: its password, wherever it stands and however mistyped."""

import re
from pathlib import Path
from urllib.parse import unquote

from tunewise.errors import StorageError

_SCHEME = re.compile(r"[A-Za-z][\w+.-]*:/*")
_WRITTEN = re.compile(r"\bpassword\s*=\s*('[^']*'|[^\s&]+)", re.IGNORECASE)
"""A password as libpq's `host=h password=secret` has it, and queries of URLs."""

_PORT = re.compile(r"\d{1,5}(/|\?|$)")
_LONGEST = 10_000
"""Characters of a URL."""

_HARMLESS = ("sslmode", "connect_timeout", "application_name", "host", "port", "dbname", "mode")
"""What a query may say openly; `options`, `password` and what nobody knows may hold a secret."""


def stated(storage: str, folder: Path) -> str:
    """The URL itself, or the one in the file that `@FILE` names: no other process sees it there.

    Raises:
        StorageError: The file cannot be read, or has no URL in it.
    """
    if not storage.startswith("@"):
        return storage
    file = folder / Path(storage[1:]).expanduser()
    try:
        with file.open(encoding="utf-8") as opened:
            url = opened.readline(_LONGEST).strip()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise StorageError(f"the file {str(file)!r} with the storage's URL: {why}") from error
    if not url:
        raise StorageError(f"the file {str(file)!r} is empty; expected the storage's URL in it")
    return url


def redacted(text: str) -> str:
    """A URL, sound or not, without what is or may be its password."""
    for start, end in sorted(_hidden(text), reverse=True):
        text = f"{text[:start]}***{text[end:]}"
    return text


def secrets_in(text: str) -> set[str]:
    """All that may be a password in a URL, as it is written and as it is meant, and its parts."""
    found = {text[start:end] for start, end in _hidden(text)}
    found |= {unquote(secret) for secret in found}
    parts = {part for secret in found for part in re.split(r"[\s=,;]+", secret)}
    return {secret for secret in found | parts if secret.strip("*")}


def _hidden(text: str) -> list[tuple[int, int]]:
    """From where to where in a URL something stands that may be a secret."""
    written, scheme = [found.span(1) for found in _WRITTEN.finditer(text)], _SCHEME.match(text)
    if _is_file(text) or (written and not scheme):  # libpq's own form
        return written
    # Without a scheme, "tw:" of tw:PASSWORD@host looks like one.
    start = scheme.end() if scheme and scheme[0].endswith("/") else 0
    at = text.rfind("@")
    mark = text.find("?", max(at, 0))
    colon = text.find(":", start, at if at >= 0 else None)
    spans = [(colon + 1, at)] if 0 <= colon < at else []
    if at < 0 and start and colon >= 0 and not _PORT.match(text, colon + 1):
        spans.append((colon + 1, mark if mark >= 0 else len(text)))
    if mark >= 0:
        for pair in re.finditer(r"[^&]+", text[mark + 1 :]):
            name, equals, _ = pair[0].partition("=")
            if name.lower() not in _HARMLESS:
                shown = len(name) + 1 if equals else 0
                spans.append((mark + 1 + pair.start() + shown, mark + 1 + pair.end()))
    return _joined([*written, *(span for span in spans if span[0] < span[1])])


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same places, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _is_file(text: str) -> bool:
    return text.startswith("sqlite:///") or ("@" not in text and ":" not in text)
