"""Stored studies as pages look at them: read once, and then only what has changed."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from tunewise.errors import StudyError
from tunewise.history import History
from tunewise.job.loading import problem_of
from tunewise.problem import Problem
from tunewise.report.digest import Aim, Digest
from tunewise.storage.database import Database
from tunewise.storage.looking.glance import Glance
from tunewise.storage.sql import SqlStore
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.strategy import Recommendation
from tunewise.study import StudyRecord
from tunewise.study.stored import StoredStudy

POINTS = 1000
"""Trials that a chart draws, at most; lists and counts tell of all."""

_TRIALS = 1_000_000
"""Of all studies that are kept in memory together, at about 100 bytes each."""

T = TypeVar("T")


@dataclass
class Look:
    """A study at one revision.

    Attributes:
        store: Where it lies, with the studies of its namespace.
        id: Of its row.
        record: What is kept about it.
        problem: What is wanted.
        digest: All its trials, as numbers.
    """

    store: SqlStore
    id: int
    record: StudyRecord
    problem: Problem
    digest: Digest

    @cached_property
    def glance(self) -> Glance:
        """Light questions of the store."""
        return glance(self.store)

    @cached_property
    def sample(self) -> History:
        """All trials, or where there are too many to draw a part of them that is evenly spread."""
        return History(self.glance.trials(self.id, self.digest.sample(POINTS).tolist()))

    @property
    def is_whole(self) -> bool:
        """Whether the sample is all there is."""
        return len(self.sample) == len(self.digest)

    @cached_property
    def noted(self) -> Recommendation | None:
        """What the last run recommended, where nothing was told since."""
        notes = self.record.noted
        ended = int(self.digest.in_order_told().size)
        if notes.recommended is None or notes.recommended_after != ended:
            return None
        try:
            return Recommendation.from_description(notes.recommended)
        except (KeyError, TypeError, AttributeError):
            return None

    @cached_property
    def measured(self) -> Recommendation | None:
        """The best that was measured."""
        from tunewise.errors import StrategyError

        best = self.digest.best
        known = History(self.glance.trials(self.id, [best])) if best is not None else self.sample
        try:
            return best_measured(self.problem, known)
        except StrategyError:
            return None

    @cached_property
    def worked_out(self) -> Recommendation | None:
        """What the models recommend now; this may take a while."""
        return StoredStudy(self.store, self.record, self.problem).recommendation


class Looks:
    """The looks of one process; each study is read by one thread at a time."""

    def __init__(self) -> None:
        """Of no study yet."""
        self._kept: OrderedDict[tuple[str, int], Look] = OrderedDict()
        self._locks: dict[tuple[str, int], Lock] = {}
        self._lock = Lock()

    def at(self, store: SqlStore, name: str) -> Look:
        """A study as it is now.

        Raises:
            StudyError: There is none of this name.
        """
        seen = glance(store)
        found = seen.revision(name)
        if found is None:
            raise StudyError(f"there is no study {name!r}")
        key = (store.namespace, found[0])
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            kept = self._kept.get(key)
            if kept is not None and kept.digest.revision == found[1]:
                return kept
            look = self._read(store, found[0], name, kept)
        with self._lock:
            self._keep(key, look)
        return look

    def _read(self, store: SqlStore, id: int, name: str, kept: Look | None) -> Look:
        record = store.load(name)
        known = kept if kept and kept.record.noted.problems == record.noted.problems else None
        problem = known.problem if known else problem_of(record)
        before = known.digest if known else Digest(Aim.of(record.current_problem))
        return Look(store, id, record, problem, before.updated(glance(store), id))

    def _keep(self, key: tuple[str, int], look: Look) -> None:
        self._kept[key] = look
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and sum(len(k.digest) for k in self._kept.values()) > _TRIALS:
            gone, _ = self._kept.popitem(last=False)
            self._locks.pop(gone, None)


def glance(store: SqlStore) -> Glance:
    """Light questions of a store."""
    return Glance(store.database, store.namespace)


_kept: WeakKeyDictionary[Database, dict[str, dict[Any, Any]]] = WeakKeyDictionary()
_keeping, _MISSING = Lock(), object()


def once(database: Database, kind: str, key: Any, make: Callable[[], T], most: int = 5000) -> T:
    """A value of a database that is made once a key; the oldest are forgotten when it is full."""
    with _keeping:
        kept = _kept.setdefault(database, {}).setdefault(kind, {})
    found = kept.get(key, _MISSING)
    if found is _MISSING:
        found = make()
        with _keeping:
            while len(kept) >= most:
                kept.pop(next(iter(kept)))
            kept[key] = found
    value: T = found
    return value


def look_at(store: SqlStore, name: str) -> Look:
    """A study as it is now; all threads of a process share what was read.

    Raises:
        StudyError: There is none of this name.
    """
    return once(store.database, "looks", "all", Looks).at(store, name)
