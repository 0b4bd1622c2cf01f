"""Measures a grid from the command line: what is read, shown and written."""

import shlex
import sys
import time
from pathlib import Path

import typer

from tunewise.benchmark.grid import (
    Collection,
    Kept,
    Run,
    alone,
    fingerprint,
    planned,
    snapshots_beside,
    write_tables,
)
from tunewise.cli.exit_codes import Interrupted, complain, warned
from tunewise.cli.report import refuse_unwritable
from tunewise.cli.tuning.run import terminable
from tunewise.errors import ExecutionError
from tunewise.execution import Command
from tunewise.format import config as one_line
from tunewise.format import duration, measured, share_of_data
from tunewise.history import Failure, Outcome
from tunewise.job.jobfile import JobFile, load
from tunewise.job.workload import check, executor, workload
from tunewise.problem import KNOWN, Metric, quantity
from tunewise.study import Job

_PAUSE = 30.0
"""Seconds between lines of progress."""


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
    progress = _Progress(collection, parallel, quiet)
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
            again = shlex.join(["tunewise", *sys.argv[1:]])
            raise Interrupted(
                f"interrupted; what was measured is kept. Go on with: {again}"
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


class _Progress:
    """Says now and then how far it is, and how long it will take."""

    def __init__(self, collection: Collection, parallel: int, quiet: bool) -> None:
        self._collection, self._parallel = collection, parallel
        self._next = float("inf") if quiet else 0.0

    def told(self, run: Run, outcome: Outcome) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _PAUSE
        everything = len(self._collection.runs)
        done = everything - len(self._collection.open)
        left = (self._collection.seconds_left or 0.0) / self._parallel
        what = f"{one_line(run.config)} at {share_of_data(run.fraction)}"
        typer.echo(
            f"{done} of {everything} runs, about {duration(left)} left; {what}: {_said(outcome)}",
            err=True,
        )


def _said(outcome: Outcome) -> str:
    if isinstance(outcome, Failure):
        return f"failed: {outcome.reason.splitlines()[0]}"
    shown = (f"{k} {measured(KNOWN.get(k, Metric(k)), v)}" for k, v in outcome.metrics.items())
    return ", ".join(shown)
