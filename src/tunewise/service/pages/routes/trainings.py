"""Pages of trainings: the list, and one."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tunewise.errors import StudyError
from tunewise.job.training.stored import StoredTraining
from tunewise.service.context import Context
from tunewise.service.pages.render import PageRoute, page
from tunewise.service.pages.routes.studies import figure
from tunewise.service.pages.views.trainings import (
    training_chart,
    training_view,
    trainings_view,
)
from tunewise.service.viewer import Here, Viewer, Who

router = APIRouter(route_class=PageRoute)
SECTION = "/trainings"


@router.get("/trainings")
def trainings(
    request: Request,
    here: Here,
    who: Who,
    at: Annotated[int, Query(alias="page", ge=1, le=10**6)] = 1,
) -> Response:
    """The list."""
    view = trainings_view(here.store.within(who.namespace), at)
    return page(request, here, who, "trainings.html", view=view, section=SECTION)


@router.get("/trainings/{name}")
def training(request: Request, here: Here, who: Who, name: str) -> Response:
    """One training."""
    view = training_view(_stored(here, who, name))
    return page(request, here, who, "training.html", view=view, section=SECTION)


@router.get("/trainings/{name}/charts/{key}")
def chart(request: Request, here: Here, who: Who, name: str, key: str) -> Response:
    """The data of one chart."""
    return figure(request, training_chart(_stored(here, who, name), key))


def _stored(here: Context, who: Viewer, name: str) -> StoredTraining:
    store = here.store.within(who.namespace)
    if name not in store.runs().names():
        raise StudyError(f"there is no training {name!r}")
    return StoredTraining(store, name, here.url, who.namespace or None)
