"""Light questions of lists and pages: what they show of many studies and trials, and no more."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

from tunewise.history import Trial
from tunewise.problem import Constraint
from tunewise.storage.database import Database
from tunewise.storage.rows import trial_of
from tunewise.storage.schema import studies, trials

Order = Literal["newest", "name", "trials"]

_AT_ONCE = 500
"""Numbers in one statement: databases bound how many it may have."""


@dataclass(frozen=True)
class StudyHead:
    """A study in a line of a list.

    Attributes:
        id: Of its row.
        name: Unique in its namespace.
        strategy: What steers it.
        created_at: In seconds since the epoch.
        revision: Rises with each change.
        stopped: Why its last run ended.
        begun: The run that began last, as notes keep it.
        aim: The description of its problem, without the space.
        trials: How many it has.
    """

    id: int
    name: str
    strategy: str
    created_at: float
    revision: int
    stopped: str | None
    begun: Any
    aim: dict[str, Any]
    trials: int


@dataclass(frozen=True)
class Points:
    """Trials as rows of numbers: number, state, fraction, told at, USD, seconds, metrics."""

    revision: int
    rows: Sequence[Sequence[Any]]


class Glance:
    """Looks at the studies of a namespace without reading more than is shown."""

    def __init__(self, database: Database, namespace: str) -> None:
        """Those of a namespace."""
        self.database, self._namespace = database, namespace

    def revision(self, study: str) -> tuple[int, int] | None:
        """The row and the revision of a study; None where there is none of this name."""
        here = (studies.c.namespace == self._namespace) & (studies.c.name == study)
        wanted = select(studies.c.id, studies.c.revision).where(here)

        def work(connection: Connection) -> tuple[int, int] | None:
            row = connection.execute(wanted).one_or_none()
            return None if row is None else (row.id, row.revision)

        return self.database.read(work)

    def count(self, contains: str = "") -> int:
        """How many studies there are whose name contains a text."""
        wanted = select(func.count()).select_from(studies).where(self._named(contains))
        return self.database.read(lambda c: int(c.execute(wanted).scalar_one()))

    def heads(
        self,
        order: Order = "newest",
        after: tuple[Any, int] | None = None,
        limit: int = 50,
        contains: str = "",
        skip: int = 0,
    ) -> list[StudyHead]:
        """A page of studies, from behind the key and the row of the last one seen.

        Whoever jumps to a page skips those of the pages before.
        """
        count = _counted()
        key, rising = _ORDERS[order]
        by: ColumnElement[Any] = count if key is None else key
        wanted = select(studies.c.id).where(self._named(contains))
        if after is not None:
            beyond = by > after[0] if rising else by < after[0]
            wanted = wanted.where(or_(beyond, and_(by == after[0], studies.c.id < after[1])))
        ends = by.asc() if rising else by.desc(), studies.c.id.desc()
        # First which, then all about them: a database would read all about all studies.
        page = wanted.order_by(*ends).limit(limit).offset(skip)
        heads = select(*_HEAD, count.label("trials")).where(studies.c.id.in_(page)).order_by(*ends)
        return self.database.read(lambda c: [_head(row) for row in c.execute(heads)])

    def chosen(self, names: Sequence[str]) -> list[StudyHead]:
        """The studies of these names, as far as there are such."""
        wanted = select(*_HEAD, _counted().label("trials"))
        wanted = wanted.where(self._named(""), studies.c.name.in_(list(names)))
        return self.database.read(lambda c: [_head(row) for row in c.execute(wanted)])

    def states(self, ids: Sequence[int]) -> dict[int, dict[str, int]]:
        """How many trials of each state some studies have."""
        wanted = select(trials.c.study_id, trials.c.state, func.count().label("n"))
        wanted = wanted.where(trials.c.study_id.in_(list(ids)))
        grouped = wanted.group_by(trials.c.study_id, trials.c.state)

        def work(connection: Connection) -> dict[int, dict[str, int]]:
            found: dict[int, dict[str, int]] = {}
            for row in connection.execute(grouped):
                found.setdefault(row.study_id, {})[row.state] = row.n
            return found

        return self.database.read(work)

    def best(
        self,
        ids: Sequence[int],
        objective: str,
        maximize: bool,
        constraints: Iterable[Constraint],
        any_fraction: bool,
    ) -> dict[int, float]:
        """The best value of some studies that want the same."""
        value = _metric(objective)
        wanted = select(trials.c.study_id, (func.max if maximize else func.min)(value).label("v"))
        wanted = wanted.where(trials.c.study_id.in_(list(ids)), trials.c.state == "complete")
        if not any_fraction:
            wanted = wanted.where(trials.c.fraction == 1.0)
        for limit in constraints:
            measured = _metric(limit.metric)
            kept = measured <= limit.bound if limit.sign == "<=" else measured >= limit.bound
            wanted = wanted.where(kept)
        grouped = wanted.group_by(trials.c.study_id)

        def work(connection: Connection) -> dict[int, float]:
            rows = connection.execute(grouped)
            return {row.study_id: float(row.v) for row in rows if row.v is not None}

        return self.database.read(work)

    def points(self, study: int, metrics: Sequence[str], since: int = 0) -> Points:
        """The trials of a study's row that changed after a revision, as numbers."""
        wanted = select(
            trials.c.number,
            trials.c.state,
            trials.c.fraction,
            trials.c.told_at,
            trials.c.usd,
            trials.c.seconds,
            *(_metric(name) for name in metrics),
        ).where(trials.c.study_id == study)
        if since:
            wanted = wanted.where(trials.c.revision > since)
        counted = select(studies.c.revision).where(studies.c.id == study)

        def work(connection: Connection) -> Points:
            # Read first: what changes meanwhile is told twice, and nothing is missed.
            now = int(connection.execute(counted).scalar_one())
            return Points(now, connection.execute(wanted).all())

        return self.database.read(work)

    def trials(self, study: int, numbers: Sequence[int]) -> list[Trial]:
        """Some trials of a study's row in full, by number."""

        def work(connection: Connection) -> list[Trial]:
            found: list[Trial] = []
            for start in range(0, len(numbers), _AT_ONCE):
                some = [int(n) for n in numbers[start : start + _AT_ONCE]]
                here = (trials.c.study_id == study) & trials.c.number.in_(some)
                found += [trial_of(row) for row in connection.execute(select(trials).where(here))]
            return sorted(found, key=lambda trial: trial.number)

        return self.database.read(work)

    def matching(self, study: int, words: Sequence[str]) -> set[int]:
        """Numbers of the trials whose config or reason has all of the words."""
        # Only a trial that failed has a reason; to look for one in all would take twice as long.
        reason = case((trials.c.state == "failed", func.coalesce(_reason(), "")), else_="")
        text = func.lower(cast(trials.c.config, Text) + reason)
        wanted = select(trials.c.number).where(trials.c.study_id == study)
        for word in words:
            wanted = wanted.where(text.contains(word.lower(), autoescape=True))
        return self.database.read(lambda c: set(c.scalars(wanted)))

    def _named(self, contains: str) -> ColumnElement[bool]:
        own = studies.c.namespace == self._namespace
        if not contains:
            return own
        return own & func.lower(studies.c.name).contains(contains.lower(), autoescape=True)


def _counted() -> Any:
    # Trials are numbered without gaps, and their last number is found without counting them.
    last = select(func.max(trials.c.number)).where(trials.c.study_id == studies.c.id)
    return func.coalesce(last.correlate(studies).scalar_subquery() + 1, 0)


def large(database: Database, least: int) -> list[tuple[str, str, int]]:
    """Namespace, name and trials of studies that have so many, the last changed first."""
    count = _counted()
    wanted = select(studies.c.namespace, studies.c.name, count.label("trials"))
    wanted = wanted.where(count >= least).order_by(studies.c.changed_at.desc())
    return database.read(lambda c: [(row[0], row[1], row[2]) for row in c.execute(wanted)])


def _metric(name: str) -> Any:
    return trials.c.outcome[("metrics", name)].as_float()


def _reason() -> Any:
    return trials.c.outcome["reason"].as_string()


_AIMS = ("maximize", "minimize", "subject_to", "deploy", "budget", "metrics", "fractions")
_POSED = func.coalesce(studies.c.notes["problems"].as_string(), literal("[]"))
_HEAD = (
    studies.c.id,
    studies.c.name,
    studies.c.strategy["name"].as_string().label("strategy"),
    studies.c.created_at,
    studies.c.revision,
    studies.c.notes["stopped"].as_string().label("stopped"),
    studies.c.notes["begun"].label("begun"),
    # Few studies are ever given another problem; only theirs is read in full.
    case((_POSED.in_(["[]", "null"]), None), else_=_POSED).label("posed"),
    *(studies.c.problem[name].label(f"aim_{name}") for name in _AIMS),
)
_ORDERS: Mapping[Order, tuple[Any, bool]] = {
    "newest": (studies.c.id, False),
    "name": (studies.c.name, True),
    "trials": (None, False),
}


def _head(row: Any) -> StudyHead:
    import json

    aim = {name: getattr(row, f"aim_{name}") for name in _AIMS}
    if row.posed is not None and (posed := json.loads(row.posed)):
        aim = {name: posed[-1]["problem"].get(name) for name in _AIMS}
    return StudyHead(
        id=row.id,
        name=row.name,
        strategy=row.strategy or "",
        created_at=row.created_at,
        revision=row.revision,
        stopped=row.stopped,
        begun=row.begun,
        aim={name: value for name, value in aim.items() if value is not None},
        trials=row.trials,
    )
