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


def test_requests_are_spans_where_opentelemetry_is_set_up(client: TestClient) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    parent = "0af7651916cd43dd8448eb211c80319c"
    client.get("/api/v1/tasks/x", headers={"traceparent": f"00-{parent}-b7ad6b7169203331-01"})
    spans = [span for span in kept.get_finished_spans() if span.name.startswith("GET")]
    assert [span.name for span in spans] == ["GET /api/v1/tasks/{name}"]
    assert spans[0].attributes is not None and spans[0].context is not None
    assert spans[0].attributes["http.response.status_code"] == 404
    assert f"{spans[0].context.trace_id:032x}" == parent
