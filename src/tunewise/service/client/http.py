"""Requests to a service, and its problems as the errors that they were there."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from tunewise import errors
from tunewise.errors import StorageError, TunewiseError
from tunewise.storage.secrets import redacted

API = "/api/v1"
PATIENCE = 600.0
"""Seconds for an answer: reading a large upload takes a while."""


@dataclass(frozen=True)
class Part:
    """A file of a form."""

    field: str
    name: str
    content: bytes


class Http:
    """Speaks to one service."""

    def __init__(self, address: str, token: str | None) -> None:
        """Under an address such as http://127.0.0.1:8700."""
        if urlsplit(address).scheme not in ("http", "https") or "@" in address:
            raise StorageError(
                f"{redacted(address)!r:.80} is no address of a service; expected http://HOST:PORT,"
                " and the token in TUNEWISE_TOKEN"
            )
        self.address, self._token = address.rstrip("/"), token and token.strip()

    def call(self, method: str, *path: str, data: Any = None, **query: Any) -> Any:
        """Ask with JSON, and get JSON."""
        body = None if data is None else json.dumps(data, allow_nan=False).encode()
        answer = self.ask(method, path, body, "application/json", query)
        return json.loads(answer) if answer else None

    def get(self, *path: str, **query: Any) -> bytes:
        """The bytes of an answer."""
        return self.ask("GET", path, None, None, query)

    def made(self, *path: str) -> bytes:
        """The bytes that the service makes anew."""
        return self.ask("POST", path, None, None, {})

    def send(self, path: Sequence[str], parts: Sequence[Part], fields: dict[str, str]) -> Any:
        """Post files as a form."""
        mark = uuid.uuid4().hex
        body = bytearray()
        for name, value in fields.items():
            head = f'Content-Disposition: form-data; name="{name}"'
            body += f"--{mark}\r\n{head}\r\n\r\n{value}\r\n".encode()
        for part in parts:
            called = part.name.replace("\\", "/").replace('"', "%22")
            head = f'Content-Disposition: form-data; name="{part.field}"; filename="{called}"'
            kind = "Content-Type: application/octet-stream"
            body += f"--{mark}\r\n{head}\r\n{kind}\r\n\r\n".encode() + part.content + b"\r\n"
        body += f"--{mark}--\r\n".encode()
        kind = f"multipart/form-data; boundary={mark}"
        return json.loads(self.ask("POST", path, bytes(body), kind, {}))

    def ask(
        self,
        method: str,
        path: Sequence[str],
        body: bytes | None,
        kind: str | None,
        query: dict[str, Any],
    ) -> bytes:
        """The body of an answer; a problem is raised as what it was at the service."""
        url = "/".join((f"{self.address}{API}", *(quote(part, safe="") for part in path)))
        asked = {key: value for key, value in query.items() if value is not None}
        request = Request(url + (f"?{urlencode(asked)}" if asked else ""), body, method=method)
        if kind is not None and body is not None:
            request.add_header("Content-Type", kind)
        if self._token:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                content: bytes = answer.read()
                return content
        except HTTPError as error:
            raise _of_problem(error, self.address) from None
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise StorageError(f"{self.address} cannot be reached ({reason!s:.100})") from None


def _of_problem(error: HTTPError, address: str) -> TunewiseError:
    try:
        told = json.loads(error.read())
        said, kind = str(told["detail"]), str(told.get("error", ""))
    except (ValueError, KeyError, TypeError, OSError):
        said, kind = f"{address} answered {error.code}", ""
    if error.code == 401:
        said = f"{said}; set TUNEWISE_TOKEN, or give token="
    known = getattr(errors, kind, None)
    made = known if isinstance(known, type) and issubclass(known, TunewiseError) else TunewiseError
    return made(said)
