"""A store in a SQL database: SQLite or PostgreSQL."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from itertools import count, takewhile
from typing import Any

from sqlalchemy import URL, Connection, Insert, Row, delete, select, update
from sqlalchemy.dialects import sqlite

from tunewise.history import History, Outcome, Preempted, Trial, TrialState
from tunewise.problem import Metrics
from tunewise.space import Config
from tunewise.storage.asking import asking, renew_right, right_of
from tunewise.storage.codec import plain
from tunewise.storage.database import Database
from tunewise.storage.looking.listed import Listed, listed
from tunewise.storage.queries import (
    Place,
    claimable_numbers,
    find_record,
    find_study,
    find_trial,
    next_number,
    put,
    risen,
)
from tunewise.storage.quotas import keep_spent, refuse_unfunded, within_quota
from tunewise.storage.rows import record_of, slot_of, study_values, trial_of, trial_values
from tunewise.storage.runs import SqlRuns
from tunewise.storage.schema import studies, trials
from tunewise.study.owner import Owner
from tunewise.study.slots.money import funded
from tunewise.study.slots.slot import Slot, right_lost, told_already, with_own_config
from tunewise.study.store import (
    ASKING_LEASE,
    Allocation,
    Ended,
    News,
    Renewal,
    Store,
    StudyRecord,
    checked_namespace,
)


class SqlStore(Store):
    """Keeps studies in the tables of a database; any number of processes may use it."""

    def __init__(self, url: URL) -> None:
        """Open the database and bring its tables up to date."""
        self._database = Database(url)
        self._namespace = ""
        # By study: its first trials, as far as they have ended and will never change again.
        self._ended: dict[int, list[Trial]] = {}

    def within(self, namespace: str) -> "SqlStore":
        """The same store, with the studies of a namespace."""
        other = copy(self)
        other._namespace = checked_namespace(namespace)
        return other

    @property
    def namespace(self) -> str:
        """Whose studies these are."""
        return self._namespace

    @property
    def database(self) -> Database:
        """Where its tables are, for what lies beside the studies."""
        return self._database

    def runs(self) -> SqlRuns:
        """The trainings that are tuned while they run."""
        return SqlRuns(self._database, self._namespace)

    def namespaces(self) -> list[str]:
        """The namespaces that have a study, by name."""
        every = select(studies.c.namespace).distinct().order_by(studies.c.namespace)
        return self._database.read(lambda connection: list(connection.scalars(every)))

    def _at(self, study: str) -> Place:
        return Place(self._namespace, study)

    def create(self, record: StudyRecord) -> StudyRecord:
        """Add the study, or return the one that has this name already."""
        values = study_values(record)
        values["namespace"] = self._namespace
        values["created_at"] = record.created_at or self._database.now()
        values["changed_at"] = self._database.now()

        def work(connection: Connection) -> StudyRecord:
            connection.execute(_insert_if_new(connection.dialect.name, values))
            return find_record(connection, self._at(record.name))

        return self._database.write(work, repeatable=True)

    def load(self, study: str) -> StudyRecord:
        """The study's record."""
        return self._database.read(lambda connection: find_record(connection, self._at(study)))

    def annotate(self, study: str, notes: dict[str, Any]) -> None:
        """Merge notes into the study's record."""
        added = plain(notes, "notes")

        def work(connection: Connection) -> None:
            found = self._found(connection, study, lock=True)
            here = studies.c.id == found.id
            notes = connection.execute(select(studies.c.notes).where(here)).scalar_one()
            merged = plain(notes, "notes") | added
            connection.execute(update(studies).where(here).values(notes=merged))
            risen(connection, found.id)

        self._database.write(work, repeatable=True)

    def studies(self) -> list[StudyRecord]:
        """All studies, oldest first."""
        own = studies.c.namespace == self._namespace
        every = select(studies).where(own).order_by(studies.c.id)
        return self._database.read(lambda c: [record_of(row) for row in c.execute(every)])

    def some(self, after: str | None, limit: int) -> list[Listed]:
        """So many studies by name, after one, with what is counted about each."""
        here = studies.c.namespace == self._namespace
        if after is not None:
            here &= studies.c.name > after
        return self._database.read(lambda c: listed(c, here, limit))

    def some_trials(self, study: str, after: int, limit: int) -> list[Trial]:
        """So many trials in their order, after a number."""

        def work(connection: Connection) -> list[Trial]:
            own = trials.c.study_id == self._found(connection, study).id
            page = select(trials).where(own, trials.c.number > after)
            rows = connection.execute(page.order_by(trials.c.number).limit(limit))
            return [trial_of(row) for row in rows]

        return self._database.read(work)

    def delete(self, study: str) -> None:
        """Forget a study and its trials."""

        def work(connection: Connection) -> None:
            row = self._found(connection, study, lock=True)
            keep_spent(connection, self._namespace, row.id)
            connection.execute(delete(trials).where(trials.c.study_id == row.id))
            connection.execute(delete(studies).where(studies.c.id == row.id))

        self._database.write(work)

    def history(self, study: str) -> History:
        """All trials of the study."""

        def work(connection: Connection) -> list[Trial]:
            study_id = self._found(connection, study).id
            every, rows = self._trials(connection, study_id)
            # To what an owner may still tell of, more may be booked.
            owed = {row.number for row in rows if row.booked}
            final = takewhile(lambda t: not t.state.pending and t.number not in owed, every)
            self._ended[study_id] = list(final)
            return every

        return History(with_own_config(trial) for trial in self._database.read(work))

    def news(self, study: str, since: int = 0) -> News:
        """What changed after a revision."""

        def work(connection: Connection) -> News:
            study_id = self._found(connection, study).id
            counted = select(studies.c.revision).where(studies.c.id == study_id)
            # Read first: what changes meanwhile is told twice, and nothing is missed.
            now = connection.execute(counted).scalar_one()
            newer = (
                trials.c.study_id == study_id,
                trials.c.revision > (since if since <= now else 0),
            )
            rows = connection.execute(select(trials).where(*newer).order_by(trials.c.number))
            return News(now, tuple(trial_of(row) for row in rows))

        return self._database.read(work)

    def _trials(
        self, connection: Connection, study_id: int
    ) -> tuple[list[Trial], Sequence[Row[Any]]]:
        """All trials, and the rows of those that may change, both at one moment."""
        known = self._ended.get(study_id, [])
        newer = trials.c.study_id == study_id, trials.c.number >= len(known)
        rows = connection.execute(select(trials).where(*newer).order_by(trials.c.number)).all()
        return known + [trial_of(row) for row in rows], rows

    def asking(
        self, study: str, owner: Owner, lease: float = ASKING_LEASE
    ) -> AbstractContextManager[None]:
        """Hold the right to add suggested trials."""
        return asking(self._database, self._at(study), owner, lease)

    def add(
        self,
        study: str,
        config: Config,
        fraction: float,
        snapshots: tuple[float, ...],
        owner: Owner | None,
        lease: float,
        allocation: Allocation | None = None,
        enqueued: bool = False,
    ) -> Trial:
        """Append a trial with the next number."""

        def work(connection: Connection) -> Trial:
            row = self._found(connection, study, lock=True)
            right = None if owner is None else right_of(self._at(study), owner)
            if owner is not None and (right is None or row.asker != right):
                raise right_lost(study)
            given = next_number(connection, row.id), config, fraction, snapshots
            slot = Slot.added(*given, owner, lease, row.now, enqueued)
            slot = self._funded(connection, row.id, slot, allocation)
            values = {**trial_values(slot), "revision": risen(connection, row.id)}
            connection.execute(trials.insert().values(study_id=row.id, **values))
            return slot.trial

        # Of a trial without an owner nobody can say later who added it.
        kept = None if owner is None else self._given(study, owner)
        return self._database.write(work, kept=kept)

    def claim(
        self,
        study: str,
        owner: Owner,
        lease: float,
        ended: Ended | None = None,
        allocation: Allocation | None = None,
    ) -> Trial | None:
        """Take the lowest trial that nobody works on, atomically; None when there is none."""

        def work(connection: Connection) -> Trial | None:
            found = self._found(connection, study, lock=True)
            for number in claimable_numbers(connection, found, owner):
                row = find_trial(connection, self._at(study), number, self._database.now())
                slot = slot_of(row)
                if not slot.claimable(owner, row.now):
                    continue  # it was told or renewed a moment ago
                claimed = slot.claimed(study, owner, lease, ended, row.now)
                paid = self._funded(connection, found.id, claimed, allocation)
                trial = put(connection, found.id, paid)
                if trial.state is not TrialState.CANCELLED:
                    return trial
            return None

        # Mostly there is none, and then nobody needs to wait for a lock.
        if not self.idle(study, owner):
            return None
        return self._database.write(work, kept=self._given(study, owner))

    def _given(self, study: str, owner: Owner) -> Callable[[Connection, Trial | None], bool]:
        """Says whether a trial was given to the owner at the moment that it tells."""

        def kept(connection: Connection, trial: Trial | None) -> bool:
            if trial is None:
                return False
            this = trials.c.number == trial.number, trials.c.asked_at == trial.asked_at
            wanted = select(trials.c.number).join(studies).where(self._at(study).here, *this)
            own = wanted.where(trials.c.owner == str(owner))
            return connection.execute(own).first() is not None

        return kept

    def idle(self, study: str, owner: Owner) -> set[int]:
        """Numbers of the trials that nobody works on."""

        def look(connection: Connection) -> set[int]:
            return set(claimable_numbers(connection, self._found(connection, study), owner))

        return self._database.read(look)

    def owners(self, study: str) -> dict[int, Owner]:
        """Whom each running trial was given to."""

        def look(connection: Connection) -> dict[int, Owner]:
            own = trials.c.study_id == self._found(connection, study).id
            wanted = select(trials.c.number, trials.c.owner)
            rows = connection.execute(wanted.where(own, trials.c.owner.is_not(None)))
            return {row.number: Owner.parse(row.owner) for row in rows}

        return self._database.read(look)

    def set_aside(self, study: str, number: int, owner: Owner, allocation: Allocation) -> None:
        """Set money aside for a trial that had to wait for it."""

        def work(connection: Connection) -> None:
            found = self._found(connection, study, lock=True)
            row = find_trial(connection, self._at(study), number, self._database.now())
            slot = slot_of(row)
            if slot.owner == owner:
                put(connection, found.id, self._funded(connection, found.id, slot, allocation))

        self._database.write(work, repeatable=True)

    def held(self, study: str) -> dict[int, float]:
        """USD that are set aside for running trials."""

        def look(connection: Connection) -> dict[int, float]:
            own = trials.c.study_id == self._found(connection, study).id
            wanted = select(trials.c.number, trials.c.held).where(own, trials.c.held.is_not(None))
            return {row.number: row.held for row in connection.execute(wanted)}

        return self._database.read(look)

    def _funded(
        self, connection: Connection, study_id: int, slot: Slot, allocation: Allocation | None
    ) -> Slot:
        """With its money, while the study's row is locked: nobody else sets any aside."""
        if allocation is None:
            refuse_unfunded(connection, self._namespace, slot)
            return slot
        allocation = within_quota(connection, self._namespace, study_id, allocation)
        every, rows = self._trials(connection, study_id)
        held = {row.number: row.held for row in rows if row.held is not None}
        return funded(slot, allocation, every, held)

    def tell(self, study: str, number: int, outcome: Outcome, owner: Owner | None = None) -> Trial:
        """Keep a trial's outcome, durably before this returns."""
        attempts = count()
        before: list[Slot] = []
        ended: list[Trial] = []  # by another owner, before this one told what it had spent

        def work(connection: Connection) -> Trial | None:
            again = next(attempts) > 0
            row = find_trial(connection, self._at(study), number, self._database.now())
            slot = slot_of(row)
            before[:] = [slot]
            if again and slot.trial.outcome == slot.trial.with_reports(outcome):
                return slot.trial  # the connection broke after this was kept
            if (late := slot.told_late(outcome, owner)) is not None:
                ended.append(put(connection, row.study_id, late))
                return None
            return put(connection, row.study_id, slot.told(study, outcome, owner, row.now))

        def kept(connection: Connection, told: Trial | None) -> bool:
            now = slot_of(find_trial(connection, self._at(study), number, self._database.now()))
            lost = {} if told is None else told.lost
            return now != before[0] and all(now.trial.lost.get(k, 0.0) >= lost[k] for k in lost)

        preempted = isinstance(outcome, Preempted)
        told = self._database.write(
            work, repeatable=not preempted, kept=kept if preempted else None
        )
        if told is None:
            raise told_already(study, ended[-1])
        return told

    def renew(
        self, study: str, owner: Owner, lease: float, ran: Mapping[int, float] | None = None
    ) -> Renewal:
        """Prolong the owner's leases; returns which of its trials should stop."""
        held = trials.c.owner == str(owner)

        def work(connection: Connection) -> Renewal:
            row = self._found(connection, study, lock=True)
            until, here = row.now + lease, trials.c.study_id == row.id
            renew_right(connection, self._at(study), row, owner, until)
            connection.execute(update(trials).where(here, held).values(lease_until=until))
            for number, seconds in (ran or {}).items():
                this = trials.c.number == number
                connection.execute(update(trials).where(here, held, this).values(ran=seconds))
            found = connection.execute(select(trials.c.number, trials.c.stop).where(here, held))
            asked = {number: bool(stop) for number, stop in found}
            stopping = frozenset(number for number, stop in asked.items() if stop)
            return Renewal(stopping, frozenset(ran or ()) - asked.keys())

        return self._database.write_hastily(work, repeatable=True)

    def report(
        self, study: str, number: int, snapshots: Mapping[float, Metrics], owner: Owner
    ) -> None:
        """Keep snapshots that a running trial has told."""

        def work(connection: Connection) -> None:
            row = find_trial(connection, self._at(study), number, self._database.now())
            put(connection, row.study_id, slot_of(row).reporting(owner, snapshots))

        self._database.write_hastily(work, repeatable=True)

    def notes(self, study: str) -> dict[str, Any]:
        """The notes of the study's record."""

        def look(connection: Connection) -> dict[str, Any]:
            here = studies.c.id == self._found(connection, study).id
            found: dict[str, Any] = connection.execute(
                select(studies.c.notes).where(here)
            ).scalar_one()
            return found

        return self._database.read(look)

    def request_stop(self, study: str, number: int, ended: Ended | None = None) -> Trial:
        """Ask whoever runs the trial to stop it; one that nobody runs is cancelled at once."""

        def work(connection: Connection) -> Trial:
            row = find_trial(connection, self._at(study), number, self._database.now())
            slot = slot_of(row).asked_to_stop(study, ended, row.now)
            return put(connection, row.study_id, slot)

        return self._database.write(work)

    def close(self) -> None:
        """Give back connections and files."""
        self._database.close()

    def _found(self, connection: Connection, study: str, lock: bool = False) -> Any:
        return find_study(connection, self._at(study), self._database.now(), lock)


def _insert_if_new(dialect: str, values: dict[str, Any]) -> Insert:
    if dialect == "sqlite":
        return sqlite.insert(studies).values(values).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(studies).values(values).on_conflict_do_nothing()
