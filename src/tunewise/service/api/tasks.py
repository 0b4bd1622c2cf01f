"""Tasks: declare, look, delete, take the model or a client away."""

import io
import tempfile
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tunewise.declarative.clients import write_server_client
from tunewise.declarative.task import Task
from tunewise.errors import TaskError
from tunewise.service.accounts.secret import TOKEN, Secret
from tunewise.service.api.files import MODEL, ZIP, file
from tunewise.service.api.models import (
    After,
    Limit,
    Models,
    Name,
    NewTask,
    QualityOf,
    TaskHead,
    TaskPage,
    TaskStatus,
)
from tunewise.service.api.paging import last
from tunewise.service.context import Context
from tunewise.service.links import address
from tunewise.service.problems import Problem
from tunewise.service.viewer import Here, Viewer, Who
from tunewise.storage.tasks import TaskRow

router = APIRouter(tags=["tasks"])

_CLIENT_DAYS = 365.0


@router.get("/tasks")
def list_tasks(here: Here, who: Who, after: After = None, limit: Limit = 100) -> TaskPage:
    """The tenant's tasks by name."""
    rows = here.tasks.within(who.namespace).some(after, limit)
    return TaskPage(tasks=[_head(row) for row in rows], next=last([r.name for r in rows], limit))


@router.post("/tasks", status_code=201)
def create_task(here: Here, who: Who, new: NewTask) -> TaskHead:
    """Declare a task."""
    store = here.tasks.within(who.namespace)
    if new.name in ("new", ".", ".."):
        raise Problem(422, f"a task cannot be called {new.name!r}: another page is there")
    if store.find(new.name) is not None:
        raise Problem(409, f"there is a task {new.name!r} already")
    Task.declare(store, here.url, **new.model_dump())
    here.note(who, "task created", new.name)
    return _head(store.load(new.name))


@router.get("/tasks/{name}")
def show_task(here: Here, who: Who, name: Name) -> TaskStatus:
    """Where a task stands, and what is next."""
    task = here.opened.task(who.namespace, name)
    row = here.tasks.within(who.namespace).load(name)
    return TaskStatus(**task.status(), revision=row.revision)


@router.delete("/tasks/{name}", status_code=204)
def delete_task(here: Here, who: Who, name: Name) -> None:
    """Forget a task, its examples and its models."""
    here.opened.task(who.namespace, name).delete()
    here.opened.forget(who.namespace, name)
    here.note(who, "task deleted", name)


@router.get("/tasks/{name}/models")
def list_models(here: Here, who: Who, name: Name) -> Models:
    """What was trained, what failed, and the quality of what serves."""
    task = here.opened.task(who.namespace, name)
    models = [{k: v for k, v in asdict(one).items() if k != "card"} for one in task.models()]
    try:
        quality = QualityOf(**asdict(task.quality))
    except TaskError:
        quality = None
    return Models(models=models, quality=quality, next=task.outlook())


@router.get("/tasks/{name}/export", response_class=Response, responses=MODEL)
def export_task(
    here: Here, who: Who, name: Name, form: Annotated[str, Query(pattern="^(zip|onnx)$")] = "zip"
) -> Response:
    """The model that serves: a folder that answers by itself, or the graph alone."""
    task = here.opened.task(who.namespace, name)
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        if form == "onnx":
            path = task.export(Path(folder, "model.onnx"))
            return file(path.read_bytes(), "application/octet-stream", f"{name}.onnx")
        content = _zipped(task.export(Path(folder, "model")))
        return file(content, "application/zip", f"{name}-model.zip")


@router.post("/tasks/{name}/client", response_class=Response, responses=ZIP)
def task_client(here: Here, who: Who, name: Name, request: Request) -> Response:
    """Programs and types for this task alone, with a token of its own."""
    task = here.opened.task(who.namespace, name)
    token = _client_token(here, who, name) if here.accounts else ""
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        write_server_client(Path(folder), task.program, name, address(request, here), token)
        return file(_zipped(Path(folder)), "application/zip", f"{name}-client.zip")


def _client_token(here: Context, who: Viewer, name: str) -> str:
    if who.scope is not None or not who.may_change:
        raise Problem(403, "a client carries a token of its own; ask a member to download it")
    member = here.members.find(who.namespace, who.member)
    assert member is not None, "who asks is a member"
    secret = Secret.new(TOKEN)
    called = f"client of {name}"[:100]
    seconds = _CLIENT_DAYS * 86400
    here.keys.add_token(secret.hash, member, called, secret.shown, f"task:{name}", seconds)
    here.note(who, "token made", called)
    return secret.text


def _head(row: TaskRow) -> TaskHead:
    names = ("name", "program", "version", "revision", "created_at", "seconds")
    return TaskHead(**{name: getattr(row, name) for name in names})


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(folder.rglob("*")):
            if each.is_file():
                archive.write(each, each.relative_to(folder))
    return content.getvalue()
