"""One leads, and a leader that another has followed can write no more."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunewise.errors import RightLost
from tunewise.storage.accounts import Audit, Leases
from tunewise.storage.database import Database
from tunewise.storage.opening import parsed_url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    sqlite = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/q.db" if sqlite else request.getfixturevalue("postgres_url")
    parsed = parsed_url(url)
    assert parsed is not None
    opened = Database(parsed)
    yield opened
    opened.close()


def test_one_leads_until_it_is_silent_for_too_long(database: Database) -> None:
    leases = Leases(database)
    first = leases.take("x", "anna", 60.0)
    assert first is not None
    assert leases.take("x", "ben", 60.0) is None
    again = leases.take("x", "anna", -1.0)
    assert again is not None and again.fence == first.fence
    second = leases.take("x", "ben", 60.0)
    assert second is not None and second.fence > first.fence
    assert leases.take("x", "anna", 60.0) is None
    leases.release(first)
    assert leases.take("x", "anna", 60.0) is None
    leases.release(second)
    assert leases.take("x", "anna", 60.0) is not None


def test_who_was_followed_cannot_write(database: Database) -> None:
    leases, audit = Leases(database), Audit(database)
    for number in range(3):
        audit.note("team", "anna", f"action {number}")
    old = leases.take("chores", "anna", -1.0)
    new = leases.take("chores", "ben", 60.0)
    assert old is not None and new is not None
    with pytest.raises(RightLost, match="another process took over"):
        audit.forget(time.time() + 60, old)
    assert len(audit.entries("team")) == 3
    assert audit.forget(time.time() + 60, new) == 2
    audit.note("team", "anna", "one more")
    assert [entry.number for entry in audit.entries("team")] == [4, 3]
