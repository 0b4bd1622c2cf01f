"""`tunewise list`: the studies of a storage."""

from typing import TYPE_CHECKING, Any

from tunewise.cli.options import Json, Namespace, Storage, console, print_json

if TYPE_CHECKING:
    from tunewise.study import Store, StudyRecord


def list_studies(storage: Storage = None, namespace: Namespace = None, json: Json = False) -> None:
    """List the studies of a storage."""
    from tunewise.cli.stored_study import opened

    with opened(storage, namespace) as store:
        rows = [_row(store, record) for record in reversed(store.studies())]
    if json:
        print_json(rows)
        return
    if not rows:
        print("no studies yet; `tunewise tune job.yaml` makes one")
        return
    _print(rows)


def _row(store: "Store", record: "StudyRecord") -> dict[str, Any]:
    from tunewise.errors import TunewiseError
    from tunewise.job.loading import problem_of

    history = store.history(record.name)
    row: dict[str, Any] = {
        "name": record.name,
        "created_at": record.created_at,
        "strategy": record.strategy.get("name"),
        "trials": len(history),
        "complete": len(history.complete),
        "failed": len(history.failed),
        "running": sum(t.state == "running" for t in history),
        "spent": history.spent,
        "stopped": record.noted.stopped,
    }
    try:
        problem = problem_of(record)
    except TunewiseError as error:
        # One study that cannot be understood must not hide the others.
        return {**row, "objective": None, "best": None, "error": str(error)}
    best = history.best(problem)
    return {
        **row,
        "objective": problem.objective,
        "best": None if best is None else best.metrics[problem.objective],
    }


def _print(rows: list[dict[str, Any]]) -> None:
    import time

    from rich.table import Table

    from tunewise.format import MISSING, duration, money, number

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("study", "created", "strategy", "trials", "best", "spent", "time"):
        table.add_column(name, justify="left" if name in _TEXT else "right")
    for row in rows:
        created = row["created_at"]
        ended = row["complete"] + row["failed"]
        running = f" +{row['running']}" if row["running"] else ""
        table.add_row(
            row["name"],
            time.strftime("%Y-%m-%d %H:%M", time.localtime(created)) if created else MISSING,
            row["strategy"],
            f"{ended}{running}",
            MISSING if row["best"] is None else f"{row['objective']} {number(row['best'])}",
            money(row["spent"]["cost"]) if row["spent"]["cost"] else MISSING,
            duration(row["spent"]["time"]) if row["spent"]["time"] else MISSING,
        )
    console().print(table)


_TEXT = ("study", "created", "strategy")
