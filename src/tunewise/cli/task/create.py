"""`tunewise task create`: declare a task."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, console, given, print_json
from tunewise.cli.task.narration import say_left_out, waiting
from tunewise.cli.task.opened import (
    TaskName,
    end_if_nothing_fits,
    say_fed,
    say_how_to_train,
    url_of,
)
from tunewise.errors import TaskError

if TYPE_CHECKING:
    from tunewise.declarative.task import Task
    from tunewise.declarative.task.told import Fed
    from tunewise.service.client import RemoteTask


def create(
    task: TaskName,
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="PROGRAM",
            help='What goes in and what comes out, such as "image(28, 28) -> 10 classes".',
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="Propose the program from these data."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column with the answer.")
    ] = None,
    latency: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="The longest that an answer may take.")
    ] = None,
    weight: Annotated[
        float, typer.Option(metavar="NUMBER", help="How much it counts on a shared machine.")
    ] = 1.0,
    private: Annotated[
        bool,
        typer.Option("--private", help="Later tasks learn nothing from how its models did."),
    ] = False,
    quota: Annotated[
        int | None,
        typer.Option(metavar="BYTES", min=1, help="That its examples and models may take."),
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Learning rates of networks: slices, paper or adam."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--word-vectors", metavar="FILE", help="For texts, in GloVe's format."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Declare a task; with --from nobody has to write a program, and the data are fed too."""
    if (program is None) == (data is None):
        raise TaskError('say what goes in and out ("table(20) -> number"), or give --from DATA')
    proposed = program if data is None else _proposed(data, label, yes, json)
    settings: dict[str, Any] = {"label": label, "latency": latency, "weight": weight}
    settings["shared"] = not private
    settings |= given(quota=quota, rates=rates, vectors=vectors)
    made = _declared(task, proposed, settings, storage, namespace, server)
    fed = None
    if data is not None:
        with waiting(f"reading {data.name}"):
            fed = made.feed(data)
    _say(made, fed, json)
    if fed is not None:
        _end(task, fed, server is not None or json)


def _say(made: "Task | RemoteTask", fed: "Fed | None", json: bool) -> None:
    if json:
        counts = None if fed is None else {"added": fed.added, "refused": len(fed.refused)}
        print_json({"task": made.name, "program": str(made.program), "fed": counts})
        return
    typer.echo(f"task {made.name!r}: {made.program}")
    say_left_out(made.program)
    if fed is not None:
        say_fed(fed)


def _end(task: str, fed: "Fed", quiet: bool) -> None:
    """Say what to do next, unless nothing fits."""
    end_if_nothing_fits(fed)
    if not quiet:
        say_how_to_train([task])


def _declared(
    name: str,
    program: str | None,
    settings: dict[str, Any],
    storage: str | None,
    namespace: str | None,
    server: str | None,
) -> "Task | RemoteTask":
    if server is not None:
        from tunewise.service.client import Client

        return Client(server).task(name, program, **settings)
    from tunewise.declarative.task import Task

    place = url_of(storage)
    return Task(program, name=name, storage=place, namespace=namespace or "", **settings)


def _proposed(data: Path, label: str | None, yes: bool, json: bool) -> str:
    """The program of the data, once a person agrees to it."""
    from tunewise.declarative.proposal import propose

    proposal = propose(data, label)
    if json:
        return str(proposal.program)
    out = console()
    if not yes:
        out.print(f"proposed: {proposal.program}")
    for note in proposal.notes:
        out.print(f"  {note}")
    if yes:
        return str(proposal.program)
    for shown, answer in proposal.shown:
        out.print(f"  {shown}  ->  {answer}")
    try:
        agreed = typer.confirm("Declare the task so?", err=True)
    except typer.Abort:
        raise TaskError("add --yes to agree to this program, or write one") from None
    if not agreed:
        raise typer.Exit(1)
    return str(proposal.program)
