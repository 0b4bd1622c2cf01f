"""Spans of requests, where OpenTelemetry is installed; it decides itself whether they go anywhere.

`opentelemetry-instrument tunewise serve` sets it up from the variables that it documents.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from starlette.types import Scope

Told = dict[str, Any]
_INSTALLED = find_spec("opentelemetry") is not None


@contextmanager
def span(scope: Scope, told: Told) -> Iterator[None]:
    """A span around a request; what is put into `told` meanwhile is said of it."""
    if not _INSTALLED:
        yield
        return
    from opentelemetry import propagate, trace

    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    begun = trace.get_tracer("tunewise").start_as_current_span(
        scope["method"], propagate.extract(headers), trace.SpanKind.SERVER
    )
    with begun as made:
        try:
            yield
        finally:
            made.update_name(f"{scope['method']} {told.get('http.route', '')}".strip())
            made.set_attributes({"http.request.method": scope["method"], **told})
            if told.get("http.response.status_code", 500) >= 500:
                made.set_status(trace.StatusCode.ERROR)
