"""`tunewise list`: the studies and the trainings of a storage."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, Storage, console, print_json

if TYPE_CHECKING:
    from tunewise.study import Store, StudyRecord


def list_studies(
    trainings: Annotated[
        bool, typer.Option("--trainings", help="Only what `tunewise train` runs.")
    ] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    json: Json = False,
) -> None:
    """List the studies and the trainings of a storage."""
    from tunewise.cli.studies.stored_study import opened
    from tunewise.cli.training.stored import print_trainings, training_names, training_row

    with opened(storage, namespace) as store:
        rows = [] if trainings else [_row(store, each) for each in reversed(store.studies())]
        # Machines were told of studies alone before there were trainings.
        asked = trainings or not json
        runs = [training_row(store, each) for each in training_names(store)] if asked else []
    if json:
        print_json(runs if trainings else rows)
        return
    if not rows and not runs:
        what = "trainings" if trainings else "studies or trainings"
        tune = "" if trainings else "`tunewise tune job.yaml` or "
        print(f"no {what} yet; {tune}`tunewise train job.yaml` makes one")
        return
    if rows:
        _print(rows)
    if rows and runs:
        print()
    if runs:
        print_trainings(runs)


def _row(store: "Store", record: "StudyRecord") -> dict[str, Any]:
    from tunewise.errors import TunewiseError
    from tunewise.job.loading import problem_of
    from tunewise.study.presence import presences

    history = store.history(record.name)
    present = presences(store, record, history)
    row: dict[str, Any] = {
        "name": record.name,
        "created_at": record.created_at,
        "strategy": record.strategy.get("name"),
        "trials": len(history),
        "complete": len(history.complete),
        "failed": len(history.failed),
        "running": sum(len(each.trials) for each in present if each.alive),
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
