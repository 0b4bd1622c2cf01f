"""The first page, and what changed since the last visit."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tunewise.service.pages.render import HEADERS, PageRoute, Shell, drawn, page, shell
from tunewise.service.pages.views.home import HomeView, changes_view, home_view
from tunewise.service.pages.views.looks import once
from tunewise.service.viewer import Here, Who

router = APIRouter(route_class=PageRoute)

_MOST = 2000
"""Pages that are kept, one for each who looks."""


@router.get("/")
def home(request: Request, here: Here, who: Who) -> Response:
    """What runs now, what waits, what was spent today."""
    view, frame = home_view(here, who), shell(request, here, who)
    kept: dict[Shell, tuple[HomeView, Response]] = once(here.store.database, "homes", "all", dict)
    known = kept.get(frame)
    if known is None or known[0] is not view:  # nobody waits for what was drawn already
        if len(kept) >= _MOST:
            kept.clear()
        made = drawn("home.html", shell=frame, view=view, section="/")
        known = kept[frame] = view, made
    return Response(known[1].body, 200, HEADERS, "text/html")


@router.get("/changes")
def changes(
    request: Request, here: Here, who: Who, since: Annotated[float, Query(ge=0, le=1e11)] = 0.0
) -> Response:
    """What changed since a moment."""
    found = changes_view(here, who, since)
    return page(request, here, who, "changes.html", changes=found, since=since)
