"""`tunewise strategies`: who may decide."""

from typing import Any

from tunewise.cli.options import Json, print_json, say


def strategies(json: Json = False) -> None:
    """List the strategies and their options."""
    from tunewise.report.terminal.lines import listed
    from tunewise.strategy.spec import described

    rows = described()
    if json:
        print_json(rows)
        return
    heads = ("strategy", "what it does", "options")
    cells = ([row["name"], row["summary"], _options(row)] for row in rows)
    say(listed(heads, cells, heads))


def _options(row: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in row["options"].items()) or "none"
