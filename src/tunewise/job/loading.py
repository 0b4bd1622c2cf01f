"""Stored studies without the code that made them."""

from pathlib import Path

from tunewise.errors import StorageError, TunewiseError
from tunewise.problem import Problem
from tunewise.problem.changes import differences
from tunewise.storage.secrets import redacted
from tunewise.study import Store, Study, StudyRecord
from tunewise.study.folders import sqlite_file
from tunewise.study.opening import open_store


def load_study(
    storage: str | Path | Store,
    name: str,
    *,
    namespace: str | None = None,
    lease: float = 60.0,
) -> Study:
    """A stored study, to look at or to go on with.

    Its problem is made again from its job file or from its description. Functions that only the
    original code knows (`where` over a continuum, `price`) are gone; whatever needs one says so.

    Raises:
        StudyError: There is no study of this name.
        StorageError: The store cannot be opened or read.
    """
    url = str(storage) if isinstance(storage, str | Path) else None
    file = None if url is None else sqlite_file(url)
    if file is not None and not file.exists():
        raise StorageError(
            f"there is no storage at {redacted(str(file))!r}, so no study {name!r} to load;"
            " expected the storage that the study was made with"
        )
    store = open_store(storage, namespace)
    record = store.load(name)
    return Study.of_record(store, record, problem_of(record), url, lease)


def problem_of(record: StudyRecord) -> Problem:
    """The problem of a stored study: from its job file's text, or from its description."""
    described, job = record.current_problem, record.noted.job
    if job is not None:
        from tunewise.job.jobfile import parse

        try:
            problem = parse(job.text, Path(job.path), job.changes).problem
        except TunewiseError:
            # A catalogue that it names is gone, or its study is older than the words it uses.
            return Problem.from_description(described)
        if not differences(described, problem.describe()):
            return problem
    return Problem.from_description(described)
