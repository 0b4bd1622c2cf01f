"""What lets members in: sessions of browsers and tokens of programs, by their checksums."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from tunewise.storage.accounts.members import Member
from tunewise.storage.database import Database
from tunewise.storage.schema import members, sessions, tokens

_NOTED = 60.0
"""Seconds between two notes of a token's last use: a write for each request would be too much."""


@dataclass(frozen=True)
class TokenRow:
    """A token, without what makes it one.

    Attributes:
        number: Within the tenant.
        name: What the member calls it.
        member: Whose it is.
        prefix: Its first characters.
        scope: Such as "task:clothes"; None: all that the member may.
        created_at: In seconds since the epoch.
        until: When it ends, if ever.
        used_at: When it was last used, give or take a minute.
    """

    number: int
    name: str
    member: str
    prefix: str
    scope: str | None
    created_at: float
    until: float | None
    used_at: float | None


@dataclass(frozen=True)
class Bearer:
    """Who holds a session or a token, what it is good for, and the number of the token."""

    member: str
    namespace: str
    role: str
    scope: str | None = None
    token: int | None = None


class Keys:
    """Sessions and tokens of a store's members."""

    def __init__(self, database: Database) -> None:
        """In a database."""
        self._database = database

    def begin_session(self, hash: str, member: Member, seconds: float) -> None:
        """Let a browser in for so many seconds; sessions that are over are forgotten."""
        now = self._database.now()
        values = {"hash": hash, "member_id": member.id, "created_at": now, "until": now + seconds}

        def work(connection: Connection) -> None:
            connection.execute(delete(sessions).where(sessions.c.until < now))
            connection.execute(insert(sessions).values(values))

        self._database.write(work)

    def end_session(self, hash: str) -> None:
        """Let a browser in no longer."""
        gone = delete(sessions).where(sessions.c.hash == hash)
        self._database.write(lambda connection: connection.execute(gone), repeatable=True)

    def session(self, hash: str) -> Bearer | None:
        """Whose session it is, while it lasts."""
        here = (sessions.c.hash == hash) & (sessions.c.until > self._database.now())
        wanted = select(members).join(sessions, sessions.c.member_id == members.c.id).where(here)

        def work(connection: Connection) -> Bearer | None:
            row = connection.execute(wanted).one_or_none()
            return None if row is None else Bearer(row.name, row.namespace, row.role)

        return self._database.read(work)

    def add_token(
        self,
        hash: str,
        member: Member,
        name: str,
        prefix: str,
        scope: str | None,
        seconds: float | None,
        made_by: int | None = None,
    ) -> TokenRow:
        """Keep a token, for so many seconds or for good; no longer than the one that makes it."""

        def work(connection: Connection) -> TokenRow:
            own = tokens.c.namespace == member.namespace
            now = float(connection.scalar(select(self._database.now())) or 0.0)
            maker = select(tokens.c.until).where(own, tokens.c.number == made_by)
            ends = [connection.scalar(maker), None if seconds is None else now + seconds]
            # The member's row serves as the lock of the tenant's numbers.
            tenant = select(members.c.id).where(members.c.namespace == member.namespace)
            connection.execute(tenant.order_by(members.c.id).limit(1).with_for_update())
            last = connection.scalar(select(func.max(tokens.c.number)).where(own)) or 0
            values = {
                "hash": hash,
                "member_id": member.id,
                "number": last + 1,
                "namespace": member.namespace,
                "name": name,
                "prefix": prefix,
                "scope": scope,
                "created_at": now,
                "until": min((end for end in ends if end is not None), default=None),
                "made_by": made_by,
            }
            connection.execute(insert(tokens).values(values))
            told = (values["number"], name, member.name, prefix, scope, now, values["until"])
            return TokenRow(*told, used_at=None)  # type: ignore[arg-type]

        return self._database.write(work)

    def token(self, hash: str) -> Bearer | None:
        """Whose token it is, while it lasts; that it was used is noted."""
        now = self._database.now()
        holds = or_(tokens.c.until.is_(None), tokens.c.until > now)
        stale = or_(tokens.c.used_at.is_(None), tokens.c.used_at < now - _NOTED)
        wanted = (
            select(members, tokens.c.scope, tokens.c.number, stale.label("stale"))
            .join(tokens, tokens.c.member_id == members.c.id)
            .where(tokens.c.hash == hash, holds)
        )
        row = self._database.read(lambda connection: connection.execute(wanted).one_or_none())
        if row is None:
            return None
        if row.stale:
            noted = update(tokens).where(tokens.c.hash == hash).values(used_at=now)
            self._database.write_hastily(lambda c: c.execute(noted), repeatable=True)
        return Bearer(row.name, row.namespace, row.role, row.scope, row.number)

    def tokens(
        self, namespace: str, member: str | None = None, after: int = 0, limit: int = 100
    ) -> list[TokenRow]:
        """The tokens of a tenant, or of one of its members, in their order."""
        wanted = select(tokens, members.c.name.label("member")).join(members)
        wanted = wanted.where(tokens.c.namespace == namespace, tokens.c.number > after)
        if member is not None:
            wanted = wanted.where(members.c.name == member)
        page = wanted.order_by(tokens.c.number).limit(limit)
        return self._database.read(lambda c: [_token(row) for row in c.execute(page)])

    def revoke(self, namespace: str, number: int, member: str | None = None) -> str | None:
        """End a token and all that were made by it: its checksum, None where there is none.

        With a member, one of theirs alone.
        """
        own = tokens.c.namespace == namespace
        here = (tokens.c.namespace == namespace) & (tokens.c.number == number)
        wanted = select(tokens.c.hash).join(members).where(here)
        if member is not None:
            wanted = wanted.where(members.c.name == member)

        def work(connection: Connection) -> str | None:
            hash = connection.scalar(wanted)
            gone = [] if hash is None else [number]
            for each in gone:
                made = select(tokens.c.number).where(own, tokens.c.made_by == each)
                gone += connection.scalars(made)
            connection.execute(delete(tokens).where(own, tokens.c.number.in_(gone)))
            return hash

        return self._database.write(work, repeatable=True)


def _token(row: Row[Any]) -> TokenRow:
    return TokenRow(
        *(row.number, row.name, row.member, row.prefix, row.scope),
        *(row.created_at, row.until, row.used_at),
    )
