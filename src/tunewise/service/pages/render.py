"""From a view model to HTML: the templates, what all of them know, and errors as pages."""

import json
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from shlex import quote as quoted_word
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tunewise.errors import NotReady, StorageError, TunewiseError
from tunewise.format import duration, measured, money, number, percent, share_of_data, value
from tunewise.report.layout.theme import PALETTE
from tunewise.service.context import Context
from tunewise.service.pages.static import HTMX, address
from tunewise.service.viewer import Viewer

POLICY = "; ".join([
    "default-src 'none'",
    "script-src 'self'",
    # The digest is that of nothing: the charts' library makes an empty style and fills it itself.
    "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
])  # fmt: skip
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Shell:
    """What every page knows.

    Attributes:
        who: Who looks.
        accounts: Whether people sign in.
        can_change: Whether buttons that change something are there.
        storage: The store as commands name it; None where they name a server.
        server: The service's address.
    """

    who: Viewer
    accounts: bool
    can_change: bool
    storage: str | None
    server: str

    @property
    def is_admin(self) -> bool:
        """Whether pages about members are there."""
        return self.accounts and self.who.role == "admin"

    @property
    def pages(self) -> list[tuple[str, str]]:
        """What the top of each page leads to."""
        usual = [
            ("Home", "/"),
            ("Studies", "/studies"),
            ("Trainings", "/trainings"),
            ("Tasks", "/tasks"),
        ]
        return usual + [("Admin", "/admin")] * self.is_admin

    @property
    def option(self) -> str:
        """How a command is told where to look."""
        if self.storage is None:
            return f" --server {self.server}"
        return "" if self.storage == "sqlite:///tunewise.db" else f" --storage {self.storage}"

    def study(self, name: str) -> str:
        """The Python line that opens a study."""
        if self.storage is not None:
            return f"study = tunewise.load_study({self.storage!r}, {name!r})"
        return (
            f"tunewise.Client({self.server!r}, token='tw_…').download({name!r}, Path('study.db'))\n"
            f"study = tunewise.load_study('study.db', {name!r})"
        )

    def studies(self, names: list[str]) -> str:
        """The Python lines that open several studies."""
        if self.storage is not None:
            one = f"tunewise.load_study({self.storage!r}, name)"
            return f"studies = [{one} for name in {names!r}]"
        return (
            f"{self.client}\nstudies = []\nfor name in {names!r}:\n"
            "    client.download(name, Path(f'{name}.db'))\n"
            "    studies.append(tunewise.load_study(f'{name}.db', name))"
        )

    def commands(self, start: str, ends: Iterable[object]) -> str:
        """A command for each of several things: they differ in the last word."""
        return "\n".join(f"{start} {quoted_word(str(end))}{self.option}" for end in ends)

    def task(self, name: str) -> str:
        """The Python line that opens a task."""
        if self.storage is not None:
            return f"task = tunewise.Task(name={name!r}, storage={self.storage!r})"
        return f"task = tunewise.Client({self.server!r}, token='tw_…').task({name!r})"

    @property
    def client(self) -> str:
        """The Python line that reaches this service."""
        return f"client = tunewise.Client({self.server!r}, token='tw_…')"

    @property
    def place(self) -> str:
        """How a Python line is told where to look."""
        return self.server if self.storage is None else self.storage


def shell(request: Request, here: Context, who: Viewer) -> Shell:
    """What every page knows."""
    from tunewise.storage.secrets import redacted

    can_change = not here.read_only and who.may_change
    server = here.settings.address or str(request.base_url).rstrip("/")
    storage = redacted(here.url) if here.read_only else None
    return Shell(who, here.accounts, can_change, storage, server)


def page(
    request: Request, here: Context, who: Viewer, template: str, status: int = 200, **view: Any
) -> Response:
    """A page, or the part of it that the browser asked for again."""
    return drawn(template, status, shell=shell(request, here, who), **view)


def drawn(template: str, status: int = 200, **view: Any) -> Response:
    """A template as an answer."""
    return HTMLResponse(environment().get_template(template).render(**view), status, HEADERS)


@lru_cache
def environment() -> Environment:
    """The templates; text is escaped wherever it stands."""
    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled(),
    )
    made.filters |= {
        "money": money,
        "duration": duration,
        "percent": percent,
        "number": number,
        "value": value,
        "measured": measured,
        "share_of_data": share_of_data,
        "word": quoted_word,
        "quoted": repr,
        "path": lambda text: quote(str(text), safe=""),
        "when": when,
        "ago": ago,
        "size": size,
        "code": code,
    }
    dark = Markup(json.dumps(dict(PALETTE.values())))
    made.globals |= {"static": address, "htmx": HTMX, "section": None, "dark_sides": dark}
    return made


class _Compiled(FileSystemBytecodeCache):
    """Templates as they were compiled, so that a process that is started again answers soon."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep one, where there is room."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _compiled() -> _Compiled | None:
    try:
        return _Compiled()  # in a folder that only this user can write into
    except (OSError, RuntimeError):
        return None


def when(at: float | None) -> str:
    """A moment in full, for titles."""
    return "" if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"


def ago(at: float | None) -> str:
    """How long ago a moment was, in one unit."""
    if at is None:
        return ""
    past = time.time() - at
    for unit, seconds in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if past >= seconds:
            count = int(past // seconds)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def code(sentence: str) -> Markup:
    """A sentence whose words between backticks are to be typed."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else part
        for number, part in enumerate(sentence.split("`"))
    )


def size(count: float) -> str:
    """Bytes as people write them."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


class PageRoute(APIRoute):
    """A route whose errors are pages; who has to sign in is led there."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with errors made pages."""
        handler = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError:
                return excuse(request, HTTPException(404, "there is no page of this address"))
            except (TunewiseError, HTTPException) as error:
                return excuse(request, error)

        return handled


def excuse(request: Request, error: Exception) -> Response:
    """An error as a page, or as a part of one."""
    status = _status(error)
    if status == 401:
        target = quote(request.url.path, safe="/")
        return RedirectResponse(f"/sign-in?next={target}", 303, {"cache-control": "no-store"})
    said = str(getattr(error, "detail", None) or error)
    said = "There is no page of this address." if said == "Not Found" else said
    template = "error_part.html" if "hx-request" in request.headers else "error.html"
    return drawn(template, status, said=said, code=status)


def _status(error: Exception) -> int:
    told = getattr(error, "status", None) or getattr(error, "status_code", None)
    if told is not None:
        return int(told)
    known: dict[type[Exception], int] = {NotReady: 409, StorageError: 503}
    return known.get(type(error), 404)
