"""Answers of the best model so far, which is in memory.

It is a plain route: most of a typed one's time would go into checking what the task's own program
checks again.
"""

import dataclasses
from typing import Any

import numpy as np
import orjson
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tunewise.declarative.serving import Answer, Served
from tunewise.declarative.standing import Standing
from tunewise.declarative.task import Task
from tunewise.declarative.task.asking import asked, read_each
from tunewise.errors import TaskError
from tunewise.service.api.uploads import Uploaded, saved
from tunewise.service.problems import Problem
from tunewise.service.viewer import context, viewer

router = APIRouter(tags=["answers"])

QUICK = 0.002
"""Seconds of answering for which nothing is worth a thread: the event loop does it itself."""

MOST = 10_000
"""Inputs of one request."""

_DUMPED = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
_DESCRIBED = {
    "summary": "Ask the best model so far",
    "parameters": [
        {
            "name": "name",
            "in": "path",
            "required": True,
            "schema": {"type": "string", "minLength": 1, "maxLength": 100},
        }
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "oneOf": [
                        {
                            "type": "object",
                            "required": [key],
                            "additionalProperties": False,
                            "properties": {key: schema},
                        }
                        for key, schema in (
                            ("input", {}),
                            ("inputs", {"type": "array", "minItems": 1, "maxItems": MOST}),
                        )
                    ]
                }
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
        },
    },
    "responses": {
        "200": {
            "description": "An answer for each input",
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["answers", "single"],
                        "properties": {
                            "answers": {"type": "array", "items": {"type": "object"}},
                            "single": {"type": "boolean"},
                        },
                    }
                }
            },
        }
    },
}


@router.post("/tasks/{name}/infer", name="infer", openapi_extra=_DESCRIBED)
async def infer(request: Request) -> Response:
    """Answers to one input or to several, as JSON or as a file."""
    who, here = await viewer(request), context(request)
    name = request.path_params["name"]
    task = await here.opened.soon(who.namespace, name)
    best, server = await here.opened.serving(task)
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        answers, single = await _of_file(request, task, server)
    else:
        answers, single = await _of_values(await request.body(), server), False
    return Response(_dumped(answers, _told(best), single), media_type="application/json")


async def _of_values(body: bytes, server: Served) -> list[Answer]:
    inputs = _inputs(body)
    seconds = float(server.card.get("latency", QUICK)) * len(inputs)
    if seconds < QUICK:
        return _answers(server, inputs)
    return await run_in_threadpool(_answers, server, inputs)


def _inputs(body: bytes) -> list[Any]:
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Problem(400, f"the body is no JSON: {error!s:.100}") from error
    keys = set(given) if isinstance(given, dict) else set()
    if keys == {"input"}:
        return [given["input"]]
    many = given["inputs"] if keys == {"inputs"} else None
    if not isinstance(many, list):
        raise Problem(422, 'expected {"input": …} or {"inputs": […, …]}')
    if not 1 <= len(many) <= MOST:
        raise Problem(422, f"there are {len(many):,} inputs; expected 1 to {MOST:,}")
    return many


def _answers(server: Served, inputs: list[Any]) -> list[Answer]:
    try:
        read = read_each(server.program, inputs)
    except RecursionError as error:
        raise TaskError("the input is nested too deeply") from error
    return server.answers(read)


async def _of_file(request: Request, task: Task, server: Served) -> tuple[list[Answer], bool]:
    form = await request.form(max_files=1, max_fields=1)
    given = form.get("file")
    if given is None or isinstance(given, str):
        raise Problem(422, "expected one file, called 'file'")

    def work() -> tuple[list[Answer], bool]:
        with saved([Uploaded(given.filename or "", given.file)]) as path:
            inputs, single = asked(server.program, path, task.label)
            return server.answers(inputs), single

    return await run_in_threadpool(work)


_known: dict[int, tuple[Standing, dict[str, Any]]] = {}
"""What every answer of a model says alike, by the model that serves."""


def _told(best: Standing) -> dict[str, Any]:
    found = _known.get(id(best))
    if found is None or found[0] is not best:
        if len(_known) > 1000:
            _known.clear()
        quality = orjson.dumps(dataclasses.asdict(best.quality))
        told = {"model": best.card["model"], "data": best.card["version"]}
        found = _known[id(best)] = best, {"quality": orjson.Fragment(quality), **told}
    return found[1]


def _dumped(answers: list[Answer], told: dict[str, Any], single: bool) -> bytes:
    """One JSON text; what every answer says alike is said with each, as programs expect it."""
    plain = [
        {
            "value": _contiguous(one.value),
            "scores": one.scores,
            "low": one.low,
            "high": one.high,
            **told,
        }
        for one in answers
    ]
    return orjson.dumps({"answers": plain, "single": single}, option=_DUMPED)


def _contiguous(value: Any) -> Any:
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
