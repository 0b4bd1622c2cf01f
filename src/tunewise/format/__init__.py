"""Things as people write them: numbers, amounts, durations, and small tables for notebooks."""

from tunewise.format.notebook import card
from tunewise.format.numbers import (
    MISSING,
    Unit,
    amount,
    config,
    duration,
    expected,
    headline,
    measured,
    money,
    number,
    percent,
    sentence,
    share_of_data,
    value,
)

__all__ = [
    "MISSING",
    "Unit",
    "amount",
    "card",
    "config",
    "duration",
    "expected",
    "headline",
    "measured",
    "money",
    "number",
    "percent",
    "sentence",
    "share_of_data",
    "value",
]
