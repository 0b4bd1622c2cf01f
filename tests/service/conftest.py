"""A service over a real store, in this process; and people who use it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from tests.service.server import Server, started
from tunewise.service.accounts.passwords import Passwords
from tunewise.service.accounts.secret import Secret
from tunewise.service.app import create_app
from tunewise.service.context import Context, Settings

PASSWORD = "correct horse battery"


@pytest.fixture(params=["sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/service.db"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def local(url: str) -> Iterator[TestClient]:
    """The one viewer of a service without accounts."""
    context = Context.open(url, settings=Settings(jobs=True))
    with TestClient(create_app(context), base_url="http://127.0.0.1:8700") as client:
        yield client


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service in processes of its own, without accounts; tests share it, each with own names."""
    with started(tmp_path_factory.mktemp("running"), "--no-accounts", "--workers", "0") as server:
        yield server


class House:
    """A service with accounts, and a way to let people in."""

    def __init__(self, url: str) -> None:
        self.context = Context.open(url, accounts=True, settings=Settings(jobs=True))
        # As slow as it has to be, a hash would be most of what these tests do.
        quick = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
        vars(self.context)["passwords"] = Passwords(quick)
        self.app = create_app(self.context)
        self.context.tenants.ensure("")

    def person(self, name: str, tenant: str = "", role: str = "admin") -> TestClient:
        """A member of a tenant, who has signed in."""
        self.context.tenants.ensure(tenant)
        secret = Secret.new()
        self.context.members.invite(secret.hash, tenant, role, "nobody", 60.0)
        browser = self.browser()
        given = {"name": name, "password": PASSWORD}
        answer = browser.post(f"/api/v1/invitations/{secret.text}/join", json=given)
        assert answer.status_code == 201, answer.text
        return browser

    def browser(self) -> TestClient:
        """Somebody who has not signed in."""
        headers = {"sec-fetch-site": "same-origin"}
        return TestClient(self.app, base_url="http://tunewise.test", headers=headers)

    def program(self, token: str = "") -> TestClient:
        """A program with a token, or with none."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return TestClient(self.app, base_url="http://tunewise.test", headers=headers)

    def token(self, person: TestClient, **given: Any) -> str:
        """A new token of a person."""
        answer = person.post("/api/v1/tokens", json={"name": "t", **given})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])


@pytest.fixture
def house(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    made = House(url)
    yield made
    made.context.close()


def pairs(count: int, first: int = 0) -> list[dict[str, Any]]:
    """Points that are "low" or "high" by their first number."""
    return [
        {"input": [i % 7, i / 100, 1.0, i % 3], "output": "low" if i % 7 < 4 else "high"}
        for i in range(first, first + count)
    ]


PROGRAM = "table(4) -> [low, high]"

__all__ = ["House", "PASSWORD", "PROGRAM", "pairs"]
