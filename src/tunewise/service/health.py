"""Whether the service is there, whether it can work, and what it counts."""

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from tunewise.service.problems import Problem, problem
from tunewise.service.running.plan import is_loopback
from tunewise.service.viewer import context, viewer

router = APIRouter(include_in_schema=False)


def _is_near(request: Request) -> bool:
    """Whether the request comes from this machine; a proxy says who stands behind it."""
    near = request.client is not None and is_loopback(request.client.host)
    return near and "x-forwarded-for" not in request.headers


@router.get("/health")
async def health() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/ready")
async def ready(request: Request) -> Response:
    """The process can work: its store answers."""
    here = context(request)
    if here.stopping:
        return problem(503, "the service is being stopped")
    database = here.store.database
    await run_in_threadpool(database.read, lambda c: c.scalar(select(1)))
    return Response(b'{"status":"ok"}', media_type="application/json")


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Counts for Prometheus, for this machine and for the operator: they are of all tenants."""
    if not _is_near(request) and not (await viewer(request)).operates:
        raise Problem(404, "Not Found")
    return Response(
        generate_latest(context(request).counters.gathered()), media_type=CONTENT_TYPE_LATEST
    )
