"""What failed, and why."""

from dataclasses import dataclass

from tunewise.format import headline
from tunewise.history import Failure, History, TimedOut, TrialState, alike


@dataclass(frozen=True)
class FailureGroup:
    """Trials that failed for the same reason.

    Attributes:
        headline: The reason in one line.
        reason: The whole reason, as the first of the trials gave it.
        numbers: The trials.
        cost: What they cost together in USD.
        time: How long they took together in seconds.
    """

    headline: str
    reason: str
    numbers: tuple[int, ...]
    cost: float
    time: float


def failures(history: History) -> tuple[FailureGroup, ...]:
    """Failed trials by the headline of their reason, whatever numbers it names, most first."""
    groups: dict[str, list[int]] = {}
    lines: dict[str, str] = {}
    failed = {t.number: t for t in history.of(TrialState.FAILED)}
    reasons = {n: t.outcome.reason for n, t in failed.items() if isinstance(t.outcome, Failure)}
    for number, reason in reasons.items():
        line = headline(reason)
        # What a limit was differs from trial to trial, and is said after a colon.
        if isinstance(failed[number].outcome, TimedOut):
            line = f"timed out: {line.partition(':')[0]}"
        lines.setdefault(alike(line), line)
        groups.setdefault(lines[alike(line)], []).append(number)
    listed = [
        FailureGroup(
            headline=line,
            reason=reasons[numbers[0]],
            numbers=tuple(numbers),
            cost=sum(failed[n].spent.get("cost", 0.0) for n in numbers),
            time=sum(failed[n].spent.get("time", 0.0) for n in numbers),
        )
        for line, numbers in groups.items()
    ]
    return tuple(sorted(listed, key=lambda g: -len(g.numbers)))
