"""What changed: for browsers that cannot listen, and for pages that were asleep."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Query
from starlette.responses import Response

from tunewise.service.pages.render import HEADERS
from tunewise.service.viewer import Here, Who
from tunewise.storage.revisions import revisions

router = APIRouter()


@router.get("/revisions")
def asked(
    here: Here,
    who: Who,
    topics: Annotated[str, Query(max_length=12_000)] = "",
) -> Response:
    """The revision of each topic, as JSON."""
    found = revisions(here.store.database, who.namespace, topics.split(","))
    return Response(orjson.dumps(found), 200, HEADERS, "application/json")
