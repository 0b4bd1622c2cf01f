"""Runs, resumes, joins or plans the study of a job file."""

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import typer

from tunewise.cli.exit_codes import FAILED, INFEASIBLE, complain, notice, resumable, warned
from tunewise.cli.options import console, opened, print_json, say
from tunewise.errors import ExecutionError, StudyError
from tunewise.execution import Command, TrialExecutor
from tunewise.history import Trial
from tunewise.job.jobfile import JobFile, load
from tunewise.job.listing import as_listed
from tunewise.job.loading import DEFAULT
from tunewise.job.notices import notices
from tunewise.job.tuning import opening
from tunewise.job.tuning.joining import folder_here, job_file
from tunewise.job.tuning.places import (
    check_places,
    refuse_unknown_store,
    refuse_unwritable,
    storage_of,
)
from tunewise.job.tuning.plan import plan
from tunewise.job.workload import check, check_here, executor, refuse_missing, workload
from tunewise.report.export import ended, told
from tunewise.report.file import write
from tunewise.report.terminal.lines import facts
from tunewise.report.terminal.progress import TerminalProgress
from tunewise.report.terminal.tuning import ending, nothing_measured
from tunewise.storage.secrets import redacted
from tunewise.study import Job, Study
from tunewise.study.record import Notes
from tunewise.study.stored import StoredStudy


def run(
    job: Path,
    changes: dict[str, Any],
    storage: str | None,
    report: Path | None,
    *,
    json: bool,
    quiet: bool,
    dry_run: bool,
    on_change: str = "refuse",
) -> None:
    """Run, resume or (dry) only plan the study of a job file."""
    opening.check_changes(changes)
    change: opening.OnChange = "new problem" if on_change == "new-problem" else "refuse"
    if storage is not None:
        refuse_unknown_store(storage)
    file = load(job, changes, (check, check_places, check_here))
    work = workload(file)
    url = storage_of(file, storage)
    page = report or (file.within(file.fields.report) if file.fields.report else None)
    if page is not None:
        refuse_unwritable(page)
    pool = executor(file, file.fields.parallel, work)
    missing = pool.missing() or (isinstance(work, Command) and work.missing_program())
    for sentence in notices(file, work):
        notice(sentence)
    if dry_run:
        say(facts(plan(file, url, opening.resumed(file, url, change), pool.shortest).items()))
        if missing:
            complain(f"{missing}: as it is, no trial can run on this machine")
        return
    if missing:
        raise ExecutionError(missing)
    with warned(pool):
        # Before there are connections and threads, which a worker must not inherit.
        pool.prepare(work)
        with opening.opened(file, changes, url, change) as study:
            seen = _optimize(study, file, work, pool, study.noted.folder, json=json, quiet=quiet)
            unwritten = _unwritten(study, page)
            page = None if unwritten else page
            _say_end(study, url, file.fields.namespace, page, json=json, seen=seen)
            if unwritten:
                raise unwritten


def _unwritten(study: StoredStudy, page: Path | None) -> StudyError | None:
    """Write the report: why that failed, which must not hide the answer."""
    try:
        if page is not None:
            write(study, page)
    except StudyError as error:
        return error
    return None


def join(
    storage: str | None,
    name: str,
    namespace: str | None,
    changes: dict[str, Any],
    folder: Path | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Work on a stored study until it ends, as the job file says that lies with it."""
    url = storage or DEFAULT
    with opened(storage, namespace) as store:
        name = as_listed(store, name)
        record = store.load(name)
    file = job_file(record, changes, folder)
    work = workload(file)
    refuse_missing(work)
    with warned(executor(file, file.fields.parallel, work)) as pool:
        pool.prepare(work)
        with Study(file.problem, storage=url, name=name, namespace=namespace) as study:
            where = folder_here(url, record)
            seen = _optimize(study, file, work, pool, where, json=json, quiet=quiet)
            _say_end(study, url, namespace, None, json=json, seen=seen)


def _optimize(
    study: Study,
    file: JobFile,
    work: Job,
    pool: TrialExecutor,
    folder: str | None,
    *,
    json: bool,
    quiet: bool,
) -> bool:
    """Run trials to the end: whether a person saw them all."""
    fields = file.fields
    progress = TerminalProgress(study, fields.trials, fields.timeout, show=not (quiet or json))
    with resumable(partial(_interrupted, study)):
        study.optimize(
            work,
            **opening.limits(fields),
            callbacks=[print_told] if json else [],
            executor=pool,
            folder=folder,
            progress=progress,
        )
    return progress.all_seen


def print_told(study: Study, trial: Trial) -> None:
    """A trial that ended, as a line of JSON."""
    print_json(told(study, trial), indent=None)


def _say_end(
    study: StoredStudy,
    url: str,
    namespace: str | None,
    page: Path | None,
    *,
    json: bool,
    seen: bool,
) -> None:
    """Tell how it ended; where there is no answer, the exit code says so too."""
    if json:
        report = None if page is None else str(page)
        print_json({**ended(study), "report": report}, indent=None)
    else:
        where = way_back(url, namespace)
        say(*ending(study, where, page, seen=seen and console().is_terminal))
    if not len(study.history.complete):
        complain(nothing_measured(study))
        raise typer.Exit(FAILED)
    if study.infeasible is not None:
        raise typer.Exit(INFEASIBLE)


def _interrupted(study: Study) -> str:
    """What a person ended, noted in the study."""
    notes = Notes(stopped="interrupted by a person")
    study.store.annotate(study.name, notes.changed("stopped"))
    return f" after {len(study.history.ended)} trials; what was told is kept"


def way_back(url: str, namespace: str | None) -> str:
    """What a command needs to find the study again, beside its name."""
    where = "" if url == DEFAULT else f" --storage {shlex.quote(redacted(url))}"
    return where + (f" --namespace {shlex.quote(namespace)}" if namespace else "")
