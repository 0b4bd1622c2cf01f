"""Who is in the validation part: decided by a salted checksum of the input alone.

So adding or turning off examples moves nobody across, and duplicates fall on one side.
"""

import hashlib

SHARE = 0.2
"""Of the examples, for validation: the usual share."""

FEW = 500
"""Examples below which quality is measured by cross-validation: a fifth of fewer says little."""

FOLDS = 5
"""Of the cross-validation."""


def place(salt: str, key: str) -> float:
    """Where an input stands between 0 and 1."""
    digest = hashlib.sha256(f"{salt}:{key}".encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def in_validation(salt: str, key: str) -> bool:
    """Whether an input is in the validation part."""
    return place(salt, key) < SHARE


def part_of(key: str, salt: str, few: bool) -> str:
    """The part of an input in a word; while examples are few, none is for validation alone."""
    return "either" if few else "validation" if in_validation(salt, key) else "training"


def fold(salt: str, key: str) -> int:
    """The fold of an input, where examples are few."""
    return int(place(f"{salt}/fold", key) * FOLDS)
