"""`tunewise task work`: train for all tasks of a store."""

from typing import Annotated

import typer

from tunewise.cli.options import Storage
from tunewise.cli.task.opened import narrate, url_of


def work(
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Trainings at once, one core each.")
    ] = 1,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="End after so long.", show_default=False),
    ] = None,
    rule: Annotated[str, typer.Option(metavar="NAME", help="Of the scheduler.")] = "hybrid",
    once: Annotated[
        bool, typer.Option("--once", help="End when nothing is left to train.")
    ] = False,
    storage: Storage = None,
) -> None:
    """Train what the scheduler picks, for all tasks of a storage; several may run at once."""
    from tunewise.declarative.schema import parse
    from tunewise.declarative.templates import match
    from tunewise.declarative.training.prior import prior
    from tunewise.declarative.training.work import Work
    from tunewise.storage.tasks import open_tasks
    from tunewise.storage.tasks.opening import files_beside

    url = url_of(storage)
    store = open_tasks(url)
    try:
        log = prior(sorted({match(parse(task.program)).name for task in store.everyone()}))
        made = Work(
            *(store, url, files_beside(url)), workers=workers, rule=rule, log=log, hear=narrate
        )
        count = made.run(seconds, forever=not once)
    finally:
        store.close()
    typer.echo(f"{count} models were trained")
