"""`tunewise task refine`: look at examples, and turn them on and off."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, console, print_json
from tunewise.cli.task.narration import waiting
from tunewise.cli.task.opened import TaskName, reached

if TYPE_CHECKING:
    from tunewise.declarative.task import Task
    from tunewise.service.client import RemoteTask

Ids = list[str] | None


def refine(
    task: TaskName,
    off: Annotated[
        Ids, typer.Option(metavar="ID|RULE", help='Turn off, such as e17 or "label == cat".')
    ] = None,
    on: Annotated[Ids, typer.Option(metavar="ID|RULE", help="Turn on again.")] = None,
    right: Annotated[
        Ids, typer.Option(metavar="ID", help="The label is right: suspect it no more.")
    ] = None,
    suspects: Annotated[
        bool, typer.Option("--suspects", help="Show what is worth a look.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back the last change.")] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Show all examples, or turn some of them on and off; nothing is ever deleted."""
    found = reached(task, storage, namespace, server)
    if right:
        found.confirm(_ids(right))
        count = len(set(_ids(right)))
        labels = "label is" if count == 1 else "labels are"
        typer.echo(f"{count} {labels} taken for right, and suspected no more", err=True)
    if suspects:
        _suspects(found, json)
    elif off or on or undo:
        _change(found, off or [], on or [], undo, json)
    elif not right:
        _list(found, json)


def _change(
    task: "Task | RemoteTask", off: list[str], on: list[str], undo: bool, json: bool
) -> None:
    done = task.refine(_meant(off), _meant(on), undo=undo)
    if json:
        print_json(asdict(done))
        return
    if not done.on and not done.off:
        typer.echo("nothing was changed: the examples that are meant were so already")
        return
    now_off, now_on = len(done.off), len(done.on)
    which = "example is" if now_off == 1 else "examples are"
    typer.echo(f"{now_off} {which} off, {now_on} {'is' if now_on == 1 else 'are'} on since now")
    if done.before is not None and done.after is not None:
        typer.echo(
            f"quality of the model that serves: {done.before:.3f} before, {done.after:.3f}"
            " on what is on now; training again may change more"
        )


def _meant(said: list[str]) -> list[str] | str:
    """Ids as they are, a rule as it is written."""
    if len(said) == 1 and any(mark in said[0] for mark in " =<>"):
        return said[0]
    return _ids(said)


def _ids(said: list[str]) -> list[str]:
    return [id for each in said for id in each.split(",") if id]


def _suspects(task: "Task | RemoteTask", json: bool) -> None:
    with waiting("training models that tell wrong labels"):
        found = task.suspects()
    if json:
        print_json([asdict(each) for each in found])
        return
    if found:
        typer.echo("id\tkind\tscore\tpart\tsource\twhy", err=True)
    for each in found:
        told = (each.id, each.kind, f"{each.score:.2f}", each.part, each.source, each.why)
        typer.echo("\t".join(told))
    typer.echo(f"{len(found)} examples are worth a look; nothing was changed", err=True)


def _list(task: "Task | RemoteTask", json: bool) -> None:
    examples = task.examples()
    if json:
        print_json([asdict(each) for each in examples])
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("id", "on", "label", "part", "fed", "source"):
        table.add_column(name)
    for each in examples:
        fed = datetime.fromtimestamp(each.fed, UTC).strftime("%Y-%m-%d %H:%M")
        on = "on" if each.on else "off"
        table.add_row(each.id, on, each.label or "", each.part, fed, each.source)
    console().print(table)
