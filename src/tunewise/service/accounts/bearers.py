"""Who holds a key: looked up in the store, and remembered for a moment."""

import time
from collections.abc import Callable

from tunewise.service.together import Together
from tunewise.storage.accounts.keys import Bearer, Keys

FRESH = 1.0
"""Seconds for which a key is good without asking again: so long a revoked one may live on in
another process of the service."""

_MOST = 10_000
"""Keys that are remembered."""


class Bearers:
    """Holders of sessions and tokens, by the checksum of the key."""

    def __init__(self, keys: Keys) -> None:
        """Looked up here."""
        self._keys = keys
        self._known: dict[str, tuple[float, Bearer | None]] = {}
        self._together = Together()
        self._era = 0

    async def of_token(self, hash: str) -> Bearer | None:
        """Who holds a token, while it lasts."""
        return await self._found(hash, self._keys.token)

    async def of_session(self, hash: str) -> Bearer | None:
        """Whose browser it is, while the session lasts."""
        return await self._found(hash, self._keys.session)

    def forget(self) -> None:
        """Ask for everybody again: somebody's rights have changed."""
        self._era += 1
        self._known.clear()
        self._together.forget()

    async def _found(self, hash: str, look: Callable[[str], Bearer | None]) -> Bearer | None:
        known = self._known.get(hash)
        now = time.monotonic()
        if known is not None and now - known[0] < FRESH:
            return known[1]
        era = self._era
        bearer = await self._together.of(hash, lambda: look(hash))
        if era != self._era:
            return bearer  # it was looked up before rights changed: right for this request alone
        if bearer is not None:  # what others invent is not worth remembering
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[hash] = now, bearer
        else:
            self._known.pop(hash, None)
        return bearer
