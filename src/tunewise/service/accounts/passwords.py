"""Passwords: hashed slowly, beside the event loop, a few at once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tunewise.errors import TunewiseError

SHORTEST, LONGEST = 10, 200
"""Characters. Longer ones would only cost time to hash."""

_AT_ONCE = 2
"""Hashes at once: each takes 64 MB for a moment."""


class Passwords:
    """Hashes and checks passwords."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        """With the hasher's own defaults, which follow RFC 9106, unless another is given."""
        self._hasher = hasher or PasswordHasher()
        self._pool = ThreadPoolExecutor(_AT_ONCE, "tunewise-passwords")
        self._nobody = self._hasher.hash("of nobody")

    async def hash(self, password: str) -> str:
        """What is kept of a password; one that is easy to guess is refused."""
        if not SHORTEST <= len(password) <= LONGEST:
            raise TunewiseError(
                f"the password has {len(password)} characters; expected {SHORTEST} to {LONGEST}"
            )
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._hasher.hash, password)

    async def fits(self, password: str, kept: str | None) -> bool:
        """Whether it is the password that was hashed; as slow where there is none."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._pool, self._verify, kept or self._nobody, password[: LONGEST + 1]
        )
        return found and kept is not None

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=False)

    def _verify(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except (VerificationError, InvalidHashError):
            return False
