"""Runs, resumes or plans the study of a job file."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import typer

from tunewise.cli.exit_codes import FAILED, INFEASIBLE, Interrupted, complain, notice, warned
from tunewise.cli.report import refuse_unwritable, write
from tunewise.cli.studies import stored_study
from tunewise.cli.tuning import json_lines, messages
from tunewise.cli.tuning.terminal_progress import TerminalProgress
from tunewise.errors import ExecutionError, StudyError
from tunewise.execution import Command
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.fields import JobFields
from tunewise.job.jobfile import LONGEST_NAME, JobFile, load
from tunewise.job.kept import kept_text
from tunewise.job.notices import notices
from tunewise.job.workload import check, executor, workload
from tunewise.problem import Problem
from tunewise.space import Choice, Space
from tunewise.storage import open_store
from tunewise.storage.secrets import stated
from tunewise.strategy import StrategySpec
from tunewise.study import Store, Study
from tunewise.study.folders import sqlite_file, trials_folder, within
from tunewise.study.opening import Opening
from tunewise.study.record import Notes
from tunewise.study.store import checked_namespace
from tunewise.study.warm_start import gathered, refuse_other, sources


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
    _check(changes)
    if storage is not None:
        stored_study.refuse_unknown_store(storage)
    file = load(job, changes, (check, _check_places))
    work = workload(file)
    url = place(file, storage)
    page = report or (file.within(file.fields.report) if file.fields.report else None)
    if page is not None:
        refuse_unwritable(page)
    pool = executor(file, file.fields.parallel, work)
    missing = pool.missing() or (isinstance(work, Command) and work.missing_program())
    for sentence in notices(file, work):
        notice(sentence)
    if dry_run:
        _check_warm_start(file, url)
        messages.print_plan(file, url, _resumed(file, url, on_change))
        if missing:
            complain(f"{missing}: as it is, no trial can run on this machine")
        return
    if missing:
        raise ExecutionError(missing)
    with warned(pool):
        # Before there are connections and threads, which a worker must not inherit.
        pool.prepare(work)
        with _study(file, changes, url, on_change) as study:
            progress = TerminalProgress(
                study, file.fields.trials, file.fields.timeout, show=not (quiet or json)
            )
            with interruptible(study):
                study.optimize(
                    work,
                    **limits(file.fields),
                    callbacks=[json_lines.print_told] if json else [],
                    executor=pool,
                    folder=study.store.load(study.name).noted.folder,
                    progress=progress,
                )
            kept = stored_study.StoredStudy(
                study.store, study.store.load(study.name), study.problem, study.history
            )
            if page is not None:
                write(kept, page)
            if json:
                json_lines.print_end(kept, page)
            else:
                where = messages.options(url, file.fields.namespace)
                messages.print_end(kept, where, page, seen=progress.all_seen)
    refuse_nothing(kept)


def limits(fields: JobFields) -> dict[str, Any]:
    """How the run goes on and when it ends, as `Study.optimize` takes it."""
    return {
        "trials": fields.trials,
        "timeout": fields.timeout,
        "parallel": fields.parallel,
        "target": fields.target,
        "min_gain": fields.min_gain,
        "min_trials": fields.min_trials,
        "trial_timeout": fields.trial_timeout,
        "retries": fields.retries,
    }


def refuse_nothing(kept: stored_study.StoredStudy) -> None:
    """Without a measurement, or within the limits, there is no answer: the exit code says so."""
    if not len(kept.history.complete):
        complain(messages.nothing_measured(kept))
        raise typer.Exit(FAILED)
    if kept.infeasible is not None:
        raise typer.Exit(INFEASIBLE)


def place(file: JobFile, storage: str | None) -> str:
    """The URL of the storage: as asked for, as the job file says, or in this folder."""
    if storage is not None:
        return storage
    said = file.fields.storage
    if said is None:
        return stored_study.DEFAULT
    said = stated(said, file.folder)
    path = sqlite_file(said)
    return said if path is None else f"sqlite:///{file.folder / path}"


@contextmanager
def _study(file: JobFile, changes: dict[str, Any], url: str, on_change: str) -> Iterator[Study]:
    opened = Study(
        file.problem,
        file.strategy,
        file.fields.seed,
        storage=url,
        name=file.name,
        namespace=file.fields.namespace,
        warm_start=file.fields.warm_start,
        on_change=_chosen(on_change),
    )
    with opened as study:
        folder = study.record.noted.folder or str(trials_folder(url, study.record))
        notes = Notes(folder=folder, job=kept_text(file.path, file.text, changes))
        study.store.annotate(study.name, notes.changed("folder", "job"))
        yield study


def _chosen(on_change: str) -> Literal["refuse", "new problem"]:
    """The option as the API calls it."""
    return "new problem" if on_change == "new-problem" else "refuse"


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM is Ctrl-C."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def interruptible(study: Study) -> Iterator[None]:
    """An interruption says how to go on."""
    try:
        with terminable():
            yield
    except KeyboardInterrupt:
        done = stored_study.ended(study.history)
        notes = Notes(stopped="interrupted by a person")
        study.store.annotate(study.name, notes.changed("stopped"))
        raise Interrupted(
            f"interrupted after {done} trials; what was told is kept. Go on with:"
            f" {messages.again()}"
        ) from None


def _check_places(
    fields: JobFields, folder: Path, space: Space | None, diagnostics: Diagnostics
) -> None:
    """What the file says about where results go."""
    with diagnostics.at("storage"):
        if fields.storage is not None:
            stored_study.refuse_unknown_store(stated(fields.storage, folder))
    with diagnostics.at("namespace"):
        if fields.namespace is not None:
            checked_namespace(fields.namespace)
    with diagnostics.at("report"):
        if fields.report is not None:
            refuse_unwritable(within(folder, fields.report))


def _opened(file: JobFile, url: str | None) -> Store:
    """The store with the studies of the job file's namespace."""
    store, namespace = open_store(url), file.fields.namespace
    return store if namespace is None else store.within(namespace)


def _resumed(file: JobFile, url: str, on_change: str) -> messages.Resumed | None:
    """What a run would go on from, refused as the run would be; None for a new study."""
    path = sqlite_file(url)
    if path is not None and not path.exists():
        return None
    store = _opened(file, url)
    try:
        if file.name not in (record.name for record in store.studies()):
            return None
        opening = Opening(file.problem, file.strategy, file.fields.seed, {}, _chosen(on_change))
        anew = opening.poses_anew(store.load(file.name))
        return messages.Resumed(stored_study.ended(store.history(file.name)), anew)
    finally:
        store.close()


def _check_warm_start(file: JobFile, url: str) -> None:
    """Refuse studies to learn from as a run would, and make no storage for that."""
    wanted, path = sources(file.fields.warm_start), sqlite_file(url)
    if not wanted:
        return
    store = _opened(file, None if path is not None and not path.exists() else url)
    try:
        if file.name in (record.name for record in store.studies()):
            refuse_other(store.load(file.name), wanted)
        else:
            gathered(store, file.problem, file.name, wanted)
    finally:
        store.close()


def _check(changes: dict[str, Any]) -> None:
    """Refuse wrong options by themselves, not as if the job file had said them."""
    if len(changes.get("name", "")) > LONGEST_NAME:
        raise StudyError(
            f"the name has {len(changes['name'])} characters; expected at most {LONGEST_NAME}"
        )
    if "strategy" in changes:
        StrategySpec.of(changes["strategy"])
    if "budget" in changes:
        Problem(Space(Choice("any", [0])), minimize="cost", budget=changes["budget"])
    if "min_gain" in changes:
        from tunewise.study.run.stopping import least_gain

        least_gain(changes["min_gain"])
    if "timeout" in changes:
        from tunewise.study.run.settings import Settings

        Settings.of(
            trials=None,
            timeout=changes["timeout"],
            parallel=1,
            target=None,
            min_gain=None,
            min_trials=None,
            trial_timeout=None,
            stop=(),
            callbacks=(),
            folder=None,
        )
