"""Columns of tables as one writes them in a line."""

from typing import Any

import sqlalchemy as sa

_KINDS: dict[str, Any] = {
    "text": sa.Text,
    "word": lambda: sa.String(16),
    "json": sa.JSON,
    "double": sa.Double,
    "whole": sa.Integer,
    "sum": lambda: sa.String(64),
    "truth": sa.Boolean,
}


def numbered() -> sa.Column[Any]:
    """The number of a row."""
    return sa.Column("id", sa.Integer(), primary_key=True)


def columns(words: str) -> list[sa.Column[Any]]:
    """Columns such as `label:text?`, where the mark says that there may be none.

    In `spent:double=0` the old rows get 0.
    """
    made = []
    for word in words.split():
        name, _, kind = word.partition(":")
        kind, _, default = kind.partition("=")
        filled = default or None
        found = _KINDS[kind.rstrip("?")]()
        made.append(sa.Column(name, found, nullable=kind.endswith("?"), server_default=filled))
    return made
