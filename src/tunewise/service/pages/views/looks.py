"""Stored studies as pages look at them: read once, and then only what has changed."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from tunewise.errors import StudyError, TunewiseError
from tunewise.history import History
from tunewise.job.loading import problem_of
from tunewise.problem import Problem
from tunewise.report.digest import Aim, Digest
from tunewise.storage.database import Database
from tunewise.storage.looking.glance import Glance, large
from tunewise.storage.sql import SqlStore
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.strategy import Recommendation
from tunewise.study import StudyRecord
from tunewise.study.stored import StoredStudy

POINTS = 400
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

    def knows(self, store: SqlStore, id: int) -> bool:
        """Whether a study was read before."""
        return (store.namespace, id) in self._kept

    def named(self, namespace: str) -> dict[int, str]:
        """The studies of a namespace that were read, by row."""
        with self._lock:
            every = list(self._kept.items())
        return {id: look.record.name for (whose, id), look in every if whose == namespace}

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


SLOW = 5000
"""Trials that take a moment to be read for the first time."""


def is_read(store: SqlStore, name: str) -> bool:
    """Whether a look at a study takes no more than a moment."""
    seen = glance(store)
    heads = seen.chosen([name])
    return not heads or heads[0].trials < SLOW or _looks(store).knows(store, heads[0].id)


def read_before(store: SqlStore, id: int, name: str) -> Digest | None:
    """A study as it is now if it was read before, which takes no time; else None."""
    if not _looks(store).knows(store, id):
        return None
    try:
        return look_at(store, name).digest
    except StudyError:  # it was deleted
        return None


def large_ones(store: SqlStore) -> dict[int, Digest]:
    """The large studies that were read before, by row, as they are now."""
    named = _looks(store).named(store.namespace).items()
    found = {id: read_before(store, id, name) for id, name in named}
    return {id: each for id, each in found.items() if each is not None and len(each) >= SLOW}


def read_ahead(store: SqlStore, going: Callable[[], bool]) -> None:
    """Read the large studies of all, as many as may be kept, before anybody asks for them."""
    total = 0
    for namespace, name, count in large(store.database, SLOW):
        total += count
        if total > _TRIALS or not going():
            return
        with suppress(TunewiseError):
            look_at(store.within(namespace), name)


def _looks(store: SqlStore) -> Looks:
    return once(store.database, "looks", "all", Looks)


def look_at(store: SqlStore, name: str) -> Look:
    """A study as it is now; all threads of a process share what was read.

    Raises:
        StudyError: There is none of this name.
    """
    return _looks(store).at(store, name)
