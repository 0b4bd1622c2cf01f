"""Who leads: a lease in a row, with a fence that every write of the leader checks.

A leader that was silent for too long loses the lease, and with it the right to write: the fence has
risen meanwhile. There is no lock of a session, which would break behind a pooler.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from tunewise.errors import RightLost
from tunewise.storage.database import Database
from tunewise.storage.schema import leases


@dataclass(frozen=True)
class Lease:
    """The right to lead.

    Attributes:
        name: What is led.
        owner: Who leads.
        fence: Rises whenever another takes over.
    """

    name: str
    owner: str
    fence: int


class Leases:
    """The leases of a store."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database

    def take(self, name: str, owner: str, seconds: float) -> Lease | None:
        """Lead for so many seconds from now, again or anew; None while another does."""

        def work(connection: Connection) -> Lease | None:
            now = float(connection.scalar(select(self._database.now())) or 0.0)
            wanted = select(leases).where(leases.c.name == name).with_for_update()
            row = connection.execute(wanted).one_or_none()
            if row is None:
                values = {"name": name, "owner": owner, "fence": 1, "until": now + seconds}
                connection.execute(insert(leases).values(values))
                return Lease(name, owner, 1)
            if row.owner != owner and row.until > now:
                return None
            fence = row.fence + (row.owner != owner or row.until <= now)
            told = {"owner": owner, "fence": fence, "until": now + seconds}
            connection.execute(update(leases).where(leases.c.name == name).values(told))
            return Lease(name, owner, fence)

        return self._database.write_hastily(work, repeatable=True)

    def release(self, lease: Lease) -> None:
        """Let another lead at once."""
        here = (leases.c.name == lease.name) & (leases.c.fence == lease.fence)
        over = update(leases).where(here).values(until=0.0)
        self._database.write_hastily(lambda c: c.execute(over), repeatable=True)


def check_fence(connection: Connection, lease: Lease) -> None:
    """Refuse to write for a leader that another has followed; nobody takes over meanwhile."""
    wanted = select(leases.c.fence).where(leases.c.name == lease.name).with_for_update(read=True)
    if connection.scalar(wanted) != lease.fence:
        raise RightLost(f"{lease.owner} leads {lease.name!r} no more: another process took over")
