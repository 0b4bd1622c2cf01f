"""What changed: for browsers that cannot listen, and for pages that were asleep."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query
from starlette.responses import Response

from tunewise.service.pages.render import HEADERS
from tunewise.service.viewer import Here, Who
from tunewise.storage.revisions import MOST, revisions

router = APIRouter()


@router.get("/revisions")
def asked(
    here: Here,
    who: Who,
    topics: Annotated[list[str] | None, Query(max_length=MOST)] = None,
) -> Response:
    """The revision of each topic, as JSON."""
    found = revisions(here.store.database, who.namespace, topics or [])
    return Response(orjson.dumps(found), 200, HEADERS, "application/json")
