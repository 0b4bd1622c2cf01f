"""Pages of tasks: the list, a new one, one with its models, its examples, what is suspected."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tunewise.declarative.examples.loading.tables import LABELS
from tunewise.errors import TaskError
from tunewise.service.context import Context
from tunewise.service.pages.render import PageRoute, page
from tunewise.service.pages.routes.studies import figure
from tunewise.service.pages.views.task import (
    examples_view,
    quality_chart,
    standing,
    suspected,
    task_view,
)
from tunewise.service.pages.views.tasks import EXAMPLES, input_kind, tasks_view
from tunewise.service.problems import ID
from tunewise.service.viewer import Here, Viewer, Who
from tunewise.storage.tasks import TaskRow
from tunewise.storage.tasks.counting import counted

router = APIRouter(route_class=PageRoute)
SECTION = "/tasks"
_SUSPECTS = 100


def _row(here: Context, who: Viewer, name: str) -> TaskRow:
    found = here.tasks.within(who.namespace).find(name)
    if found is None:
        raise TaskError(f"there is no task {name!r}")
    return found


@router.get("/tasks")
def tasks(
    request: Request, here: Here, who: Who, after: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """The list."""
    view = tasks_view(here, who.namespace, after)
    return page(request, here, who, "tasks.html", view=view, after=after, section=SECTION)


@router.get("/tasks/new")
def new(request: Request, here: Here, who: Who) -> Response:
    """A form for a new task."""
    return page(
        request, here, who, "task_new.html", examples=EXAMPLES, usual=LABELS, section=SECTION
    )


@router.get("/tasks/{name}")
def task(request: Request, here: Here, who: Who, name: str) -> Response:
    """One task."""
    view = task_view(here, who.namespace, _row(here, who, name))
    return page(request, here, who, "task.html", view=view, section=SECTION)


@router.get("/tasks/{name}/standing")
def task_standing(request: Request, here: Here, who: Who, name: str) -> Response:
    """What training has come to; it may have to be worked out."""
    row = _row(here, who, name)
    view = task_view(here, who.namespace, row)
    now = standing(here, who.namespace, row)
    return page(request, here, who, "task_standing.html", view=view, standing=now)


@router.get("/tasks/{name}/charts/quality")
def chart(request: Request, here: Here, who: Who, name: str) -> Response:
    """The best quality over time."""
    return figure(request, quality_chart(here, who.namespace, _row(here, who, name)))


@router.get("/tasks/{name}/examples")
def examples(
    request: Request,
    here: Here,
    who: Who,
    name: str,
    after: Annotated[str, Query(pattern=f"{ID}|^$")] = "",
    label: Annotated[str, Query(max_length=200)] = "",
    state: Annotated[str, Query(pattern="^(on|off|)$")] = "",
) -> Response:
    """The examples, some at a time."""
    row = _row(here, who, name)
    task = here.opened.task(who.namespace, name)
    view = examples_view(here, task, row, after or "e0", label, state)
    return page(request, here, who, "examples.html", view=view, section=SECTION)


@router.get("/tasks/{name}/suspects")
def suspects(request: Request, here: Here, who: Who, name: str) -> Response:
    """Labels that may be wrong, one after the other."""
    row = _row(here, who, name)
    kind = input_kind(row.program)
    return page(request, here, who, "suspects.html", name=name, kind=kind, section=SECTION)


@router.get("/tasks/{name}/suspects/list")
def suspects_list(request: Request, here: Here, who: Who, name: str) -> Response:
    """What is suspected; it may take a while to be worked out."""
    row = _row(here, who, name)
    found = suspected(here.opened.task(who.namespace, name), _SUSPECTS)
    labels = [label for label, _ in counted(here.store.database, row.id).labels]
    told: dict[str, Any] = {"name": name, "suspects": found, "kind": input_kind(row.program)}
    told["labels"] = sorted(labels)
    return page(request, here, who, "suspects_list.html", **told)
