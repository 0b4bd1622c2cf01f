"""How much of what a trial tells is kept: a job may tell more than anybody could learn from."""

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")

MOST_SNAPSHOTS = 100
"""Snapshots that are kept of one trial, besides those at the problem's own fractions."""

MOST_METRICS = 100
"""Numbers that are kept of one measurement, besides those that the problem needs."""

LONGEST_NAME = 200
"""Characters of a metric's name."""


def is_name(name: object) -> bool:
    """Whether a metric may be called so: every store can keep the name."""
    text = str(name)
    halves = any("\ud800" <= letter <= "\udfff" for letter in text)
    return len(text) <= LONGEST_NAME and not halves


def fewer_metrics(metrics: Mapping[str, T], needed: Iterable[str]) -> dict[str, T]:
    """The metrics that are needed, and so many of the others as are kept."""
    wanted = set(needed)
    others = [name for name in metrics if name not in wanted][:MOST_METRICS]
    kept = wanted.union(others)
    return {name: value for name, value in metrics.items() if name in kept}


def fewer_snapshots(snapshots: Mapping[float, T], asked: Collection[float]) -> dict[float, T]:
    """So many snapshots as are kept, evenly from the first to the last, and all asked for."""
    others = sorted(fraction for fraction in snapshots if fraction not in asked)
    if len(others) > MOST_SNAPSHOTS:
        step = (len(others) - 1) / (MOST_SNAPSHOTS - 1)
        others = [others[round(step * i)] for i in range(MOST_SNAPSHOTS)]
    kept = set(others).union(asked)
    return {fraction: told for fraction, told in snapshots.items() if fraction in kept}
