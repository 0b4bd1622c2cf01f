"""Errors as people and programs read them: RFC 9457 problems with our sentences."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import orjson
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from tunewise.errors import NotReady, StorageError, TenancyError, TunewiseError

_STATUS: dict[type[TunewiseError], int] = {NotReady: 409, TenancyError: 409, StorageError: 503}
"""What a program is told besides the sentence; 422 for the rest."""


MEMBER = r"^[^\s/](?:[^/\x00-\x1f]*[^\s/])?$"
SCOPE = r"^(task|study):.{1,100}$"
TENANT = r"^[a-z0-9][a-z0-9-]*$"
NAME = r"^[^/]+$"
ID = "^e[0-9]{1,9}$"
EXPECTED = {
    MEMBER: "a name without '/', which neither begins nor ends with a space",
    SCOPE: "'task:NAME' or 'study:NAME'",
    TENANT: "small letters, digits and hyphens, such as 'botanists'",
    NAME: "a name without '/'",
    ID: "the id of an example, such as 'e17'",
}
"""What texts of a pattern look like, for people."""


class Problem(TunewiseError):
    """An error with a status of its own."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        """Say it in a sentence."""
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})


class NotSignedIn(Problem):
    """Nobody that is known."""

    def __init__(self, message: str) -> None:
        """Say it in a sentence."""
        super().__init__(401, message, {"WWW-Authenticate": "Bearer"})


def problem(
    status: int, sentence: str, headers: Mapping[str, str] | None = None, error: str = ""
) -> Response:
    """The answer that says what is wrong; `error` is what Python programs catch."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": sentence}
    body |= {"error": error} if error else {}
    return Response(orjson.dumps(body), status, headers, "application/problem+json")


async def on_error(request: Request, error: Exception) -> Response:
    """Of an error that Tunewise raised on purpose."""
    if isinstance(error, NotSignedIn) and _wants_a_page(request):
        after = quote(request.url.path + (f"?{request.url.query}" if request.url.query else ""))
        return RedirectResponse(f"/sign-in?next={after}", 303)
    if isinstance(error, Problem):
        cause = error.__cause__
        kind = type(cause).__name__ if isinstance(cause, TunewiseError) else ""
        return problem(error.status, str(error), error.headers, kind)
    status = next((s for kind, s in _STATUS.items() if isinstance(error, kind)), 422)
    return problem(status, str(error), error=type(error).__name__)


def _wants_a_page(request: Request) -> bool:
    page = "text/html" in request.headers.get("accept", "")
    return request.method == "GET" and page and not request.url.path.startswith("/api/")


async def on_http(request: Request, error: Exception) -> Response:
    """Of what the framework refuses: an unknown path or method."""
    assert isinstance(error, HTTPException)
    reads = "text/html" in request.headers.get("accept", "")
    if reads and not request.url.path.startswith("/api/"):
        from tunewise.service.pages.render import excuse

        return excuse(request, error)
    return problem(error.status_code, str(error.detail), error.headers)


async def on_fault(request: Request, error: Exception) -> Response:
    """Of a mistake of ours: the log has it under the request's number."""
    return problem(500, "something went wrong here; the log of the service says what")


def _said(fault: Any) -> str:
    """What is wrong with a value; with a text of a pattern, what was expected of it."""
    pattern = fault.get("ctx", {}).get("pattern")
    if pattern not in EXPECTED:
        return str(fault["msg"])
    return f"{fault['input']!r:.100}; expected {EXPECTED[pattern]}"


async def on_invalid(request: Request, error: Exception) -> Response:
    """Of a body or a parameter that is not as documented: each fault in a sentence."""
    assert isinstance(error, RequestValidationError)
    faults = []
    for fault in error.errors()[:10]:
        place = ".".join(map(str, fault["loc"][1:])) or str(fault["loc"][0])
        faults.append(f"{place}: {_said(fault)}")
    return problem(422, "; ".join(faults))
