"""The files that pages need: styles, scripts, and the part of the charts' library they use."""

import gzip
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from tunewise.report.layout.theme import PALETTE
from tunewise.service.problems import Problem

router = APIRouter()

HTMX = "htmx-4.0.1.min.js"
_HERE, _REPORT = "tunewise.service.pages", "tunewise.report.layout"
_SOURCES = {
    "pages.css": (_HERE, "static/pages.css"),
    "theme.js": (_HERE, "static/theme.js"),
    "pages.js": (_HERE, "static/pages.js"),
    "tasks.js": (_HERE, "static/tasks.js"),
    "icon.svg": (_HERE, "static/icon.svg"),
    HTMX: (_HERE, f"static/{HTMX}"),
    # Plotly's package has the whole library, which browsers take twice as long to start.
    "plotly.js": (_HERE, "static/cartesian-plotly-4.1.1.min.js"),
    "charts.js": (_REPORT, "assets/page.js"),
    "report.css": (_REPORT, "assets/page.css"),
}
_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOREVER = "public, max-age=31536000, immutable"
"""The address changes with the content."""


@lru_cache
def content(name: str) -> bytes:
    """What a file holds."""
    if name == "colours.css":
        return _colours().encode()
    if name not in _SOURCES:
        raise Problem(404, "there is no such file")
    package, path = _SOURCES[name]
    return files(package).joinpath(path).read_bytes()


@lru_cache
def address(name: str) -> str:
    """Where a page finds a file; a changed file has another address."""
    return f"/static/{name}?v={sha256(content(name)).hexdigest()[:12]}"


@lru_cache
def _packed(name: str) -> bytes:
    return gzip.compress(content(name), 6, mtime=0)


def pack() -> None:
    """Pack all files before they are asked for."""
    for name in ("colours.css", *_SOURCES):
        _packed(name)


@router.get("/static/{name}")
def static(name: str, request: Request) -> Response:
    """One file, packed where the browser can unpack it."""
    kind = _KINDS[name.rpartition(".")[2]] if content(name) else ""
    headers = {"cache-control": _FOREVER, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(_packed(name), 200, {**headers, "content-encoding": "gzip"}, kind)
    return Response(content(name), 200, headers, kind)


@router.get("/favicon.ico")
def icon(request: Request) -> Response:
    """What the browser shows beside the title."""
    return static("icon.svg", request)


def _colours() -> str:
    light, dark = (
        "".join(f"--{role}:{pair[side]};" for role, pair in PALETTE.items()) for side in (0, 1)
    )
    page = ("--page:#f4f5f7;", "--page:#0f141b;")
    return (
        f":root{{{light}{page[0]}color-scheme:light}}"
        "@media (prefers-color-scheme:dark){"
        f":root:not([data-theme=light]){{{dark}{page[1]}color-scheme:dark}}}}"
        f":root[data-theme=dark]{{{dark}{page[1]}color-scheme:dark}}\n"
    )
