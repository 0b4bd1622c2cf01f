"""Job files that were submitted, until a worker has run them."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, exists, func, insert, or_, select, update

from tunewise.storage.codec import plain
from tunewise.storage.database import Database
from tunewise.storage.schema import jobs, studies


@dataclass(frozen=True)
class JobRow:
    """A submitted job file.

    Attributes:
        id: Its number in the store, told to nobody.
        namespace: The tenant's.
        name: Of its study.
        text: The job file.
        settings: What was asked for besides, as JSON.
        member: Who submitted it.
        state: "waiting", "running", "done", "failed" or "stopped".
        said: How it ended.
        created_at: In seconds since the epoch.
    """

    id: int
    namespace: str
    name: str
    text: str
    settings: dict[str, Any]
    member: str
    state: str
    said: str | None
    created_at: float


class Jobs:
    """The jobs of a store."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database

    def submit(
        self, namespace: str, name: str, text: str, settings: dict[str, Any], member: str
    ) -> None:
        """Keep a job file for the next worker."""
        values = {
            "namespace": namespace,
            "name": name,
            "text": text,
            "settings": plain(settings, "settings"),
            "member": member,
            "state": "waiting",
            "created_at": self._database.now(),
        }
        self._database.write(lambda connection: connection.execute(insert(jobs).values(values)))

    def of(self, namespace: str, name: str) -> JobRow | None:
        """The last job of a study."""
        here = (jobs.c.namespace == namespace) & (jobs.c.name == name)
        last = select(jobs).where(here).order_by(jobs.c.id.desc()).limit(1)

        def work(connection: Connection) -> JobRow | None:
            row = connection.execute(last).one_or_none()
            return None if row is None else _job(row)

        return self._database.read(work)

    def open(self, namespace: str) -> int:
        """How many of a tenant's jobs wait or run."""
        here = (jobs.c.namespace == namespace) & jobs.c.state.in_(["waiting", "running"])
        wanted = select(func.count()).select_from(jobs).where(here)
        return self._database.read(lambda connection: int(connection.scalar(wanted) or 0))

    def kept(self) -> set[int]:
        """The jobs that wait or run, or whose study is there."""
        named = (studies.c.namespace == jobs.c.namespace) & (studies.c.name == jobs.c.name)
        open = jobs.c.state.in_(["waiting", "running"])
        wanted = select(jobs.c.id).where(or_(open, exists().where(named)))
        return self._database.read(lambda connection: set(connection.scalars(wanted)))

    def claim(self, owner: str, seconds: float) -> JobRow | None:
        """Take the oldest job that nobody runs, for so many seconds; None where there is none."""

        def work(connection: Connection) -> JobRow | None:
            now = float(connection.scalar(select(self._database.now())) or 0.0)
            gone = (jobs.c.state == "running") & (jobs.c.owned_until < now)
            free = select(jobs).where(or_(jobs.c.state == "waiting", gone)).order_by(jobs.c.id)
            first = free.limit(1).with_for_update(skip_locked=True)
            row = connection.execute(first).one_or_none()
            if row is None:
                return None
            told = {"state": "running", "owner": owner, "owned_until": now + seconds}
            connection.execute(update(jobs).where(jobs.c.id == row.id).values(told))
            return _job(row)

        return self._database.write(work)

    def renew(self, job: int, owner: str, seconds: float) -> bool:
        """Go on with a job for so many seconds; False where it was stopped or is another's."""
        now = self._database.now()
        here = (jobs.c.id == job) & (jobs.c.owner == owner) & (jobs.c.state == "running")
        more = update(jobs).where(here).values(owned_until=now + seconds)
        return self._database.write_hastily(
            lambda c: c.execute(more).rowcount == 1, repeatable=True
        )

    def end(self, job: int, owner: str, state: str, said: str) -> None:
        """Say how a job ended; nothing where it was stopped or is another's."""
        here = (jobs.c.id == job) & (jobs.c.owner == owner) & (jobs.c.state == "running")
        over = update(jobs).where(here).values(state=state, said=said, owner=None)
        self._database.write(lambda connection: connection.execute(over), repeatable=True)

    def stop(self, namespace: str, name: str) -> bool:
        """Stop what waits or runs of a study's jobs: whether there was any."""
        here = (jobs.c.namespace == namespace) & (jobs.c.name == name)
        going = here & jobs.c.state.in_(["waiting", "running"])
        over = update(jobs).where(going).values(state="stopped", said="a person stopped it")
        return self._database.write(lambda c: c.execute(over).rowcount > 0, repeatable=True)


def _job(row: Row[Any]) -> JobRow:
    return JobRow(
        *(row.id, row.namespace, row.name, row.text, dict(row.settings)),
        *(row.member, row.state, row.said, row.created_at),
    )
