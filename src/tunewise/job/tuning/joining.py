"""The job file of a study that another process, perhaps on another machine, began."""

import os
from pathlib import Path
from typing import Any

from tunewise.errors import StudyError
from tunewise.job.jobfile import JobFile, parse
from tunewise.job.kept import environment
from tunewise.job.workload import check
from tunewise.study import StudyRecord
from tunewise.study.folders import trials_folder


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


def folder_here(url: str, record: StudyRecord) -> str:
    """Where this machine keeps logs and results: with those of the first, if they are here."""
    noted = record.noted.folder
    if noted is not None and os.access(noted, os.W_OK):
        return noted
    return str(trials_folder(url, record))
