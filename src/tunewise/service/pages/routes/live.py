"""What changed, for browsers that cannot listen to it."""

from typing import Annotated
from urllib.parse import unquote

import orjson
from fastapi import APIRouter, Query
from starlette.responses import Response

from tunewise.service.events import LISTS
from tunewise.service.pages.render import HEADERS
from tunewise.service.viewer import Here, Who
from tunewise.storage.looking.changes import revisions

router = APIRouter()
_MOST = 40


@router.get("/revisions")
def asked(here: Here, who: Who, topics: Annotated[str, Query(max_length=12_000)] = "") -> Response:
    """The revision of each topic, as JSON."""
    known = [
        (who.namespace, topic)
        for topic in map(unquote, topics.split(",")[:_MOST])
        if topic in LISTS.values() or topic.partition(":")[0] in LISTS
    ]
    found = revisions(here.store.database, known, LISTS)
    told = {topic: revision for (_, topic), revision in found.items()}
    return Response(orjson.dumps(told), 200, HEADERS, "application/json")
