"""`tunewise task work`: train for all tasks of a store."""

from typing import TYPE_CHECKING, Annotated

import typer

from tunewise.cli.options import Storage
from tunewise.cli.task.narration import narrated, say_left_out
from tunewise.cli.task.opened import url_of

if TYPE_CHECKING:
    from tunewise.execution import TrialExecutor


def work(
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Trainings at once, one core each.")
    ] = 1,
    one_device: Annotated[
        bool,
        typer.Option("--one-device", help="One training at a time, with a thread on every core."),
    ] = False,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Train on this Ray cluster, such as auto.", show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="End after so long.", show_default=False),
    ] = None,
    rule: Annotated[str, typer.Option(metavar="NAME", help="Of the scheduler.")] = "hybrid",
    once: Annotated[
        bool, typer.Option("--once", help="End when nothing is left to train.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only the result.")] = False,
    storage: Storage = None,
) -> None:
    """Train what the scheduler picks, for all tasks of a storage; several may run at once."""
    from tunewise.declarative.schema import parse
    from tunewise.declarative.training.prior import prior_of
    from tunewise.declarative.training.work import Work, cores
    from tunewise.storage.tasks import open_tasks
    from tunewise.storage.tasks.opening import files_beside

    url = url_of(storage)
    store = open_tasks(url)
    threads = cores() if one_device else 1
    try:
        say_left_out(*(parse(task.program) for task in store.everyone()))
        with narrated(quiet) as hear:
            made = Work(
                store,
                url,
                files_beside(url),
                workers=1 if one_device else workers,
                threads=threads,
                rule=rule,
                log=lambda: prior_of(store),
                hear=hear,
                executor=None if ray is None else _cluster(ray, workers, threads),
            )
            count = made.run(seconds, forever=not once)
    finally:
        store.close()
    typer.echo(f"{count} models were trained")


def _cluster(address: str, workers: int, threads: int) -> "TrialExecutor":
    from tunewise.errors import optional
    from tunewise.execution.ray import RayExecutor

    optional("ray", extra="ray")
    return RayExecutor(workers, address=address, resources={"CPU": threads})
