"""Members of tenants, and invitations by which they come."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from tunewise.errors import TenancyError
from tunewise.storage.database import Database
from tunewise.storage.schema import invitations, members, sessions, tokens

_SHOWN = 16
"""Characters of an invitation's checksum that tell it apart."""


@dataclass(frozen=True)
class Member:
    """A person who may sign in.

    Attributes:
        id: A number within the store, told to nobody.
        namespace: The tenant's.
        name: Unique within the tenant.
        role: "admin", "member" or "viewer".
        password: Its hash.
        created_at: In seconds since the epoch.
    """

    id: int
    namespace: str
    name: str
    role: str
    password: str
    created_at: float


@dataclass(frozen=True)
class Invited:
    """An invitation that still holds.

    Attributes:
        id: The beginning of its checksum, which lets nobody in.
        role: Of whoever joins by it.
        by: Who made it.
        until: When it is over, in seconds since the epoch.
    """

    id: str
    role: str
    by: str
    until: float


class Members:
    """The members of a store's tenants."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database

    def any(self) -> bool:
        """Whether anybody may sign in at all."""
        one = select(members.c.id).limit(1)
        return self._database.read(lambda connection: connection.scalar(one) is not None)

    def find(self, namespace: str, name: str) -> Member | None:
        """The member of this name."""
        wanted = _of(namespace, name)

        def work(connection: Connection) -> Member | None:
            row = connection.execute(wanted).one_or_none()
            return None if row is None else _member(row)

        return self._database.read(work)

    def of(self, namespace: str, after: str = "", limit: int = 100) -> list[Member]:
        """A tenant's members by name, after one."""
        wanted = select(members).where(members.c.namespace == namespace, members.c.name > after)
        page = wanted.order_by(members.c.name).limit(limit)
        return self._database.read(lambda c: [_member(row) for row in c.execute(page)])

    def invite(self, hash: str, namespace: str, role: str, by: str, seconds: float) -> None:
        """Keep an invitation that lasts for so many seconds."""
        now = self._database.now()
        values = {"hash": hash, "namespace": namespace, "role": role, "by": by}
        added = insert(invitations).values(**values, created_at=now, until=now + seconds)
        self._database.write(lambda connection: connection.execute(added))

    def invitation(self, hash: str) -> tuple[str, str] | None:
        """The namespace and the role of an invitation that still holds."""
        wanted = self._invited(hash)

        def work(connection: Connection) -> tuple[str, str] | None:
            row = connection.execute(wanted).one_or_none()
            return None if row is None else (row.namespace, row.role)

        return self._database.read(work)

    def invited(self, namespace: str, limit: int = 100) -> list[Invited]:
        """A tenant's invitations that still hold, the newest first."""
        here = self._open(namespace)
        page = select(invitations).where(here).order_by(invitations.c.created_at.desc())

        def work(connection: Connection) -> list[Invited]:
            rows = connection.execute(page.limit(limit)).all()
            return [Invited(row.hash[:_SHOWN], row.role, row.by, row.until) for row in rows]

        return self._database.read(work)

    def withdraw(self, namespace: str, id: str) -> bool:
        """End an invitation; False where there is none."""
        found = self._open(namespace) & (func.substr(invitations.c.hash, 1, _SHOWN) == id)
        gone = delete(invitations).where(found)
        return self._database.write(lambda connection: connection.execute(gone).rowcount > 0)

    def join(self, hash: str, name: str, password: str) -> Member | None:
        """Use an invitation up; None where it does not hold. A name that is taken is refused."""

        def work(connection: Connection) -> Member | None:
            row = connection.execute(self._invited(hash).with_for_update()).one_or_none()
            if row is None:
                return None
            if connection.execute(_of(row.namespace, name)).one_or_none() is not None:
                raise TenancyError(f"there is a member {name!r} already; choose another name")
            values = {"namespace": row.namespace, "name": name, "role": row.role}
            now = self._database.now()
            connection.execute(insert(members).values(**values, password=password, created_at=now))
            connection.execute(delete(invitations).where(invitations.c.hash == hash))
            return _member(connection.execute(_of(row.namespace, name)).one())

        return self._database.write(work)

    def change(self, member: Member, *, role: str | None = None, password: str = "") -> None:
        """Give another role or password; the last admin of a tenant stays one."""

        def work(connection: Connection) -> None:
            values: dict[str, str] = {"password": password} if password else {}
            if role is not None and role != member.role:
                self._keep_an_admin(connection, member)
                values["role"] = role
            if values:
                connection.execute(update(members).where(members.c.id == member.id).values(values))
            if password:
                connection.execute(delete(sessions).where(sessions.c.member_id == member.id))

        self._database.write(work, repeatable=True)

    def remove(self, member: Member) -> None:
        """Let a member go, with everything that lets the member in."""

        def work(connection: Connection) -> None:
            self._keep_an_admin(connection, member)
            for table in (sessions, tokens):
                connection.execute(delete(table).where(table.c.member_id == member.id))
            connection.execute(delete(members).where(members.c.id == member.id))

        self._database.write(work, repeatable=True)

    def _keep_an_admin(self, connection: Connection, member: Member) -> None:
        if member.role != "admin":
            return
        here = (members.c.namespace == member.namespace) & (members.c.role == "admin")
        # Locked: of two that go at once, the second sees that it is the last.
        admins = connection.execute(select(members.c.id).where(here).with_for_update()).all()
        if len(admins) < 2:
            raise TenancyError(f"{member.name!r} is the only admin; make another one first")

    def _open(self, namespace: str) -> ColumnElement[bool]:
        holds = invitations.c.until > self._database.now()
        return (invitations.c.namespace == namespace) & holds

    def _invited(self, hash: str) -> Any:
        now = self._database.now()
        return select(invitations).where(invitations.c.hash == hash, invitations.c.until > now)


def _of(namespace: str, name: str) -> Any:
    return select(members).where(members.c.namespace == namespace, members.c.name == name)


def _member(row: Row[Any]) -> Member:
    return Member(row.id, row.namespace, row.name, row.role, row.password, row.created_at)
