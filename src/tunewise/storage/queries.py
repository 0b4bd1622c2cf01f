"""The statements that several operations of a SQL store share.

Whoever locks more than one row locks the study's row first, so nobody waits in a circle.
"""

from typing import Any, NamedTuple, Never

from sqlalchemy import ColumnElement, Connection, Row, and_, false, func, or_, select, update

from tunewise.history import Trial, TrialState
from tunewise.storage.backend import clock_of
from tunewise.storage.rows import changing_values, record_of
from tunewise.storage.schema import studies, trials
from tunewise.study.owner import Owner
from tunewise.study.slots.slot import Slot, absent, unknown_study, unknown_trial
from tunewise.study.store import StudyRecord

Clock = ColumnElement[float]
"""The database's time as an expression; rows carry it as `now`."""

_PENDING = [state.value for state in TrialState if state.pending]


class Place(NamedTuple):
    """Where a study is: its namespace, and its name there."""

    namespace: str
    name: str

    @property
    def here(self) -> ColumnElement[bool]:
        """Picks the study's row."""
        return and_(studies.c.namespace == self.namespace, studies.c.name == self.name)


def find_study(connection: Connection, study: Place, clock: Clock, lock: bool = False) -> Row[Any]:
    """Who asks in the study, to be changed by nobody else when locked."""
    # Not the whole row: the description of a large space takes longer to read than all the rest.
    wanted = select(studies.c.id, studies.c.asker, studies.c.asker_until, clock.label("now"))
    wanted = wanted.where(study.here)
    row = connection.execute(wanted.with_for_update() if lock else wanted).one_or_none()
    return row if row is not None else _refuse_study(connection, study)


def find_record(connection: Connection, study: Place) -> StudyRecord:
    """The study's record."""
    row = connection.execute(select(studies).where(study.here)).one_or_none()
    return record_of(row if row is not None else _refuse_study(connection, study))


def find_trial(connection: Connection, study: Place, number: int, clock: Clock) -> Row[Any]:
    """The trial's row, to be changed by nobody else; nor is its study's, whose revision rises."""
    study_id = find_study(connection, study, clock, lock=True).id
    wanted = select(trials, clock.label("now")).where(trials.c.study_id == study_id)
    # A column takes no larger number, and a database would refuse the question.
    known = trials.c.number == number if abs(number) < 2**31 else false()
    row = connection.execute(wanted.where(known).with_for_update()).one_or_none()
    if row is None:
        raise unknown_trial(study.name, number, next_number(connection, study_id))
    return row


def next_number(connection: Connection, study_id: int) -> int:
    """The number of the trial to be added next."""
    last = connection.scalar(select(func.max(trials.c.number)).where(trials.c.study_id == study_id))
    return 0 if last is None else int(last) + 1


def claimable_numbers(connection: Connection, study: Row[Any], owner: Owner) -> list[int]:
    """The trials of the study's row that the owner may take, as it looked then."""
    rows = connection.execute(
        select(trials.c.number, trials.c.owner, trials.c.lease_until)
        .where(trials.c.study_id == study.id, trials.c.state.in_(_PENDING))
        .where(or_(trials.c.owner.is_(None), trials.c.owner != str(owner)))
        .order_by(trials.c.number)
    )
    return [
        row.number
        for row in rows
        if row.owner is None or absent(Owner.parse(row.owner), row.lease_until, study.now)
    ]


def put(connection: Connection, study_id: int, slot: Slot) -> Trial:
    """Write what changed about a trial, and return it."""
    connection.execute(
        update(trials)
        .where(trials.c.study_id == study_id, trials.c.number == slot.trial.number)
        .values(**changing_values(slot), revision=risen(connection, study_id))
    )
    return slot.trial


def risen(connection: Connection, study_id: int) -> int:
    """The study's revision after one more change of it, while its row is locked."""
    here = update(studies).where(studies.c.id == study_id)
    now = clock_of(connection.dialect.name)
    more = here.values(revision=studies.c.revision + 1, changed_at=now)
    counted = more.returning(studies.c.revision)
    return int(connection.execute(counted).scalar_one())


def _refuse_study(connection: Connection, study: Place) -> Never:
    named = select(studies.c.name).where(studies.c.namespace == study.namespace)
    names = connection.scalars(named.order_by(studies.c.id))
    raise unknown_study(study.name, list(names))
