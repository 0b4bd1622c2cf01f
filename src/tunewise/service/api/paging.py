"""Pages by key: each page says after what the next one begins."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def last(keys: Sequence[T], limit: int) -> T | None:
    """What to ask after; None where the page was not full."""
    return keys[-1] if len(keys) == limit else None
