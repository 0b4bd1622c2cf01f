"""Examples of a task: feed, look, turn on and off, what is worth a look."""

from dataclasses import asdict
from io import BytesIO
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, File, Form, Query, UploadFile
from starlette.responses import Response

from tunewise.declarative.task.told import Fed
from tunewise.errors import TaskError, optional
from tunewise.service.api.models import (
    Content,
    ExampleOf,
    ExamplePage,
    FedPairs,
    Limit,
    Name,
    Pairs,
    Refine,
    RefinedBy,
    RefusedPair,
    Suspects,
)
from tunewise.service.api.paging import last
from tunewise.service.api.uploads import Uploaded, saved
from tunewise.service.problems import ID, Problem
from tunewise.service.viewer import Here, Who

router = APIRouter(tags=["examples"])

ExampleId = Annotated[str, Query(pattern=ID, description="The last id before.")]
_IMAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {}}, "description": "A PNG file"}
}


@router.post("/tasks/{name}/examples")
async def feed_pairs(here: Here, who: Who, name: Name, given: Pairs) -> FedPairs:
    """Add pairs; it answers when they are on the disk."""
    task = await here.opened.soon(who.namespace, name)
    await here.find_space(who.namespace)
    pairs = [dict(pair) for pair in given.pairs]
    return _fed(await here.feeder.feed(task, pairs))


@router.post("/tasks/{name}/uploads")
def feed_files(
    here: Here,
    who: Who,
    name: Name,
    files: Annotated[list[UploadFile], File(description="With their paths as names.")],
    label: Annotated[str | None, Form(max_length=200)] = None,
    dry_run: Annotated[bool, Form()] = False,
) -> FedPairs:
    """Add whatever files hold: images in a folder for each class, tables, archives, arrays."""
    task = here.opened.task(who.namespace, name)
    here.check_space(who.namespace)
    with saved([Uploaded(each.filename or "", each.file) for each in files]) as path:
        fed = task.feed(path, label=label or None, dry_run=dry_run)
    if not dry_run:
        here.note(who, "examples fed", f"{name}: {fed}")
    return _fed(fed)


@router.get("/tasks/{name}/examples")
def list_examples(
    here: Here,
    who: Who,
    name: Name,
    after: ExampleId = "e0",
    limit: Limit = 100,
    label: Annotated[str | None, Query(max_length=200)] = None,
    on: bool | None = None,
) -> ExamplePage:
    """The pairs that were ever fed, of a label, or that are on or off; without their content."""
    task = here.opened.task(who.namespace, name)
    some = task.some_examples(after, limit, label=label, on=on)
    found = [ExampleOf(**asdict(one)) for one in some]
    return ExamplePage(examples=found, next=last([one.id for one in found], limit))


@router.patch("/tasks/{name}/examples")
def refine_examples(here: Here, who: Who, name: Name, given: Refine) -> RefinedBy:
    """Turn examples on and off, by ids or by a rule; nothing is ever deleted."""
    task = here.opened.task(who.namespace, name)
    if given.right:
        task.confirm(given.right)
        here.note(who, "labels found right", f"{name}: {', '.join(given.right[:20])}")
    done = task.refine(off=given.off, on=given.on, undo=given.undo)
    here.note(who, "examples refined", f"{name}: {len(done.on)} on, {len(done.off)} off")
    return RefinedBy(**asdict(done))


@router.get("/tasks/{name}/examples/{id}")
def show_example(here: Here, who: Who, name: Name, id: str) -> Content:
    """Input and output of one example."""
    given, output = _example(here.opened.task(who.namespace, name), id)
    return Content(id=id, input=_plain(given), output=_plain(output))


@router.get("/tasks/{name}/examples/{id}/image", response_class=Response, responses=_IMAGE)
def show_image(here: Here, who: Who, name: Name, id: str) -> Response:
    """The input of one example as an image."""
    given, _ = _example(here.opened.task(who.namespace, name), id)
    if not (isinstance(given, np.ndarray) and given.ndim == 3 and given.shape[2] in (1, 3)):
        raise Problem(409, "the inputs of this task are no images")
    pixels = (np.clip(given, 0, 1) * 255).round().astype(np.uint8)
    content = BytesIO()
    plain = pixels[:, :, 0] if pixels.shape[2] == 1 else pixels
    optional("PIL.Image", "tasks").fromarray(plain).save(content, "PNG")
    kept = {"Cache-Control": "private, max-age=3600"}
    return Response(content.getvalue(), media_type="image/png", headers=kept)


@router.get("/tasks/{name}/suspects")
def list_suspects(here: Here, who: Who, name: Name) -> Suspects:
    """Examples that are worth a look; nothing is switched off."""
    found = here.opened.task(who.namespace, name).suspects()
    return Suspects.model_validate({"suspects": [asdict(one) for one in found]})


def _example(task: Any, id: str) -> tuple[Any, Any]:
    try:
        found: tuple[Any, Any] = task.example(id)
    except TaskError as error:
        raise Problem(404, str(error)) from error
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _fed(fed: Fed) -> FedPairs:
    refused = [RefusedPair(where=one.where, reason=one.reason) for one in fed.refused]
    return FedPairs(
        added=fed.added, known=fed.known, refused=refused, notes=fed.notes, version=fed.version
    )
