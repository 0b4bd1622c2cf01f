"""The API: one file a resource, JSON in and out; everything that changes something is here."""

from typing import Any

from fastapi import APIRouter

from tunewise.service.api import (
    admin,
    answers,
    examples,
    jobs,
    members,
    programs,
    session,
    studies,
    tasks,
    tokens,
    trainings,
)

__all__ = ["router"]

_PARTS = (
    *(tasks, examples, answers, programs, studies, trainings, jobs),
    *(session, members, tokens, admin),
)


def router() -> APIRouter:
    """All routes of the API."""
    whole = APIRouter(responses=_problems())
    for part in _PARTS:
        whole.include_router(part.router)
    return whole


def _problems() -> dict[int | str, dict[str, Any]]:
    """What any route may answer besides."""
    schema = {"$ref": "#/components/schemas/ProblemDetails"}
    content = {"application/problem+json": {"schema": schema}}
    said = {
        400: "The request cannot be read",
        401: "Nobody that is known",
        403: "Not for this role, token or site",
        404: "There is no such thing",
        405: "Not with this method",
        409: "Not as things stand",
        413: "Too large",
        415: "Of another type than expected",
        421: "Called by another name",
        422: "Not as expected, with what was",
        429: "Too many requests",
        501: "Not on this service",
        503: "The store cannot be reached",
    }
    return {status: {"description": text, "content": content} for status, text in said.items()}
