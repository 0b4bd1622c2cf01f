"""Declared tasks in the tables of a database; every change is one transaction."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, true, update

from tunewise.errors import TaskError, nearest
from tunewise.storage.codec import plain
from tunewise.storage.database import Database
from tunewise.storage.quotas import book, keep_seconds, seconds_left
from tunewise.storage.schema import (
    examples,
    task_changes,
    task_events,
    task_models,
    tasks,
    tenants,
)
from tunewise.storage.tasks.rows import ExampleRow, TaskRow
from tunewise.study.store import checked_namespace

Event = dict[str, Any]

_AT_ONCE = 500
"""Values in one statement: databases bound how many it may have."""


_SILENT = 10.0
"""Seconds of silence, such as of a process that was stopped, that end the right to decide."""


class TaskStore:
    """Tasks of a namespace; any number of processes may use the store."""

    def __init__(self, database: Database, namespace: str = "") -> None:
        """Those of a namespace."""
        self._database, self.namespace = database, namespace
        # Before tasks keep more bytes it is called with their number, and may refuse them.
        self.room: Callable[[int], None] | None = None

    def create(self, name: str, program: str, settings: dict[str, Any]) -> TaskRow:
        """Add a task, or return the one of this name."""
        values = {
            "namespace": self.namespace,
            "name": name,
            "program": program,
            "settings": plain(settings, "settings"),
            "created_at": self._database.now(),
            "changed_at": self._database.now(),
        }

        def work(connection: Connection) -> TaskRow:
            if self._found(connection, name) is None:
                connection.execute(insert(tasks).values(values))
            return self._known(connection, name)

        return self._database.write(work, repeatable=True)

    def load(self, name: str) -> TaskRow:
        """The task of this name; an unknown one is refused with the nearest."""
        return self._database.read(lambda connection: self._known(connection, name))

    def find(self, name: str) -> TaskRow | None:
        """The task of this name, if there is one."""
        return self._database.read(lambda connection: self._found(connection, name))

    def tasks(self) -> list[TaskRow]:
        """All tasks of the namespace, oldest first."""
        here = select(tasks).where(tasks.c.namespace == self.namespace).order_by(tasks.c.id)
        return self._database.read(lambda c: [_task(row) for row in c.execute(here)])

    def some(self, after: str | None, limit: int) -> list[TaskRow]:
        """So many tasks of the namespace by name, after one."""
        here = tasks.c.namespace == self.namespace
        if after is not None:
            here &= tasks.c.name > after
        page = select(tasks).where(here).order_by(tasks.c.name).limit(limit)
        return self._database.read(lambda c: [_task(row) for row in c.execute(page)])

    def within(self, namespace: str) -> "TaskStore":
        """The same store, with the tasks of a namespace."""
        return TaskStore(self._database, checked_namespace(namespace))

    def everyone(self) -> list[TaskRow]:
        """All tasks of the store, oldest first."""
        every = select(tasks).order_by(tasks.c.id)
        return self._database.read(lambda c: [_task(row) for row in c.execute(every)])

    def by_id(self, task: int) -> TaskRow | None:
        """The task of this number, if it is still there."""
        here = select(tasks).where(tasks.c.id == task)

        def work(connection: Connection) -> TaskRow | None:
            row = connection.execute(here).one_or_none()
            return None if row is None else _task(row)

        return self._database.read(work)

    def settle(self, task: int, program: str, settings: dict[str, Any]) -> None:
        """Keep what was decided about a task since."""
        values = {"program": program, "settings": plain(settings, "settings"), **self._risen()}
        change = update(tasks).where(tasks.c.id == task).values(values)
        self._database.write(lambda connection: connection.execute(change), repeatable=True)

    def confirm(self, task: int, numbers: Iterable[int]) -> None:
        """Keep that a person found the labels of examples right."""
        wanted = sorted({*numbers})

        def work(connection: Connection) -> None:
            self._locked(connection, task)
            for some in _portions(wanted):
                here = (examples.c.task_id == task) & examples.c.number.in_(some)
                found = set(connection.scalars(select(examples.c.number).where(here)))
                if lost := [number for number in some if number not in found]:
                    raise _unknown(connection, task, lost[0])
            settings = connection.scalar(select(tasks.c.settings).where(tasks.c.id == task)) or {}
            right = sorted({*settings.get("right", ()), *wanted})
            values = {"settings": {**settings, "right": right}, **self._risen()}
            connection.execute(update(tasks).where(tasks.c.id == task).values(values))

        self._database.write(work, repeatable=True)

    def delete(self, task: int) -> None:
        """Forget a task, its examples and its models."""

        def work(connection: Connection) -> None:
            keep_seconds(connection, task)
            for table in (examples, task_changes, task_models):
                connection.execute(delete(table).where(table.c.task_id == task))
            connection.execute(delete(tasks).where(tasks.c.id == task))

        self._database.write(work, repeatable=True)

    def feed(self, task: int, rows: Sequence[ExampleRow], change: Event) -> list[int]:
        """Add the examples that are new, as one version of the data: their numbers."""
        return self.fed(task, rows, change)[0]

    def fed(self, task: int, rows: Sequence[ExampleRow], change: Event) -> tuple[list[int], int]:
        """As `feed`, with the version of the data."""

        def work(connection: Connection) -> tuple[list[int], int]:
            version = self._locked(connection, task) + 1
            known = _known_contents(connection, task, [row.content for row in rows])
            new = {row.content: row for row in rows if row.content not in known}
            if not new:
                return [], version - 1
            last = select(func.max(examples.c.number)).where(examples.c.task_id == task)
            both = select(last.scalar_subquery().label("last"), self._database.now().label("now"))
            here = connection.execute(both).one()
            first, now = (here.last or 0) + 1, here.now
            told = {"task_id": task, "fed_at": now, "fed_in": version}
            values = [
                {**asdict(row), **told, "number": number}
                for number, row in enumerate(new.values(), first)
            ]
            connection.execute(insert(examples), values)
            self._changed(connection, task, version, {**change, "count": len(values)})
            return [value["number"] for value in values], version

        return self._database.write(work, repeatable=True)

    def switch(self, task: int, on: Iterable[int], off: Iterable[int], change: Event) -> list[int]:
        """Turn examples on and off, as one version of the data: those that were not so before."""
        wanted = {number: True for number in on} | {number: False for number in off}

        def work(connection: Connection) -> list[int]:
            version, turned = self._locked(connection, task) + 1, []
            for some in _portions(sorted(wanted)):
                here = (examples.c.task_id == task) & examples.c.number.in_(some)
                states = select(examples.c.number, examples.c.on).where(here)
                found = {row.number: row.on for row in connection.execute(states)}
                lost = [number for number in some if number not in found]
                if lost:
                    raise _unknown(connection, task, lost[0])
                turned += [number for number in some if found[number] != wanted[number]]
            for state in (True, False):
                for some in _portions([n for n in turned if wanted[n] is state]):
                    here = (examples.c.task_id == task) & examples.c.number.in_(some)
                    connection.execute(update(examples).where(here).values(on=state))
            if turned:
                parts = {
                    "on": [n for n in turned if wanted[n]],
                    "off": [n for n in turned if not wanted[n]],
                }
                self._changed(connection, task, version, {**change, **parts})
            return turned

        return self._database.write(work, repeatable=True)

    def examples(self, task: int) -> list[ExampleRow]:
        """All examples that were ever fed, in order."""
        here = select(examples).where(examples.c.task_id == task).order_by(examples.c.number)

        def work(connection: Connection) -> list[ExampleRow]:
            return [ExampleRow(*row[1:]) for row in connection.execute(here)]

        return self._database.read(work)

    def some_examples(
        self,
        task: int,
        after: int,
        limit: int,
        label: str | None = None,
        on: bool | None = None,
    ) -> list[ExampleRow]:
        """So many examples, in order, after a number: of one label, or those that are on or off."""
        here = (examples.c.task_id == task) & (examples.c.number > after)
        here &= true() if label is None else examples.c.label == label
        here &= true() if on is None else examples.c.on.is_(on)
        page = select(examples).where(here).order_by(examples.c.number).limit(limit)
        return self._database.read(lambda c: [ExampleRow(*row[1:]) for row in c.execute(page)])

    def count_on(self, task: int) -> int:
        """How many examples are on."""
        here = (examples.c.task_id == task) & examples.c.on
        wanted = select(func.count()).select_from(examples).where(here)
        return self._database.read(lambda connection: int(connection.scalar(wanted) or 0))

    def known(self, task: int, contents: Sequence[str]) -> set[str]:
        """Those of the checksums that an example of the task has already."""
        return self._database.read(lambda c: _known_contents(c, task, contents))

    def labels(self, task: int) -> set[str | None]:
        """All labels that were ever fed."""
        here = select(examples.c.label).where(examples.c.task_id == task).distinct()
        return self._database.read(lambda connection: set(connection.scalars(here)))

    def marks(self, task: int) -> tuple[int, int]:
        """The version of a task's data and the number of its last model: 0 where there is none."""
        version = select(tasks.c.version).where(tasks.c.id == task).scalar_subquery()
        last = select(func.max(task_models.c.number)).where(task_models.c.task_id == task)
        both = select(version, last.scalar_subquery())

        def work(connection: Connection) -> tuple[int, int]:
            row = connection.execute(both).one()
            return int(row[0] or 0), int(row[1] or 0)

        return self._database.read(work)

    def changes(self, task: int) -> list[Event]:
        """All changes of the data, each with its version and when it was made."""
        table = task_changes
        here = select(table).where(table.c.task_id == task).order_by(table.c.version)
        return self._database.read(
            lambda c: [
                {**row.change, "version": row.version, "at": row.at} for row in c.execute(here)
            ]
        )

    def models(self, task: int) -> list[Event]:
        """The cards of all trained models, in order."""
        table = task_models
        here = select(table).where(table.c.task_id == task).order_by(table.c.number)
        return self._database.read(
            lambda c: [{**row.card, "number": row.number, "at": row.at} for row in c.execute(here)]
        )

    def decide(self, since: int, choose: Callable[[list[Event]], list[Event]]) -> None:
        """Hear what happened after an event, and add to it, while nobody else can.

        A pick gets no more seconds than its tenant has left, and is left out where there are none.
        An event with a "card" of a model also becomes a row of models; the card is left out of the
        event. A task that was deleted meanwhile gets no more models. Where the connection breaks,
        `choose` is called again, with what happened until then, unless its events were kept.
        """

        def work(connection: Connection) -> int | None:
            self._lock_events(connection)
            last = None
            for chosen in choose(_events(connection, since)):
                event = {**chosen}  # where the connection breaks, the same is kept once more
                if not book(connection, event):
                    continue
                card = event.pop("card", None)
                if card is not None:
                    self._add_model(connection, event["task"], card)
                values = {"event": plain(event, "event"), "at": self._database.now()}
                adding = insert(task_events).values(values).returning(task_events.c.id)
                last = connection.scalar(adding)
                here = tasks.c.id == event["task"]
                connection.execute(update(tasks).where(here).values(self._risen()))
            return last

        self._database.write(work, kept=_kept)

    def events(self, since: int = 0) -> list[Event]:
        """What happened after an event, each with its id and when it was."""
        return self._database.read(lambda connection: _events(connection, since))

    def weights(self) -> dict[str, float]:
        """By namespace of a tenant: how much its gains count."""
        every = select(tenants.c.namespace, tenants.c.weight)
        return self._database.read(lambda c: {row[0]: row[1] for row in c.execute(every)})

    def seconds_left(self) -> dict[str, float]:
        """By namespace with a quota of training seconds: what is neither used nor held."""
        return self._database.read(seconds_left)

    def bytes_allowed(self) -> dict[str, float]:
        """By namespace with a quota of bytes: what the files of its tasks may take."""
        every = select(tenants.c.namespace, tenants.c.bytes).where(tenants.c.bytes.is_not(None))
        return self._database.read(lambda c: {row[0]: row[1] for row in c.execute(every)})

    def now(self) -> float:
        """The database's time."""
        clock = select(self._database.now())
        return self._database.read(lambda connection: float(connection.scalar(clock) or 0.0))

    def close(self) -> None:
        """Give back connections."""
        self._database.close()

    def _add_model(self, connection: Connection, task: int, card: Event) -> None:
        if connection.scalar(select(tasks.c.id).where(tasks.c.id == task)) is None:
            return
        last = select(func.max(task_models.c.number)).where(task_models.c.task_id == task)
        values = {
            "task_id": task,
            "number": (connection.scalar(last) or 0) + 1,
            "card": plain(card, "card"),
            "at": self._database.now(),
        }
        connection.execute(insert(task_models).values(values))

    def _changed(self, connection: Connection, task: int, version: int, change: Event) -> None:
        values = {"task_id": task, "version": version, "change": plain(change, "change")}
        connection.execute(insert(task_changes).values(**values, at=self._database.now()))
        now = {"version": version, **self._risen()}
        connection.execute(update(tasks).where(tasks.c.id == task).values(now))

    def _risen(self) -> Event:
        """The columns of a task that has changed once more."""
        return {"revision": tasks.c.revision + 1, "changed_at": self._database.now()}

    def _locked(self, connection: Connection, task: int) -> int:
        """The version of a task's data, which nobody else changes until this is done."""
        wanted = select(tasks.c.version).where(tasks.c.id == task).with_for_update()
        version = connection.scalar(wanted)
        if version is None:
            raise TaskError("the task was deleted meanwhile")
        return int(version)

    def _lock_events(self, connection: Connection) -> None:
        """Until the transaction ends: at the latest after so many seconds without a word."""
        if connection.dialect.name == "postgresql":
            silent = f"SET LOCAL idle_in_transaction_session_timeout = '{_SILENT:.0f}s'"
            connection.exec_driver_sql(silent)
            connection.exec_driver_sql("LOCK TABLE tunewise_task_events IN EXCLUSIVE MODE")

    def _found(self, connection: Connection, name: str) -> TaskRow | None:
        here = (tasks.c.namespace == self.namespace) & (tasks.c.name == name)
        row = connection.execute(select(tasks).where(here)).one_or_none()
        return None if row is None else _task(row)

    def _known(self, connection: Connection, name: str) -> TaskRow:
        found = self._found(connection, name)
        if found is None:
            every = select(tasks.c.name).where(tasks.c.namespace == self.namespace)
            names = list(connection.scalars(every))
            hint = nearest(name, names) if names else "; the store has none"
            raise TaskError(f"there is no task {name!r}{hint}")
        return found


def _task(row: Row[Any]) -> TaskRow:
    settings = dict(row.settings)
    return TaskRow(
        *(row.id, row.name, row.program, settings, row.version, row.created_at, row.namespace),
        *(row.revision, row.seconds),
    )


def _events(connection: Connection, since: int) -> list[Event]:
    table: Table = task_events
    rows = select(table).where(table.c.id > since).order_by(table.c.id)
    return [{**row.event, "id": row.id, "at": row.at} for row in connection.execute(rows)]


def _kept(connection: Connection, last: int | None) -> bool:
    """Whether events were added, by the number of the last: no other transaction had it."""
    here = select(task_events.c.id).where(task_events.c.id == last)
    return last is None or connection.scalar(here) is not None


def _known_contents(connection: Connection, task: int, contents: Sequence[str]) -> set[str]:
    known: set[str] = set()
    for some in _portions(contents):
        here = (examples.c.task_id == task) & examples.c.content.in_(some)
        known |= set(connection.scalars(select(examples.c.content).where(here)))
    return known


def _portions(values: Sequence[Any]) -> list[Sequence[Any]]:
    return [values[at : at + _AT_ONCE] for at in range(0, len(values), _AT_ONCE)]


def _unknown(connection: Connection, task: int, number: int) -> TaskError:
    """That a task has no example of this number, and which it has."""
    last = connection.scalar(select(func.max(examples.c.number)).where(examples.c.task_id == task))
    known = f"they go from e1 to e{last}" if last else "none was fed yet"
    return TaskError(f"there is no example e{number}; {known}")
