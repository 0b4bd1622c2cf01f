"""Trainings that are tuned while they run: look, delete."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from tunewise.errors import StudyError, TunewiseError
from tunewise.job.training.stored import StoredTraining
from tunewise.report.training.page import write_stored
from tunewise.service.api.files import FILE, report_file, storage_file
from tunewise.service.api.models import After, Limit, Name, TrainingOf, TrainingPage
from tunewise.service.api.paging import last
from tunewise.service.context import Context
from tunewise.service.problems import Problem
from tunewise.service.viewer import Here, Viewer, Who

router = APIRouter(tags=["trainings"])


@router.get("/trainings")
def list_trainings(here: Here, who: Who, after: After = None, limit: Limit = 20) -> TrainingPage:
    """The tenant's trainings by name."""
    names = here.store.within(who.namespace).runs().some(after, limit)
    rows = [_described(_training(here, who, name)) for name in names]
    return TrainingPage(trainings=rows, next=last(names, limit))


@router.get("/trainings/{name}")
def show_training(here: Here, who: Who, name: Name) -> TrainingOf:
    """All about a training: its state, what it cost and what it tried."""
    return TrainingOf(**_known(here, who, name).describe())


@router.get("/trainings/{name}/events")
def training_events(
    here: Here, who: Who, name: Name, since: Annotated[int, Query(ge=0, lt=2**31)] = 0
) -> dict[str, list[dict[str, Any]]]:
    """What happened, after the first so many events."""
    _known(here, who, name)
    return {"events": here.store.within(who.namespace).runs().events(name, since)[:10_000]}


@router.get("/trainings/{name}/report", response_class=HTMLResponse)
def training_report(here: Here, who: Who, name: Name) -> HTMLResponse:
    """The report of a training as one page that needs nothing else."""
    found = _known(here, who, name)
    return report_file(lambda path: write_stored(path, found, True))


@router.get("/trainings/{name}/storage", response_class=Response, responses=FILE)
def training_storage(here: Here, who: Who, name: Name) -> Response:
    """A training as a storage of its own: a SQLite file for the commands of elsewhere."""
    _known(here, who, name)
    return storage_file(here.store.database, who.namespace, "training", name)


@router.delete("/trainings/{name}", status_code=204)
def delete_training(here: Here, who: Who, name: Name) -> None:
    """Forget a training that does not run."""
    _known(here, who, name).delete(lambda count: None)
    here.note(who, "training deleted", name)


def _known(here: Context, who: Viewer, name: str) -> StoredTraining:
    found = _training(here, who, name)
    try:
        here.store.within(who.namespace).runs().description(name)
    except StudyError as error:
        raise Problem(404, str(error)) from error
    return found


def _training(here: Context, who: Viewer, name: str) -> StoredTraining:
    return StoredTraining(here.store.within(who.namespace), name, here.url, who.namespace)


def _described(training: StoredTraining) -> dict[str, Any]:
    try:
        return training.describe()
    except TunewiseError as error:
        return {"name": training.name, "error": str(error)}
