"""Secrets that a machine draws: sessions, tokens, invitations."""

import hashlib
import secrets
from dataclasses import dataclass

TOKEN = "tw_"
"""The visible beginning of a token, by which people and scanners of leaks know it."""

_SHOWN = 8
"""Characters of a token that its list shows."""


@dataclass(frozen=True)
class Secret:
    """A secret, shown once, and what is kept of it.

    Attributes:
        text: To be given to its holder.
        hash: To be kept.
    """

    text: str
    hash: str

    @classmethod
    def new(cls, prefix: str = "") -> "Secret":
        """Draw 256 bits."""
        text = prefix + secrets.token_urlsafe(32)
        return cls(text, hashed(text))

    @property
    def shown(self) -> str:
        """Its beginning, for lists."""
        return self.text[:_SHOWN]


def hashed(text: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(text.encode()).hexdigest()
