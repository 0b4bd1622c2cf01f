"""The Python lines that pages show: each does what it says, against a real service."""

import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

import tunewise
from tests.cli.shell import invoke
from tests.service.conftest import PASSWORD
from tests.service.pages.studies import filled
from tests.service.server import Server, started
from tunewise.service.context import Context


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with accounts, in processes of its own."""
    with started(tmp_path_factory.mktemp("lines"), "--workers", "0") as server:
        yield server


class Person(httpx.Client):
    """Somebody who has joined by a link, with a token beside."""

    def __init__(self, link: str, name: str) -> None:
        base, _, token = link.partition("/invitations/")
        super().__init__(base_url=base, headers={"sec-fetch-site": "same-origin"}, timeout=60.0)
        given = {"name": name, "password": PASSWORD}
        self.post(f"/api/v1/invitations/{token}/join", json=given).raise_for_status()
        made = self.post("/api/v1/tokens", json={"name": "lines"})
        self.token = str(made.raise_for_status().json()["token"])

    def shown(self, page: str) -> list[str]:
        """What the page offers to copy."""
        text = self.get(page, headers={"accept": "text/html"}).raise_for_status().text
        return [unescape(each) for each in re.findall(r'data-copy="([^"]*)"', text)]

    def runs(self, page: str, word: str, **replaced: str) -> dict[str, Any]:
        """Run the lines of a page that hold a word: the names that they made."""
        (lines,) = {each for each in self.shown(page) if word in each and "tunewise." in each}
        for before, after in {"tw_…": self.token, **replaced}.items():
            lines = lines.replace(before, after)
        made: dict[str, Any] = {"tunewise": tunewise, "Path": Path}
        exec(lines, made)
        return made


@pytest.fixture(scope="module")
def root(served: Server) -> Iterator[Person]:
    assert served.link is not None
    person = Person(served.link, "root")
    yield person
    person.close()


def test_members_and_tokens_are_changed_by_the_lines_of_the_admin_page(root: Person) -> None:
    link = tunewise.Client(str(root.base_url), token=root.token).invite("member")
    Person(link, "ben").close()
    made = root.runs("/admin", "set_role", NAME="ben")
    done = {(e["action"], e["subject"]) for e in root.get("/api/v1/admin/audit").json()["entries"]}
    assert done >= {("role changed to viewer", "ben"), ("member removed", "ben")}
    assert [m["name"] for m in root.get("/api/v1/members").json()["members"]] == ["root"]
    spare = made["client"].new_token("spare", scope=None, days=1)
    number = next(t["number"] for t in made["client"].tokens() if t["name"] == "spare")
    made["client"].revoke(number)
    with pytest.raises(tunewise.TunewiseError, match="unknown, expired or revoked"):
        tunewise.Client(str(root.base_url), token=spare).tokens()
    assert any("client.revoke(" in each for each in root.shown("/admin"))
    root.runs("/admin", "client.tenant(")
    (green,) = [t for t in root.get("/api/v1/tenants").json()["tenants"] if t["name"] != "local"]
    assert (green["usd"], green["seconds"], green["weight"]) == (100, 36000, 2)


def test_an_invitation_is_withdrawn_by_the_line_of_the_admin_page(root: Person) -> None:
    root.post("/api/v1/invitations", json={"role": "viewer"}).raise_for_status()
    root.runs("/admin", "client.withdraw")
    (left,) = root.get("/api/v1/invitations").json()["invitations"]
    assert left["role"] == "member"  # the line has made one, and withdrawn the one that was there


def test_the_lines_of_the_account_page_make_a_token_and_change_the_password(
    root: Person,
) -> None:
    link = tunewise.Client(str(root.base_url), token=root.token).invite("member")
    with closing(Person(link, "carla")) as carla:
        carla.post("/api/v1/tasks", json={"name": "clothes", "program": "table(2) -> number"})
        carla.runs("/account", "new_token")
        tokens = carla.get("/api/v1/tokens").json()["tokens"]
        assert {(t["name"], t["scope"]) for t in tokens} >= {("my notebook", "task:clothes")}
        both = {"the one now": PASSWORD, "the new one": "another good one"}
        carla.runs("/account", "change_password", **both)
        again = {"name": "carla", "password": "another good one"}
        assert carla.post("/api/v1/session", json=again).status_code == 201


def test_compared_studies_and_trials_say_how_to_look_at_them_elsewhere(
    root: Person, served: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = Context.open(served.storage)
    filled(context.store, "one", 3)
    filled(context.store, "its other", 3)
    context.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUNEWISE_TOKEN", root.token)
    compared = "/studies/compare?name=one&name=its other"
    made = root.runs(compared, "studies")
    assert [study.name for study in made["studies"]] == ["one", "its other"]
    for page, last in (
        (compared, "'its other'"),
        ("/studies/one/trials/compare?trial=0&trial=2", "2"),
    ):
        (commands,) = [each for each in root.shown(page) if each.startswith("tunewise show")]
        assert f" {last} --server" in commands
        for line in commands.splitlines():
            assert invoke(*shlex.split(line)[1:]).exit_code == 0, line
    made = root.runs("/studies/one/trials/compare?trial=0&trial=2", "study.trial")
    assert [trial.number for trial in made["trials"]] == [0, 2]
