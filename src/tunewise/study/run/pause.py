"""Why a run begins no trial at the moment."""

from dataclasses import dataclass

Seen = tuple[int, frozenset[int], frozenset[tuple[int, float]]]
"""Trials that were told, those that wait for a worker, and what is set aside for others."""


@dataclass(frozen=True)
class Pause:
    """Why there is no trial to begin, at a certain state of the study.

    Attributes:
        reason: What ends the run, unless something changes.
        seen: What there was to see by then; another look is worth while when it has changed.
        final: Whether only our own trials can change it.
        for_money: Whether it is over when no other process holds money.
    """

    reason: str
    seen: Seen
    final: bool
    for_money: bool = False
