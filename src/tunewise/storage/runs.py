"""Runs, trainings that are tuned while they go on, in the tables of a database."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from tunewise.errors import StudyError, nearest
from tunewise.storage.codec import plain
from tunewise.storage.database import Database
from tunewise.storage.schema import run_events, runs
from tunewise.study.owner import Owner
from tunewise.study.store import Runs


class SqlRuns(Runs):
    """Runs in a database; events are gathered into rows of many."""

    def __init__(self, database: Database, namespace: str) -> None:
        """Those of a namespace."""
        self._database, self._namespace = database, namespace

    def begin(
        self, name: str, described: dict[str, Any], owner: Owner | None = None, lease: float = 0.0
    ) -> dict[str, Any]:
        """Add a run, or return the description of the one of this name."""
        now = self._database.now()
        values = {
            "namespace": self._namespace,
            "name": name,
            "described": plain(described, "description"),
            "created_at": now,
            "changed_at": now,
            **({} if owner is None else _held(owner, now + lease)),
        }

        def work(connection: Connection) -> dict[str, Any]:
            if self._found(connection, name) is None:
                connection.execute(insert(runs).values(values))
            return self._described(connection, name)

        return self._database.write(work, repeatable=True)

    def own(self, name: str, owner: Owner, lease: float) -> None:
        """Go on with a run for so many seconds; refused while another process does."""
        now = self._database.now()

        def work(connection: Connection) -> None:
            here = runs.c.id == self._known(connection, name)
            wanted = select(runs.c.owner, (runs.c.owned_until - now).label("left")).where(here)
            # Locked: of two that come at once, the second sees the first.
            held = connection.execute(wanted.with_for_update()).one()
            _refuse_second(name, held.owner, held.left or 0.0, owner)
            connection.execute(update(runs).where(here).values(_held(owner, now + lease)))

        self._database.write_hastily(work, repeatable=True)

    def disown(self, name: str, owner: Owner) -> None:
        """Leave a run to whoever comes; nothing where it is another owner's."""

        def work(connection: Connection) -> None:
            here = (runs.c.id == self._found(connection, name)) & (runs.c.owner == str(owner))
            free = {"owner": None, "owned_until": None}
            connection.execute(update(runs).where(here).values(free))

        self._database.write_hastily(work, repeatable=True)

    def append(self, name: str, at: int, events: Sequence[dict[str, Any]]) -> None:
        """Keep events; a second writer of the same run is refused by their numbers."""
        content = [plain(each, "event") for each in events]

        def work(connection: Connection) -> None:
            run = self._known(connection, name)
            here = (run_events.c.run_id == run) & (run_events.c.number >= at)
            if connection.scalar(select(run_events.c.number).where(here).limit(1)) is not None:
                raise StudyError(f"the training {name!r} goes on in another process")
            values = {"run_id": run, "number": at, "events": content}
            connection.execute(insert(run_events).values(values))
            now = {"revision": at + len(content), "changed_at": self._database.now()}
            connection.execute(update(runs).where(runs.c.id == run).values(now))

        self._database.write_hastily(work)

    def events(self, name: str, since: int = 0) -> list[dict[str, Any]]:
        """The events of a run after the first so many."""

        def work(connection: Connection) -> list[dict[str, Any]]:
            here = run_events.c.run_id == self._known(connection, name)
            number = run_events.c.number
            # The row that holds the first of them, or the end of all.
            first = connection.scalar(select(func.max(number)).where(here, number <= since)) or 0
            rows = select(run_events.c.events).where(here, number >= first).order_by(number)
            found = [event for row in connection.scalars(rows) for event in row]
            return found[since - first :]

        return self._database.read(work)

    def names(self) -> list[str]:
        """The runs, oldest first."""
        here = select(runs.c.name).where(runs.c.namespace == self._namespace).order_by(runs.c.id)
        return self._database.read(lambda connection: list(connection.scalars(here)))

    def some(self, after: str | None, limit: int) -> list[str]:
        """So many runs by name, after one."""
        here = runs.c.namespace == self._namespace
        if after is not None:
            here &= runs.c.name > after
        page = select(runs.c.name).where(here).order_by(runs.c.name).limit(limit)
        return self._database.read(lambda connection: list(connection.scalars(page)))

    def description(self, name: str) -> dict[str, Any]:
        """What `begin` was told first."""
        return self._database.read(lambda connection: self._described(connection, name))

    def delete(self, name: str) -> None:
        """Forget a run and its events."""

        def work(connection: Connection) -> None:
            run = self._known(connection, name)
            connection.execute(delete(run_events).where(run_events.c.run_id == run))
            connection.execute(delete(runs).where(runs.c.id == run))

        self._database.write(work)

    def _found(self, connection: Connection, name: str) -> int | None:
        here = (runs.c.namespace == self._namespace) & (runs.c.name == name)
        return connection.scalar(select(runs.c.id).where(here))

    def _known(self, connection: Connection, name: str) -> int:
        found = self._found(connection, name)
        if found is None:
            every = connection.scalars(
                select(runs.c.name).where(runs.c.namespace == self._namespace)
            )
            raise StudyError(f"there is no training {name!r}{nearest(name, list(every))}")
        return found

    def _described(self, connection: Connection, name: str) -> dict[str, Any]:
        run = self._known(connection, name)
        return dict(
            connection.execute(select(runs.c.described).where(runs.c.id == run)).scalar_one()
        )


def _held(owner: Owner, until: Any) -> dict[str, Any]:
    """The columns of a run that somebody goes on with."""
    return {"owner": str(owner), "owned_until": until}


def _refuse_second(name: str, held_by: str | None, left: float, owner: Owner) -> None:
    """Refuse an owner while another process goes on with the run."""
    if held_by is None:
        return
    other = Owner.parse(held_by)
    gone = other.known_dead or (not other.is_here and left <= 0)
    if gone or other.beside(owner):
        return
    where = f"process {other.pid} on {other.host.partition('/')[0]}"
    silent = "" if other.is_here else f", or wait {max(left, 1):.0f} s if it is gone"
    raise StudyError(
        f"the training {name!r} goes on in another process, {where}: expected that it has ended;"
        f" end it{silent}, or choose another name"
    )
