"""Measures a grid from the command line: what is read, shown and written."""

from functools import partial
from pathlib import Path

import typer

from tunewise.benchmark.grid import (
    Collection,
    Kept,
    alone,
    fingerprint,
    planned,
    snapshots_beside,
    write_tables,
)
from tunewise.cli.exit_codes import complain, resumable, warned
from tunewise.job.jobfile import JobFile, load
from tunewise.job.tuning.places import refuse_unwritable
from tunewise.job.workload import check, executor, refuse_missing, workload
from tunewise.problem import quantity
from tunewise.report.terminal.collecting import CollectingProgress
from tunewise.study import Job


def collected(
    job: Path, output: Path | None, repeats: int, parallel: int, timeout: str | None, *, quiet: bool
) -> None:
    """Measure what is left of the grid, and write the tables."""
    file = load(job, {"parallel": parallel}, (check,))
    work = workload(file)
    refuse_missing(work)
    path = output or Path(f"{file.name}.csv")
    refuse_unwritable(path, what="table", expected="a CSV file")
    beside = path.with_name(f"{path.name}.runs")
    for place in (snapshots_beside(path), beside):
        refuse_unwritable(place, what="file", expected="one to write to")
    runs = planned(file.problem, repeats)
    path.parent.mkdir(exist_ok=True)
    with alone(beside):
        kept = Kept(beside)
        kept.belong_to(fingerprint(file))
        collection = Collection(file.problem, runs, kept)
        _measure(file, work, collection, path, parallel, timeout, quiet=quiet)
        _conclude(collection, path, write_tables(path, runs, kept))


def _measure(
    file: JobFile,
    work: Job,
    collection: Collection,
    path: Path,
    parallel: int,
    timeout: str | None,
    *,
    quiet: bool,
) -> None:
    limit = file.fields.trial_timeout
    say = None if quiet else partial(typer.echo, err=True)
    progress = CollectingProgress(collection, parallel, say)
    with warned(executor(file, parallel, work)) as pool:
        pool.prepare(work)

        def interrupted() -> str:
            write_tables(path, collection.runs, collection.kept)
            return "; what was measured is kept"

        with resumable(interrupted):
            collection.run(
                work,
                pool,
                parallel=parallel,
                limit=None if limit is None else quantity(limit, "time"),
                until=None if timeout is None else pool.now() + quantity(timeout, "time"),
                told=progress.told,
            )


def _conclude(collection: Collection, path: Path, beside: Path | None) -> None:
    also = f", what they passed on their way in {beside}" if beside else ""
    typer.echo(f"{collection.done} of {len(collection.runs)} runs are in {path}{also}")
    if collection.failed:
        complain(f"{collection.failed} runs failed: the column completed says where")
    if collection.open:
        typer.echo("the time was over: run the same command again to go on")
