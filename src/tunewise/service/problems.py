"""Errors as people and programs read them: RFC 9457 problems with our sentences."""

from collections.abc import Mapping
from http import HTTPStatus

import orjson
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from tunewise.errors import NotReady, StorageError, TunewiseError

_STATUS: dict[type[TunewiseError], int] = {NotReady: 409, StorageError: 503}
"""What a program is told besides the sentence; 422 for the rest."""


class Problem(TunewiseError):
    """An error with a status of its own."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        """Say it in a sentence."""
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})


def problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that says what is wrong."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": sentence}
    return Response(orjson.dumps(body), status, headers, "application/problem+json")


async def on_error(request: Request, error: Exception) -> Response:
    """Of an error that Tunewise raised on purpose."""
    if isinstance(error, Problem):
        return problem(error.status, str(error), error.headers)
    status = next((s for kind, s in _STATUS.items() if isinstance(error, kind)), 422)
    return problem(status, str(error))


async def on_http(request: Request, error: Exception) -> Response:
    """Of what the framework refuses: an unknown path or method."""
    assert isinstance(error, HTTPException)
    return problem(error.status_code, str(error.detail), error.headers)


async def on_invalid(request: Request, error: Exception) -> Response:
    """Of a body or a parameter that is not as documented: each fault in a sentence."""
    assert isinstance(error, RequestValidationError)
    faults = []
    for fault in error.errors()[:10]:
        place = ".".join(map(str, fault["loc"][1:])) or str(fault["loc"][0])
        faults.append(f"{place}: {fault['msg']}")
    return problem(422, "; ".join(faults))
