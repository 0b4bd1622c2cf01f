"""`tunewise strategies`: who may decide."""

import inspect
from collections.abc import Callable
from typing import Any

from tunewise.cli.options import Json, console, print_json


def strategies(json: Json = False) -> None:
    """List the strategies and their options."""
    from tunewise.strategy.spec import STRATEGIES

    rows = [_row(name, STRATEGIES.load(name)) for name in STRATEGIES.names()]
    if json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("strategy", "what it does", "options"):
        table.add_column(name, no_wrap=name == "strategy")
    for row in rows:
        options = ", ".join(f"{key}={value}" for key, value in row["options"].items())
        table.add_row(row["name"], row["summary"], options or "none")
    console().print(table)


def _row(name: str, loaded: Callable[..., Any]) -> dict[str, Any]:
    documentation = inspect.getdoc(loaded) or ""
    parameters = list(inspect.signature(loaded).parameters.values())[2:]
    return {
        "name": name,
        "summary": documentation.partition("\n\n")[0].replace("\n", " "),
        "options": {
            p.name: None if p.default is p.empty else p.default
            for p in parameters
            if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        },
    }
