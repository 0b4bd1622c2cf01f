"""What happens to every request: a number, bounds on its body, headers, a line in the log."""

import asyncio
import logging
import re
import time
from random import Random
from typing import Any
from urllib.parse import unquote

import orjson
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tunewise.service.context import Context
from tunewise.service.problems import problem
from tunewise.service.tracing import span
from tunewise.service.viewer import API, SLASH

SLOWEST = 30.0
"""Seconds that a client may take for the next part of a body."""

_MB = 1024 * 1024
_LIMITS = (
    (re.compile(r"/api/v1/(tasks/[^/]+/uploads|programs/propose)"), 512 * _MB),
    (re.compile(r"/api/v1/tasks/[^/]+/(examples|infer)"), 32 * _MB),
    (re.compile(r"/api/v1/jobs"), 16 * _MB),  # with the files that they bring
)
SMALL = _MB
"""Bytes of a body where nothing else is said."""

_RANDOM = Random()
"""Numbers of requests: no secrets, and quicker than the system's own randomness."""

_KNOWN = re.compile("[A-Za-z0-9-]{8,64}")
_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
    " blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", _POLICY.encode()),
    (b"cache-control", b"no-store"),
]
"""Where a route does not say otherwise."""

_log = logging.getLogger("tunewise.service")


class Attended:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, context: Context) -> None:
        """Around an application."""
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Attend to a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told: dict[str, Any] = {}
        with span(scope, told):
            await self._attend(scope, receive, send, told)

    async def _attend(
        self, scope: Scope, receive: Receive, send: Send, told: dict[str, Any]
    ) -> None:
        began, status, number = time.perf_counter(), 500, _number(scope)
        if b"%2f" in (raw := scope.get("raw_path") or b"").lower():
            scope["path"] = "/".join(unquote(p).replace("/", SLASH) for p in raw.split(b"/"))
        answered = None

        async def sending(message: Message) -> None:
            nonlocal status, answered
            if message["type"] == "http.response.start":
                status, answered = message["status"], time.perf_counter()
                message["headers"] = _with_headers(message["headers"], number)
            await send(message)

        try:
            limit = _limit(scope["path"])
            if _announced(scope) > limit:
                said = problem(413, f"the body is larger than the {limit:,} bytes that it may be")
                await said(scope, receive, sending)
            else:
                await self._app(scope, _bounded(receive, limit), sending)
        finally:
            seconds = (answered or time.perf_counter()) - began
            route = _route(scope)
            told |= {"http.route": route, "http.response.status_code": status}
            told["tunewise.request"] = number
            self._context.counters.count(scope["method"], route, status, seconds)
            if _log.isEnabledFor(logging.INFO):
                _log.info(_line(scope, number, status, seconds))


def _route(scope: Scope) -> str:
    """The route that was found, without the names that were asked for."""
    endpoint = getattr(scope.get("endpoint"), "__name__", "none")
    found = getattr(scope.get("route"), "path", endpoint)
    api = scope["path"].startswith(f"{API}/") and not found.startswith(API)
    return f"{API}{found}" if api and found.startswith("/") else str(found)


def _number(scope: Scope) -> str:
    """The request's number: as a proxy gave it, or a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _KNOWN.fullmatch(value.decode("latin-1")):
            return str(value.decode())
    return f"{_RANDOM.getrandbits(96):024x}"


def _with_headers(headers: list[tuple[bytes, bytes]], number: str) -> list[tuple[bytes, bytes]]:
    have = {name.lower() for name, _ in headers}
    more = [(name, value) for name, value in _HEADERS if name not in have]
    return [*headers, (b"x-request-id", number.encode()), *more]


def _limit(path: str) -> int:
    return next((most for pattern, most in _LIMITS if pattern.fullmatch(path)), SMALL)


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


def _bounded(receive: Receive, limit: int) -> Receive:
    """The body until it is too large, or comes too slowly."""
    seen, whole = 0, False

    async def receiving() -> Message:
        nonlocal seen, whole
        if whole:  # what comes now is that the client goes, whenever that is
            return await receive()
        try:
            async with asyncio.timeout(SLOWEST):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "the body came too slowly") from None
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(413, f"the body is larger than the {limit:,} bytes it may be")
        whole = not message.get("more_body", False)
        return message

    return receiving


def _line(scope: Scope, number: str, status: int, seconds: float) -> str:
    """One line of JSON; the path without what was asked, which may hold a secret."""
    who = scope.get("state", {}).get("viewer")
    told = {
        "request": number,
        "method": scope["method"],
        "path": re.sub(r"/invitations/[^/]+", "/invitations/…", scope["path"]),
        "status": status,
        "ms": round(seconds * 1000, 2),
        "member": "" if who is None else f"{who.tenant}/{who.member}",
    }
    return orjson.dumps(told).decode()
