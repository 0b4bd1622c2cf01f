from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tunewise.service import Context
from tunewise.service.app import create_app


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return TestClient(create_app(Context.open(f"sqlite:///{tmp_path}/t.db")))


def test_an_unknown_path_is_a_problem_in_json(client: TestClient) -> None:
    answer = client.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["title"] == "Not Found"


def test_the_api_describes_itself(client: TestClient) -> None:
    described = client.get("/api/v1/openapi.json").json()
    assert described["info"]["title"] == "Tunewise"
