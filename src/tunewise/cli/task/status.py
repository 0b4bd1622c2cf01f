"""`tunewise task status`: where the tasks stand."""

from typing import Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, console, print_json
from tunewise.cli.task.opened import reached, say_how_to_train, url_of

_WIDEST = 32
"""Characters of a name in one line."""


def status(
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="The task's name.", show_default=False)
    ] = None,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Say of one task, or of all, what it has, how good it is, and what is next."""
    names = [task] if task is not None else _names(storage, namespace, server)
    rows = [_row(name, storage, namespace, server) for name in names]
    if json:
        print_json(rows)
        return
    if not rows:
        typer.echo("there is no task; declare one with `tunewise task create`")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("task", "program", "examples", "quality", "model", "next"):
        # A long name is broken into lines, so that it leaves room for the others.
        table.add_column(name, overflow="fold", max_width=_WIDEST if name == "task" else None)
    for row in rows:
        quality = "" if row["quality"] is None else f"{row['quality']:.3f}"
        table.add_row(
            *(row["task"], row["program"], f"{row['on']} of {row['examples']}", quality),
            *(row["model"] or "none yet", row["next"]),
        )
    out = console()
    out.print(table)
    if server is None:
        say_how_to_train([row["task"] for row in rows if row["model"] is None and row["on"]])
    for row in rows:
        if row["verdict"]:
            out.print(f"{row['task']}: {row['verdict']}")
        if row["with_100_more"] is not None:
            out.print(
                f"{row['task']}: 100 more examples would bring it to about"
                f" {row['with_100_more']:.3f}"
            )


def _names(storage: str | None, namespace: str | None, server: str | None) -> list[str]:
    if server is not None:
        from tunewise.service.client import Client

        return Client(server).tasks()
    from tunewise.storage.tasks import open_tasks

    store = open_tasks(url_of(storage), namespace or "")
    try:
        return [row.name for row in store.tasks()]
    finally:
        store.close()


def _row(
    name: str, storage: str | None, namespace: str | None, server: str | None
) -> dict[str, Any]:
    found = reached(name, storage, namespace, server)
    try:
        return found.status()
    finally:
        found.close()
