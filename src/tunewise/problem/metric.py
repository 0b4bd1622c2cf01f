"""The numbers that trials measure, their kinds and their units."""

import math
import re
from dataclasses import dataclass
from numbers import Real
from typing import Literal, TypeAlias

from tunewise.errors import ProblemError, nearest

Metrics: TypeAlias = dict[str, float]


@dataclass(frozen=True)
class Metric:
    """A named number that a trial measures.

    Attributes:
        name: How jobs, constraints and charts call it.
        kind: "share" lies in [0, 1] and saturates, "positive" is multiplicative, "real" is neither.
        unit: What it is counted in, for people.
    """

    name: str
    kind: Literal["share", "positive", "real"] = "real"
    unit: str = ""

    def vague(self, mean: float, std: float) -> bool:
        """Whether a belief is so wide that its numbers would only mislead.

        The standard deviation of a positive metric is then more than twice its mean, and that of a
        share spans most of what a share can be.
        """
        if not math.isfinite(mean) or not math.isfinite(std):
            return True
        widest = {"positive": 2.0 * abs(mean), "share": 0.4, "real": math.inf}
        return std > widest[self.kind]


KNOWN = {
    "accuracy": Metric("accuracy", "share"),
    "time": Metric("time", "positive", "s"),
    "cost": Metric("cost", "positive", "USD"),
}

_WORDS = re.compile(r"[^a-z0-9]+")


def by_name(name: str) -> Metric:
    """A metric of one's own that nobody has declared: an accuracy is a share, whosever it is.

    >>> by_name("val_accuracy").kind, by_name("val_loss").kind
    ('share', 'real')
    """
    words = _WORDS.split(name.lower())
    share = "accuracy" in words and not {"neg", "negative", "log"} & {*words}
    return Metric(name, "share" if share else "real")


UNITS: dict[str, dict[str, float]] = {
    "time": {
        **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1e-3),
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
        **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
        **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
        **dict.fromkeys(("d", "day", "days"), 86400.0),
    },
    "cost": {
        **dict.fromkeys(("usd", "$", "dollar", "dollars"), 1.0),
        **dict.fromkeys(("cent", "cents", "ct"), 0.01),
    },
    "share": {"%": 0.01, "percent": 0.01},
}

_QUANTITY = re.compile(
    r"^(?P<prefix>\$)?\s*(?P<number>[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf)\w*)"
    r"\s*(?P<unit>[^\W\d_]+|%|\$)?$",
    re.IGNORECASE,
)

_COMPOUND = re.compile(r"\d+(?:\.\d+)?\s*[a-zA-Z]+")
"""The parts of a duration such as 1h30m."""

_EXAMPLES = {"time": "'5 min'", "cost": "'0.10 USD'", "accuracy": "'90 %'"}

LONGEST = 300
"""Letters of a limit or an amount; longer ones are no such things, and slow to read."""


def quantity(text: str | float, of: str, kind: str = "") -> float:
    """A number with an optional unit of the metric, in the metric's own unit.

    >>> quantity("5 min", "time")
    300.0
    """
    if isinstance(text, Real) and not isinstance(text, bool):
        try:
            return float(text)
        except OverflowError:
            raise ProblemError(f"{of} is a number beyond 1e308; expected one below") from None
    text = str(text)
    found = _QUANTITY.match(text.strip()) if len(text) <= LONGEST else None
    parts = _COMPOUND.findall(text[:LONGEST]) if found is None and of == "time" else []
    if parts and not _COMPOUND.sub("", text).strip():
        return math.fsum(quantity(part, of) for part in parts)
    if found is None:
        raise ProblemError(
            f"{text[:LONGEST]!r} is not a number for {of!r}; expected one such as 0.1"
        )
    number = float(found["number"].replace("_", ""))
    unit = (found["prefix"] or found["unit"] or "").lower()
    units = UNITS.get(of) or UNITS.get(kind, {})
    if unit and unit not in units:
        if of in KNOWN and any(unit in theirs for theirs in UNITS.values()):
            raise ProblemError(f"{text.strip()!r} is no {of}; expected such as {_EXAMPLES[of]}")
        expected = nearest(unit, units) if units else "; it takes a bare number"
        raise ProblemError(f"unknown unit {unit!r} for {of!r}{expected}")
    return number * units.get(unit, 1.0) if unit else number


_PER = re.compile(r"\s*(?:/|\bper\b|\ban\b)\s*(?=\w+$)", re.IGNORECASE)


def hourly(price: str | float) -> float:
    """USD per hour of a price; an amount that names no time is that of an hour.

    >>> hourly("0.36 USD/h"), hourly("1 cent per minute")
    (0.36, 0.6)
    """
    amount, *time = _PER.split(str(price).strip()) if len(str(price)) <= LONGEST else [price]
    hours = quantity(f"1 {time[0]}", "time") / 3600.0 if time else 1.0
    return quantity(amount, "cost") / hours
