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
from tunewise.cli.exit_codes import Interrupted, complain, terminable, warned
from tunewise.cli.tuning.run import again
from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.history import Failure
from tunewise.job.jobfile import JobFile, load
from tunewise.job.tuning.places import refuse_unwritable
from tunewise.job.workload import check, executor, workload
from tunewise.problem import quantity
from tunewise.report.terminal.collecting import CollectingProgress
from tunewise.study import Job


def collected(
    job: Path, output: Path | None, repeats: int, parallel: int, timeout: str | None, *, quiet: bool
) -> None:
    """Measure what is left of the grid, and write the tables."""
    file = load(job, {"parallel": parallel}, (check,))
    work = workload(file)
    if isinstance(work, Command) and (missing := work.missing_program()):
        raise ExecutionError(missing)
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
        try:
            with terminable():
                collection.run(
                    work,
                    pool,
                    parallel=parallel,
                    limit=None if limit is None else quantity(limit, "time"),
                    until=None if timeout is None else pool.now() + quantity(timeout, "time"),
                    told=progress.told,
                )
        except KeyboardInterrupt:
            write_tables(path, collection.runs, collection.kept)
            raise Interrupted(
                f"interrupted; what was measured is kept. Go on with: {again()}"
            ) from None


def _conclude(collection: Collection, path: Path, beside: Path | None) -> None:
    left = len(collection.open)
    failed = sum(
        isinstance(collection.kept[run].outcome, Failure)
        for run in collection.runs
        if run in collection.kept
    )
    also = f", what they passed on their way in {beside}" if beside else ""
    typer.echo(f"{len(collection.runs) - left} of {len(collection.runs)} runs are in {path}{also}")
    if failed:
        complain(f"{failed} runs failed: the column completed says where")
    if left:
        typer.echo("the time was over: run the same command again to go on")
