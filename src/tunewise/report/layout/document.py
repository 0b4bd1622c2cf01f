"""A page around its content: head, colours, scripts, and what the browser may do."""

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from tunewise.report.layout.markup import Markup, embedded, tag
from tunewise.report.layout.theme import PALETTE


def document(name: str, content: Markup, script: str | None = None) -> str:
    """A page around its content, with the scripts that draw its charts.

    `script` is where the browser finds the charts' library, such as a file beside the page or an
    address on the same server. None puts it into the page, which then needs no other file.
    """
    inside = [_asset("page.js")] if script else [charts_library(), _asset("page.js")]
    body = tag(
        "body",
        tag("main", content),
        embedded(
            "script", json.dumps(dict(PALETTE.values())), type="application/json", data_dark=True
        ),
        tag("script", src=script) if script else None,
        [embedded("script", each) for each in inside],
    )
    head = _head(name, _policy(inside, ("'self'", "file:") if script else ()))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def charts_library() -> str:
    """The source of the library that draws charts, which most of a page's size is."""
    from plotly.offline import get_plotlyjs

    return _unix(get_plotlyjs())


def _head(name: str, policy: str) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{name} · Tunewise report"),
        embedded("style", _colours() + _asset("page.css")),
    )


def _policy(scripts: list[str], beside: tuple[str, ...]) -> str:
    """Only these very scripts may run, and the one beside the page; nothing else is fetched."""
    digests = (b64encode(sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join([*beside, *(f"'sha256-{digest}'" for digest in digests)])
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline';"
        " img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _colours() -> str:
    sides = [
        "".join(f"--{role}:{pair[side]};" for role, pair in PALETTE.items()) for side in (0, 1)
    ]
    return f":root{{{sides[0]}}}@media (prefers-color-scheme:dark){{:root{{{sides[1]}}}}}\n"


def _asset(name: str) -> str:
    return _unix(
        files("tunewise.report.layout").joinpath("assets", name).read_text(encoding="utf-8")
    )


def _unix(text: str) -> str:
    """Line ends as browsers see them, or the digests in the policy would not match."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
