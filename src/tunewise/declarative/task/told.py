"""What a task tells of its examples and models."""

from dataclasses import dataclass, field
from typing import Any

from tunewise.declarative.examples.raw import Refused


@dataclass(frozen=True)
class Fed:
    """What became of what was fed.

    Attributes:
        added: How many examples are new.
        known: How many were there before, or are in two of the files.
        refused: What is no example, with the reasons.
        notes: What was done to inputs, or decided by them.
        version: Of the data, from now on.
    """

    added: int
    known: int
    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    version: int = 0

    def __str__(self) -> str:
        """One line."""
        parts = [f"{self.added} new example{'' if self.added == 1 else 's'}"]
        parts += [f"{self.known} known already"] if self.known else []
        parts += [f"{len(self.refused)} refused"] if self.refused else []
        return ", ".join(parts)


@dataclass(frozen=True)
class Example:
    """One pair that was fed.

    Attributes:
        id: Such as "e17".
        label: The output as a word or number; None where it is larger.
        on: Whether models are trained on it.
        part: "training" or "validation"; "either" while examples are few.
        fed: In seconds since the epoch.
        source: Where it came from.
        by: The labelling function's name, or nothing.
    """

    id: str
    label: str | None
    on: bool
    part: str
    fed: float
    source: str
    by: str = ""


@dataclass(frozen=True)
class TrainedModel:
    """A model that was trained, or that could not be.

    Attributes:
        name: Of the candidate.
        quality: From 0 to 1 as measured; None where it failed.
        low: The lower end of its 90 % interval.
        high: The upper end.
        fraction: Of the training part.
        seconds: That its training took.
        data: The version of the data.
        examples: That it was trained on.
        serves: Whether it is the best so far.
        latency: Seconds of one answer within many.
        why: Why it failed, or nothing.
        recall: By class: the share of its validation examples that the model answered rightly.
        confusion: Of the model that serves, on the examples that are on: by the true class and
            then by the answer, how many.
        card: All that is known of it.
    """

    name: str
    quality: float | None
    low: float | None
    high: float | None
    fraction: float
    seconds: float
    data: int
    examples: int
    serves: bool = False
    latency: float = 0.0
    why: str = ""
    recall: dict[str, float] = field(default_factory=dict)
    confusion: dict[str, dict[str, int]] = field(default_factory=dict)
    card: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Refined:
    """What a refine has changed.

    Attributes:
        on: Examples that are on since.
        off: Examples that are off since.
        version: Of the data, from now on.
        before: The quality before.
        after: The same model's quality on the examples that are on now.
    """

    on: list[str]
    off: list[str]
    version: int
    before: float | None = None
    after: float | None = None
