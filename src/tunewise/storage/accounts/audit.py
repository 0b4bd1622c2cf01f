"""Who did what: one line for everything that was changed, kept for each tenant."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from tunewise.storage.accounts.leases import Lease, check_fence
from tunewise.storage.database import Database
from tunewise.storage.schema import audit


@dataclass(frozen=True)
class Entry:
    """Something that somebody did.

    Attributes:
        number: Within the tenant.
        at: In seconds since the epoch.
        member: Who.
        action: Such as "task created".
        subject: To what.
    """

    number: int
    at: float
    member: str
    action: str
    subject: str


class Audit:
    """The entries of all tenants."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database

    def note(self, namespace: str, member: str, action: str, subject: str = "") -> None:
        """Keep one more entry."""
        table, own = audit, audit.c.namespace == namespace

        def work(connection: Connection) -> None:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("LOCK TABLE tunewise_audit IN EXCLUSIVE MODE")
            number = (connection.scalar(select(func.max(table.c.number)).where(own)) or 0) + 1
            said = {"member": member, "action": action, "subject": subject}
            values = {"namespace": namespace, "number": number, "at": self._database.now(), **said}
            connection.execute(insert(table).values(values))

        self._database.write(work)

    def entries(self, namespace: str, before: int | None = None, limit: int = 100) -> list[Entry]:
        """The newest first, before one."""
        wanted = select(audit).where(audit.c.namespace == namespace)
        if before is not None:
            wanted = wanted.where(audit.c.number < before)
        page = wanted.order_by(audit.c.number.desc()).limit(limit)

        def work(connection: Connection) -> list[Entry]:
            rows = connection.execute(page)
            return [Entry(r.number, r.at, r.member, r.action, r.subject) for r in rows]

        return self._database.read(work)

    def forget(self, before: float, lease: Lease) -> int:
        """Drop entries older than a moment, the last of each tenant aside: how many.

        Only for whoever leads by the lease.
        """
        newest = select(func.max(audit.c.id)).group_by(audit.c.namespace)
        old = delete(audit).where(audit.c.at < before, audit.c.id.not_in(newest))

        def work(connection: Connection) -> int:
            check_fence(connection, lease)
            return int(connection.execute(old).rowcount)

        return self._database.write(work, repeatable=True)
