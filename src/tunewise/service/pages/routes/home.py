"""The first page, and what changed since the last visit."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tunewise.service.pages.render import PageRoute, page
from tunewise.service.pages.views.home import changes_view, home_view
from tunewise.service.viewer import Here, Who

router = APIRouter(route_class=PageRoute)


@router.get("/")
def home(request: Request, here: Here, who: Who) -> Response:
    """What runs now, what waits, what was spent today."""
    view = home_view(here, who)
    return page(request, here, who, "home.html", view=view, section="/")


@router.get("/changes")
def changes(
    request: Request, here: Here, who: Who, since: Annotated[float, Query(ge=0, le=1e11)] = 0.0
) -> Response:
    """What changed since a moment."""
    found = changes_view(here, who, since)
    return page(request, here, who, "changes.html", changes=found, since=since)
