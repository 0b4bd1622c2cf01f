"""`tunewise task train`: train here and now."""

from typing import Annotated

import typer

from tunewise.cli.options import Json, Namespace, Server, Storage, print_json
from tunewise.cli.task.narration import narrated, waiting
from tunewise.cli.task.opened import TaskName, reached
from tunewise.errors import NotReady, TaskError


def train(
    task: TaskName,
    seconds: Annotated[
        float, typer.Option(metavar="NUMBER", help="How long; 0: until all candidates are trained.")
    ] = 60.0,
    most: Annotated[
        int | None,
        typer.Option("--models", metavar="N", min=1, help="End after so many models."),
    ] = None,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, help="Trainings at once, one core each.")
    ] = 1,
    rule: Annotated[str, typer.Option(metavar="NAME", help="Of the scheduler.")] = "hybrid",
    retrain: Annotated[bool, typer.Option("--retrain", help="Train all candidates again.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only the result.")] = False,
    storage: Storage = None,
    namespace: Namespace = None,
    server: Server = None,
    json: Json = False,
) -> None:
    """Train candidates of a task for a while; the best one serves at once.

    A service trains by itself, as its scheduler says: with --server this waits for it.
    """
    from tunewise.declarative.task import Task

    found = reached(task, storage, namespace, server)
    if isinstance(found, Task):
        with narrated(quiet or json) as hear:
            count = found.train(
                seconds or None, models=most, workers=workers, rule=rule, retrain=retrain, hear=hear
            )
    else:
        if workers != 1 or rule != "hybrid" or retrain:
            raise TaskError("--workers, --rule and --retrain are the service's; leave them out")
        with waiting("the service trains"):
            count = found.wait(seconds or None, models=most)
        if not count:
            typer.echo(f"no model was trained meanwhile: {found.outlook()}", err=True)
    try:
        quality = found.quality
    except NotReady as error:
        raise NotReady(f"{count} models were trained, none of which can serve: {error}") from None
    best = next(model for model in found.models() if model.serves)
    if json:
        print_json(
            {
                "trained": count,
                "model": best.name,
                "quality": quality.value,
                "low": quality.low,
                "high": quality.high,
                "baseline": quality.baseline,
            }
        )
        return
    typer.echo(f"{best.name} serves: {quality}")
