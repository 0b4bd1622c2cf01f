"""Requests that another site made a browser send are refused.

Browsers say where a request comes from: in `Sec-Fetch-Site`, older ones in `Origin`. Programs say
neither, and bring a token instead of a cookie.
"""

from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from tunewise.service.problems import Problem

SAFE = ("GET", "HEAD", "OPTIONS")
_REFUSED = "the request comes from another site; expected it from a page of this service"


def check_origin(request: HTTPConnection, by_cookie: bool) -> None:
    """Refuse a request that changes something and does not come from our own pages."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        if site not in ("same-origin", "none"):
            raise Problem(403, _REFUSED)
    elif origin is not None:
        if urlsplit(origin).netloc != request.headers.get("host"):
            raise Problem(403, _REFUSED)
    elif by_cookie:
        raise Problem(403, "a browser's session needs the header Sec-Fetch-Site or Origin")
