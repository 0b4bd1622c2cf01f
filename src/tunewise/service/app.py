"""The application: the API, the event stream, health, and the pages, over one context."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from tunewise.errors import TunewiseError
from tunewise.service.api import router
from tunewise.service.context import Context
from tunewise.service.problems import on_error, on_http, on_invalid

API = "/api/v1"


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
        },
    )
    app.state.context = context
    app.include_router(router(), prefix=API)
    if find_spec("tunewise.service.pages") is not None:
        app.include_router(import_module("tunewise.service.pages").router())
    return app
