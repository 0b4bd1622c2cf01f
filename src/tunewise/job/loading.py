"""Stored studies without the code that made them."""

from pathlib import Path

from tunewise.errors import StorageError, StudyError, TunewiseError, answering
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.problem.changes import differences
from tunewise.storage.secrets import redacted
from tunewise.study import Store, Study, StudyRecord
from tunewise.study.folders import sqlite_file
from tunewise.study.opening import open_store

DEFAULT = "sqlite:///tunewise.db"
"""The storage of commands that are told of none: a file in this folder."""


@answering("tunewise.load_study", StudyError, {"study_name": "name={}"})
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
    if "://" in name and "://" not in str(storage):
        raise StudyError(
            f"the study is called {redacted(name)!r}; expected load_study(storage, name)"
        )
    store = stored(storage, namespace)
    try:
        record = store.load(name)
        problem = problem_of(record)
        if not record.noted.problems:
            _refuse_strange(problem, store.history(name))
        url = None if isinstance(storage, Store) else str(storage)
        return Study.of_record(store, record, problem, url, lease)
    except TunewiseError:
        if not isinstance(storage, Store):
            store.close()
        raise


def stored(storage: str | Path | Store, namespace: str | None = None) -> Store:
    """The store behind a URL, which must be there already, with the studies of a namespace."""
    file = None if isinstance(storage, Store) else sqlite_file(str(storage))
    if file is not None and not file.exists():
        where = f"at {redacted(str(file))!r}" if file.name != str(file) else "in this folder"
        raise StorageError(
            f"there is no storage {redacted(file.name)!r} {where}; `tunewise tune` makes one,"
            " --storage names another"
        )
    return open_store(storage, namespace)


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


def _refuse_strange(problem: Problem, history: History) -> None:
    """Refuse trials of other parameters than the problem's: nobody could make sense of them."""
    names, conditional = set(problem.space.names), problem.space.activity.conditional
    for trial in history:
        if not (names.issuperset(trial.config) if conditional else names == set(trial.config)):
            raise StorageError(
                f"the store is damaged: trial {trial.number} has the parameters"
                f" {', '.join(trial.config) or 'none'}; expected {', '.join(problem.space.names)}"
            )
