"""What a notebook shows of an object: a title, facts, and a table where there is one."""

from collections.abc import Mapping, Sequence
from html import escape

_CELL = "padding:2px 10px 2px 0;text-align:left"


def card(
    title: str,
    facts: Mapping[str, str] | None = None,
    head: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
) -> str:
    """HTML in the notebook's own colours; all texts are shown as they are.

    >>> card("Space", {"configs": "8"})
    '<div><b>Space</b><br>configs <b>8</b></div>'
    """
    told = " · ".join(f"{escape(k)} <b>{escape(v)}</b>" for k, v in (facts or {}).items() if v)
    below = f"<br>{told}" if told else ""
    return f"<div><b>{escape(title)}</b>{below}{_table(head, rows) if rows else ''}</div>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in head)
    lines = "".join(
        f"<tr>{''.join(f'<td style={_quoted(_CELL)}>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>"


def _quoted(style: str) -> str:
    return f'"{style}"'
