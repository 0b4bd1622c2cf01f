"""Which entrants of a race are variants of each other, so that one option can be judged alone."""

from collections.abc import Sequence
from typing import Any

from tunewise.benchmark.entrants import label, settings
from tunewise.format import percent
from tunewise.strategy.spec import StrategySpec

_NOTHING = "none"


def by_filter(specs: Sequence[StrategySpec]) -> dict[str, str]:
    """Entrants that differ by their filter alone, with the filter's name; none without two.

    The share of a filter that lets everything through means nothing. Of several families the
    largest counts, and of several shares the one with most filters.
    """
    families: dict[Any, dict[str, str]] = {}
    filtered = [spec for spec in specs if "filter" in settings(spec)]
    for share in dict.fromkeys(settings(spec).get("share") for spec in filtered):
        for spec in filtered:
            own = settings(spec)
            if own["filter"] == _NOTHING or own.get("share") == share:
                shown = "no filter" if own["filter"] == _NOTHING else f"{own['filter']}"
                families.setdefault((share, *_rest(spec)), {})[label(spec)] = shown
    return _largest(list(families.values()))


def by_share(specs: Sequence[StrategySpec]) -> dict[str, str]:
    """Entrants that differ by the share of one filter alone, with that share; none without two.

    Without a filter the share is all: where that was raced too, it belongs to the family.
    """
    families: dict[Any, dict[str, str]] = {}
    filtered = [spec for spec in specs if {"filter", "share"} <= settings(spec).keys()]
    kinds = dict.fromkeys(settings(spec)["filter"] for spec in filtered)
    for kind in (kind for kind in kinds if kind != _NOTHING):
        for spec in sorted(filtered, key=_share):
            if settings(spec)["filter"] in (kind, _NOTHING):
                shown = f"{kind} {percent(_share(spec))}" if _share(spec) <= 1 else "no filter"
                families.setdefault((kind, *_rest(spec)), {})[label(spec)] = shown
    return _largest([f for f in families.values() if len(set(f.values()) - {"no filter"}) > 1])


def _share(spec: StrategySpec) -> float:
    """The share that is let through; more than any without a filter."""
    own = settings(spec)
    return 2.0 if own["filter"] == _NOTHING else float(own["share"])


def _rest(spec: StrategySpec) -> tuple[Any, ...]:
    rest = {k: v for k, v in settings(spec).items() if k not in ("filter", "share")}
    return (spec.name, *sorted((k, repr(v)) for k, v in rest.items()))


def _largest(families: Sequence[dict[str, str]]) -> dict[str, str]:
    real = [family for family in families if len(set(family.values())) > 1]
    return max(real, key=len, default={})
