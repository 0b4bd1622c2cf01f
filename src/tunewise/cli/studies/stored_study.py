"""Studies as they lie in a storage: found, and made ready to be looked at."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.errors import StorageError, StrategyError, TunewiseError

if TYPE_CHECKING:
    from tunewise.benchmark.measures.reliability import Reliability
    from tunewise.history import History, Trial
    from tunewise.problem import Problem
    from tunewise.strategy import Recommendation, Strategy
    from tunewise.study import Store, StudyRecord
    from tunewise.study.infeasible import Infeasible
    from tunewise.study.presence import Presence

DEFAULT = "sqlite:///tunewise.db"


@dataclass(frozen=True)
class StoredStudy:
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
        folder = self.record.noted.folder
        return None if folder is None else Path(folder)

    @property
    def changes(self) -> list[str]:
        """From which trial on the problem was another one, a line for each change."""
        from tunewise.problem.changes import changes

        lines, before = [], self.record.problem
        for posed in self.record.noted.problems:
            said = "; ".join(changes(before, posed.problem))
            lines.append(f"from trial {posed.since} on: {said}")
            before = posed.problem
        return lines

    @property
    def presences(self) -> "list[Presence]":
        """Who works on it now, and whose process died at it."""
        from tunewise.study.presence import presences

        return presences(self.store, self.record, self.history)

    def log(self, trial: "Trial") -> Path | None:
        """The trial's log, where there is one."""
        log = None if self.folder is None else self.folder / str(trial.number) / "log.txt"
        return log if log is not None and log.is_file() else None

    @property
    def infeasible(self) -> "Infeasible | None":
        """Why nothing keeps the limits, where nothing does and nothing is expected to."""
        from tunewise.study.infeasible import infeasible

        best = self.recommend()
        if best is not None and best.feasible >= 0.5:
            return None
        return infeasible(self.problem, self.history)

    def recommend(self) -> "Recommendation | None":
        """The config to deploy; None while nothing is known."""
        from tunewise.strategy import Recommendation

        noted = self.record.noted
        if noted.recommended is not None and noted.recommended_after == ended(self.history):
            # What the run itself said: it knew functions that the storage cannot keep.
            with suppress(KeyError, TypeError, AttributeError):
                return Recommendation.from_description(noted.recommended)
        try:
            return self.strategy().recommend(self._relevant())
        except StrategyError:
            return None

    def strategy(self) -> "Strategy":
        """What steers it, made again."""
        from tunewise.strategy import StrategySpec
        from tunewise.study.warm_start import prior_of

        spec, prior = StrategySpec.of(self.record.strategy), prior_of(self.record)
        return spec.build(self.problem, self.record.seed, prior)

    def reliability(self) -> "list[Reliability]":
        """How often what it would have said after each trial came true, as far as is known."""
        from tunewise.benchmark.measures.reliability import looked_back, reliability

        return reliability(looked_back(self.strategy(), self._relevant()))

    def _relevant(self) -> "History":
        """The trials that are of the problem as it is now."""
        changed = self.record.noted.problems
        return self.history.within(self.problem) if changed else self.history


def ended(history: "History") -> int:
    """How many trials have their final outcome."""
    return sum(not trial.state.pending for trial in history)


@contextmanager
def opened(storage: str | None, namespace: str | None = None) -> Iterator["Store"]:
    """The store behind a URL, which must be there already, with the studies of a namespace."""
    from tunewise.study.opening import open_store

    url = storage or DEFAULT
    from tunewise.storage.secrets import redacted
    from tunewise.study.folders import sqlite_file

    file = sqlite_file(url)
    if file is not None and not file.exists():
        where = "in this folder" if storage is None else f"at {redacted(str(file))!r}"
        raise StorageError(
            f"there is no storage {redacted(file.name)!r} {where}; `tunewise tune` makes one,"
            " --storage names another"
        )
    store = open_store(url)
    try:
        yield store if namespace is None else store.within(namespace)
    finally:
        store.close()


@contextmanager
def found(storage: str | None, study: str, namespace: str | None = None) -> Iterator[StoredStudy]:
    """A study by name."""
    from tunewise.job.loading import problem_of

    with opened(storage, namespace) as store:
        record = store.load(study)
        problem, history = problem_of(record), store.history(study)
        if not record.noted.problems:
            _refuse_strange(problem, history)
        yield StoredStudy(store, record, problem, history)


def _refuse_strange(problem: "Problem", history: "History") -> None:
    """Refuse trials of other parameters than the problem's: nobody could make sense of them."""
    names, conditional = set(problem.space.names), problem.space.activity.conditional
    for trial in history:
        if not (names.issuperset(trial.config) if conditional else names == set(trial.config)):
            raise StorageError(
                f"the store is damaged: trial {trial.number} has the parameters"
                f" {', '.join(trial.config) or 'none'}; expected {', '.join(problem.space.names)}"
            )


def study_names(storage: str | None = None) -> list[str]:
    """All names in a storage; none where it cannot be read."""
    try:
        with opened(storage) as store:
            return [record.name for record in store.studies()]
    except TunewiseError:
        return []


def refuse_unknown_store(url: str) -> None:
    """Refuse a URL of a kind that no store is there for; nothing is opened."""
    from tunewise.study.opening import STORES

    scheme, colon, _ = url.partition("://")
    kind = scheme.partition("+")[0]
    if colon:
        STORES.load("postgresql" if kind == "postgres" else kind)
