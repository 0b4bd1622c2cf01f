"""The application: the API, the event stream, health, and the pages, over one context."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from tunewise.errors import TunewiseError
from tunewise.service import health, pages
from tunewise.service.api import router
from tunewise.service.api.answers import infer
from tunewise.service.api.models import ProblemDetails
from tunewise.service.context import Context
from tunewise.service.events import LISTS, Stream
from tunewise.service.middleware import Attended
from tunewise.service.problems import Problem, on_error, on_fault, on_http, on_invalid
from tunewise.service.viewer import API, Here, Who

MOST_TOPICS = 100
"""Topics of one stream of events."""


def create_app(context: Context) -> FastAPI:
    """The application of a context; it closes the context when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            context.close()

    app = FastAPI(
        title="Tunewise",
        version="1",
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # it would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        exception_handlers={
            TunewiseError: on_error,
            HTTPException: on_http,
            RequestValidationError: on_invalid,
            Exception: on_fault,
        },
    )
    app.state.context = context
    app.add_middleware(Attended, context=context)
    # Before all others, and without what a typed route does besides: nothing is asked as often.
    app.router.routes.append(Route(f"{API}/tasks/{{name}}/infer", infer, methods=["POST"]))
    app.include_router(router(), prefix=API)
    app.include_router(health.router)
    app.add_api_route("/events", events, response_class=Response, include_in_schema=False)
    app.include_router(pages.router())
    described = app.openapi
    app.openapi = lambda: _with_problems(described())  # type: ignore[method-assign]
    return app


async def events(
    here: Here, who: Who, request: Request, topics: Annotated[str, Query(max_length=12_000)]
) -> Response:
    """What changed of some topics, as server-sent events."""
    named = [unquote(topic) for topic in topics.split(",") if topic]
    for topic in named:
        if topic not in LISTS.values() and topic.partition(":")[0] not in LISTS:
            raise Problem(422, f"{topic!r:.80} is no topic; expected one such as 'task:NAME'")
    if not 1 <= len(named) <= MOST_TOPICS:
        raise Problem(422, f"{len(named)} topics; expected 1 to {MOST_TOPICS}")
    return Stream(here.hub, [(who.namespace, topic) for topic in dict.fromkeys(named)])


def _with_problems(described: dict[str, Any]) -> dict[str, Any]:
    """The description, with what a problem looks like."""
    schemas = described.setdefault("components", {}).setdefault("schemas", {})
    schemas.setdefault("ProblemDetails", ProblemDetails.model_json_schema())
    return described
