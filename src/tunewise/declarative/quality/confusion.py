"""What is taken for what: how often each class was answered with which, and how often rightly."""

from collections import Counter
from collections.abc import Iterable, Mapping

Confusion = Mapping[str, Mapping[str, int]]
"""By the true class and then by the answer: how many examples; what never happened is left out."""


def confusion(given: Iterable[str], told: Iterable[str]) -> Confusion:
    """The counts of true classes and answers to the same examples."""
    found: dict[str, dict[str, int]] = {}
    for (label, answer), count in sorted(Counter(zip(given, told, strict=True)).items()):
        found.setdefault(label, {})[answer] = count
    return found


def recalls(counts: Confusion) -> dict[str, float]:
    """By class: the share of its examples that were answered rightly."""
    return {
        label: answers.get(label, 0) / sum(answers.values()) for label, answers in counts.items()
    }


def never_found(counts: Confusion) -> str:
    """Which classes were never answered rightly, in a sentence; nothing where each was."""
    lost = {
        label: sum(answers.values()) for label, answers in counts.items() if label not in answers
    }
    if not lost:
        return ""
    shown = [f"{label!r} (0 of {count})" for label, count in list(lost.items())[:3]]
    more = ", …" if len(lost) > 3 else ""
    return f"it never finds {', '.join(shown)}{more}"
