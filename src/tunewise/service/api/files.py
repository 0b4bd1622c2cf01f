"""Answers that are files."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.responses import HTMLResponse, Response

from tunewise.storage.copies.copying import copy_one
from tunewise.storage.database import Database

FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {}}, "description": "A file"}
}
ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}, "description": "A ZIP file"}
}
MODEL: dict[int | str, dict[str, Any]] = {
    200: {"content": {**ZIP[200]["content"], **FILE[200]["content"]}, "description": "A model"}
}


TRIALS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {}, "application/json": {}}, "description": "All trials"}
}


def file(content: bytes, kind: str, name: str) -> Response:
    """Bytes to be saved under a name, which may hold any character."""
    plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", name)
    said = f'attachment; filename="{plain}"'
    if plain != name:
        said += f"; filename*=UTF-8''{quote(name, safe='')}"
    kept = {"Content-Disposition": said, "Cache-Control": "no-store"}
    return Response(content, media_type=kind, headers=kept)


def report_file(write: Callable[[Path], None]) -> HTMLResponse:
    """A page that needs nothing else, to be saved: what it runs may reach nothing of ours."""
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        path = Path(folder, "report.html")
        write(path)
        kept = {
            "Content-Disposition": 'attachment; filename="report.html"',
            "Content-Security-Policy": "sandbox allow-scripts",
        }
        return HTMLResponse(path.read_text(encoding="utf-8"), headers=kept)


def storage_file(database: Database, namespace: str, kind: str, name: str) -> Response:
    """A study or a training as a SQLite file."""
    with tempfile.TemporaryDirectory(prefix="tunewise-") as folder:
        path = Path(folder, "tunewise.db")
        copy_one(database, namespace, kind, name, path)
        return file(path.read_bytes(), "application/octet-stream", path.name)
