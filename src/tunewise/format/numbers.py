"""Numbers as people write them: amounts, durations, shares and values of configs."""

import math
from collections.abc import Mapping
from typing import Any, Protocol

MISSING = "–"


class Unit(Protocol):
    """What has a unit, such as a metric; empty where it is a plain number."""

    @property
    def unit(self) -> str:
        """Such as "USD" or "s"."""


def number(x: float, digits: int = 4) -> str:
    """A number with so many significant digits, never fewer than its whole part has.

    >>> number(0.951234), number(12345.6), number(0.0000123)
    ('0.9512', '12,346', '1.23e-5')
    """
    if not math.isfinite(x):
        return _not_finite(x)
    if x == 0:
        return "0"
    if not 1e-4 <= abs(x) < 1e9:
        return _scientific(x, digits)
    whole = len(str(int(abs(x))))
    if abs(x) >= 1000 or whole >= digits:
        return f"{x:,.0f}"
    return f"{x:.{digits}g}"


def money(usd: float) -> str:
    """An amount of USD.

    >>> money(0.0031), money(0.5), money(1234.5)
    ('0.0031 USD', '0.50 USD', '1,234.50 USD')
    """
    return f"{amount(usd)} USD"


def amount(usd: float) -> str:
    """An amount without its unit, for columns that name it."""
    if not math.isfinite(usd):
        return _not_finite(usd)
    if abs(usd) >= 1e12:
        return _scientific(usd, 4)
    if usd == 0 or abs(usd) >= 0.995:
        return f"{usd:,.2f}"
    if abs(usd) < 1e-6:
        return _scientific(usd, 2)
    decimals = 2 - math.floor(math.log10(abs(usd)))
    text = f"{usd:.{decimals}f}".rstrip("0")
    return text + "0" * max(0, 2 - len(text.partition(".")[2]))


_STEPS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


def duration(seconds: float) -> str:
    """A time span in its two largest units, or one where that says all.

    >>> duration(252), duration(0.31), duration(300)
    ('4 m 12 s', '310 ms', '5 m')
    """
    if not math.isfinite(seconds):
        return _not_finite(seconds)
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if seconds == 0:
        return "0 s"
    if seconds < 0.9995:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 59.95:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    if seconds >= 1e9 * 86400:
        return f"{_scientific(seconds / 86400, 3)} d"
    return _in_two_units(seconds)


def _in_two_units(seconds: float) -> str:
    for (large, size), (small, part) in zip(_STEPS, _STEPS[1:], strict=False):
        wholes, rest = divmod(round(seconds / part), size // part)
        if wholes:
            return f"{wholes:,} {large} {rest} {small}" if rest else f"{wholes:,} {large}"
    raise AssertionError(f"{seconds} seconds are less than a minute")


_HUGE = 1e6
"""Shares from here on are written in powers of ten."""


def percent(share: float) -> str:
    """A share in per cent, honest at the ends: only all is 100 %, only nothing is 0 %.

    >>> percent(0.973), percent(0.9999), percent(1)
    ('97 %', '> 99 %', '100 %')
    """
    if not math.isfinite(share):
        return _not_finite(share)
    if 0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %" if abs(share) < _HUGE else f"{_scientific(100 * share, 3)} %"


def measured(metric: Unit, value: float) -> str:
    """A metric's value with its unit."""
    if metric.unit == "USD":
        return money(value)
    if metric.unit == "s":
        return duration(value)
    return f"{number(value)} {metric.unit}".rstrip()


def expected(metric: Unit, mean: float, std: float) -> str:
    """A metric's predicted value ± one standard deviation; only the value where that is zero."""
    if not 0 < std < math.inf or not math.isfinite(mean):
        return measured(metric, mean)
    if metric.unit == "s":
        return f"{duration(mean)} ± {duration(std)}"
    decimals = max(0, 1 - math.floor(math.log10(std)))
    if decimals > 8 or abs(mean) >= 1e9:
        return f"{number(mean)} ± {number(std, 2)} {metric.unit}".rstrip()
    return f"{mean:,.{decimals}f} ± {std:,.{decimals}f} {metric.unit}".rstrip()


def value(v: Any) -> str:
    """A config's value: floats shortened, all others as they are."""
    if isinstance(v, float) and math.isfinite(v):
        return number(v).replace(",", "")
    return str(v)


def read(text: str) -> Any:
    """The whole number or the number that a text says, or else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def config(values: Mapping[str, Any]) -> str:
    """A config in one line.

    >>> config({"vms": 2, "rate": 0.000861137})
    'vms=2, rate=0.0008611'
    """
    return ", ".join(f"{name}={value(v)}" for name, v in values.items())


def share_of_data(fraction: float) -> str:
    """A fraction as people say it: 1/60 rather than 0.016667, where it is one.

    >>> share_of_data(1 / 60), share_of_data(0.25), share_of_data(1.0)
    ('1/60', '1/4', 'all')
    """
    if fraction == 1:
        return "all"
    if fraction < 1e-12:  # of which no whole number of parts makes one
        return number(fraction, 3)
    parts = round(1 / fraction)
    return f"1/{parts}" if math.isclose(parts * fraction, 1, rel_tol=1e-4) else number(fraction, 3)


def sentence(phrase: str) -> str:
    """A phrase with a capital letter and a full stop; the rest of it stays as it is.

    >>> sentence("maximise F1")
    'Maximise F1.'
    """
    return f"{phrase[:1].upper()}{phrase[1:]}."


def headline(text: str) -> str:
    """The one line of a longer message that says most: of a traceback the last, else the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "no reason was given"
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def _scientific(x: float, digits: int) -> str:
    mantissa, _, exponent = f"{x:.{digits - 1}e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(exponent)}"


def _not_finite(x: float) -> str:
    return MISSING if math.isnan(x) else ("∞" if x > 0 else "-∞")
