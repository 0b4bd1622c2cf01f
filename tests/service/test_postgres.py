"""The service on PostgreSQL: requests at once, and nothing that was acknowledged is lost."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import tunewise as tw
from tests.service.conftest import PASSWORD, PROGRAM, House, pairs
from tests.service.pages.studies import filled
from tunewise.storage import open_store
from tunewise.storage.copies import copying

API = "/api/v1"
pytestmark = pytest.mark.postgres


@pytest.fixture
def house(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.chdir(tmp_path)  # files of tasks are kept here
    made = House(postgres_url)
    yield made
    made.context.close()


def test_feeds_at_once_are_all_kept_and_none_twice(house: House) -> None:
    anna = house.person("anna", "reds")
    anna.post(f"{API}/tasks", json={"name": "t", "program": PROGRAM})
    with TestClient(house.app, base_url="http://tunewise.test") as client:
        client.headers["authorization"] = f"Bearer {house.token(anna)}"

        def feed(number: int) -> int:
            some = {"pairs": pairs(3, 2 * number)}  # one of three is the next request's, too
            answer = client.post(f"{API}/tasks/t/examples", json=some)
            assert answer.status_code == 200, answer.text
            return int(answer.json()["added"])

        with ThreadPoolExecutor(8) as pool:
            added = sum(pool.map(feed, range(40)))
        assert added == 81
        found = client.get(f"{API}/tasks/t/examples?limit=500").json()["examples"]
        assert len({one["id"] for one in found}) == 81
        assert client.get(f"{API}/tasks/t").json()["examples"] == 81


def test_people_tokens_and_the_audit_log_work_there_too(house: House) -> None:
    anna = house.person("anna", "reds")
    numbers = [anna.post(f"{API}/tokens", json={"name": "t"}).json()["number"] for _ in range(3)]
    assert numbers == [1, 2, 3]
    given = {"name": "reds/anna", "password": PASSWORD}
    assert house.browser().post(f"{API}/session", json=given).status_code == 201
    entries = anna.get(f"{API}/admin/audit").json()["entries"]
    assert [entry["number"] for entry in entries] == [4, 3, 2, 1]


def test_a_study_and_a_training_are_taken_elsewhere_whole(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_AT_ONCE", 7)
    filled(house.context.store, "tried", 30, 1)
    runs = house.context.store.runs()
    runs.begin("net", {"until": "loss <= 0.1"})
    for at in range(0, 40, 2):
        runs.append("net", at, [{"at": at}, {"at": at + 1}])
    anna = house.person("anna")
    (tmp_path / "tried.db").write_bytes(anna.get(f"{API}/studies/tried/storage").content)
    copy = tw.load_study(f"sqlite:///{tmp_path}/tried.db", "tried")
    assert [t.number for t in copy.history] == list(range(30))
    (tmp_path / "net.db").write_bytes(anna.get(f"{API}/trainings/net/storage").content)
    there = open_store(f"sqlite:///{tmp_path}/net.db")
    assert there.runs().events("net") == runs.events("net")
    there.close()
