"""Joins a study that another process, perhaps on another machine, began."""

import os
from pathlib import Path
from typing import Any

from tunewise.cli.exit_codes import warned
from tunewise.cli.studies import stored_study
from tunewise.cli.tuning import json_lines, messages
from tunewise.cli.tuning.run import interruptible, limits, refuse_nothing
from tunewise.cli.tuning.terminal_progress import TerminalProgress
from tunewise.errors import ExecutionError, StudyError
from tunewise.execution import Command
from tunewise.job.jobfile import JobFile, parse
from tunewise.job.kept import environment
from tunewise.job.workload import check, executor, workload
from tunewise.study import Study, StudyRecord
from tunewise.study.folders import trials_folder


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
    url = storage or stored_study.DEFAULT
    with stored_study.opened(storage, namespace) as store:
        record = store.load(name)
    file = job_file(record, changes, folder)
    work = workload(file)
    if isinstance(work, Command) and (missing := work.missing_program()):
        raise ExecutionError(missing)
    with warned(executor(file, file.fields.parallel, work)) as pool:
        # Before there are connections and threads, which a worker must not inherit.
        pool.prepare(work)
        with Study(file.problem, storage=url, name=name, namespace=namespace) as study:
            fields = file.fields
            show = not (quiet or json)
            progress = TerminalProgress(study, fields.trials, fields.timeout, show=show)
            with interruptible(study):
                study.optimize(
                    work,
                    **limits(fields),
                    callbacks=[json_lines.print_told] if json else [],
                    executor=pool,
                    folder=place(url, record),
                    progress=progress,
                )
            kept = stored_study.StoredStudy(
                study.store, study.store.load(name), study.problem, study.history
            )
            if json:
                json_lines.print_end(kept, None)
            else:
                where = messages.options(url, namespace)
                messages.print_end(kept, where, None, seen=progress.all_seen)
    refuse_nothing(kept)


def job_file(record: StudyRecord, changes: dict[str, Any], folder: Path | None) -> JobFile:
    """The study's own job file, as if it were in the folder.

    Without one it is taken to be where it was, or in this folder where there is no such place.
    """
    job = record.noted.job
    if job is None:
        raise StudyError(
            f"study {record.name!r} was not made from a job file; join it from Python:"
            f" tunewise.Study(problem, storage=..., name={record.name!r}).optimize(job)"
        )
    there = Path(job.path).parent
    here = folder or (there if there.is_dir() else Path.cwd())
    path = here / Path(job.path).name
    said = {**job.changes, "name": record.name, **changes}
    if job.withheld:
        env = environment(record.name, job, path)
        said["env"] = {**parse(job.text, path).fields.env, **env}
    return parse(job.text, path, said, (check,))


def place(url: str, record: StudyRecord) -> str:
    """Where this machine keeps logs and results: with those of the first, if they are here."""
    noted = record.noted.folder
    if noted is not None and os.access(noted, os.W_OK):
        return noted
    return str(trials_folder(url, record))
