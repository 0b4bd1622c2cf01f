"""Studies as they lie in a storage: found, and made ready to be looked at."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tunewise.errors import StorageError, StrategyError, TunewiseError

if TYPE_CHECKING:
    from tunewise.history import History, Trial
    from tunewise.problem import Problem
    from tunewise.strategy import Recommendation
    from tunewise.study import Store, StudyRecord

DEFAULT = "sqlite:///tunewise.db"

_MARK = ".study"
"""The file that says to which study a folder belongs."""


@dataclass(frozen=True)
class Stored:
    """A study in a store, with its problem made again.

    Attributes:
        store: Where it lies.
        record: What is kept about it.
        problem: What is wanted.
        history: Its trials.
    """

    store: "Store"
    record: "StudyRecord"
    problem: "Problem"
    history: "History"

    @property
    def folder(self) -> Path | None:
        """Where logs and results of its trials are, if they are kept."""
        folder = self.record.notes.get("folder")
        return None if folder is None else Path(folder)

    def log(self, trial: "Trial") -> Path | None:
        """The trial's log, where there is one."""
        log = None if self.folder is None else self.folder / str(trial.number) / "log.txt"
        return log if log is not None and log.is_file() else None

    def recommend(self) -> "Recommendation | None":
        """The config to deploy; None while nothing is known."""
        from tunewise.strategy import Recommendation, StrategySpec

        noted = self.record.notes.get("recommended")
        if noted is not None and noted["after"] == ended(self.history):
            # What the run itself said: it knew functions that the storage cannot keep.
            return Recommendation.from_description(noted)
        strategy = StrategySpec.of(self.record.strategy).build(self.problem, self.record.seed)
        try:
            return strategy.recommend(self.history)
        except StrategyError:
            return None


def ended(history: "History") -> int:
    """How many trials have their final outcome."""
    return sum(not trial.state.pending for trial in history)


@contextmanager
def opened(storage: str | None) -> Iterator["Store"]:
    """The store behind a URL, which must be there already."""
    from tunewise.study.study import open_store

    url = storage or DEFAULT
    file = sqlite_file(url)
    if file is not None and not file.exists():
        where = "in this folder" if storage is None else f"at {str(file)!r}"
        raise StorageError(
            f"there is no storage {file.name!r} {where}; `tunewise tune` makes one, --storage"
            " names another"
        )
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def found(storage: str | None, study: str) -> Iterator[Stored]:
    """A study by name."""
    with opened(storage) as store:
        record = store.load(study)
        yield Stored(store, record, problem_of(record), store.history(study))


def problem_of(record: "StudyRecord") -> "Problem":
    """The problem of a stored study: from its job file's text, or from its description."""
    from tunewise.problem import Problem

    job = record.notes.get("job")
    if job is not None:
        from tunewise.cli.jobfile import parse

        try:
            problem = parse(job["text"], Path(job["path"]), job["changes"]).problem
        except TunewiseError:
            # A catalogue that it names is gone, or its study is older than the words it uses.
            return Problem.from_description(record.problem)
        if _same(problem.describe(), record.problem):
            return problem
    return Problem.from_description(record.problem)


def study_names(storage: str | None = None) -> list[str]:
    """All names in a storage; none where it cannot be read."""
    try:
        with opened(storage) as store:
            return [record.name for record in store.studies()]
    except TunewiseError:
        return []


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite storage, None for any other."""
    if "://" not in url:
        return Path(url).expanduser()
    scheme, _, path = url.partition(":///")
    return Path(path).expanduser() if scheme == "sqlite" and path else None


def trials_folder(url: str, record: "StudyRecord") -> Path:
    """A folder for logs and results of a study's trials, beside its storage, made at first call.

    It is named after the study. One that belongs to another study, of an odd name or in a storage
    that was deleted, is left alone: its results would be taken for those of this study.
    """
    file = sqlite_file(url) or Path("tunewise")
    base = Path(f"{file.absolute()}.runs")
    name = re.sub(r"[^\w.+-]", "_", record.name).lstrip(".")[:100] or "_"
    mark = f"{record.name}\n{record.created_at!r}\n"
    base.mkdir(parents=True, exist_ok=True)
    folders = (base / (name if i == 1 else f"{name}-{i}") for i in count(1))
    return next(folder for folder in folders if _taken(folder, mark))


def _taken(folder: Path, mark: str) -> bool:
    """Whether the folder is ours, now or since before: it appears together with our mark."""
    with TemporaryDirectory(prefix=".", dir=folder.parent) as passing:
        ours = Path(passing, "new")
        ours.mkdir()
        (ours / _MARK).write_text(mark, encoding="utf-8")
        try:
            ours.rename(folder)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
    found = folder / _MARK
    return found.is_file() and found.read_text(encoding="utf-8") == mark


def refuse_unknown_store(url: str) -> None:
    """Refuse a URL of a kind that no store is there for; nothing is opened."""
    from tunewise.study.study import STORES

    scheme, colon, _ = url.partition("://")
    kind = scheme.partition("+")[0]
    if colon:
        STORES.load("postgresql" if kind == "postgres" else kind)


def _same(described: dict[str, Any], recorded: dict[str, Any]) -> bool:
    """Whether two descriptions mean one problem; the budget may have been raised."""
    return {**described, "budget": None} == {**recorded, "budget": None}
