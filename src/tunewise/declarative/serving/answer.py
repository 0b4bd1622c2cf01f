"""What a task answers."""

from dataclasses import dataclass, field
from typing import Any

from tunewise.declarative.quality import Quality


@dataclass(frozen=True)
class Answer:
    """The answer to one input.

    Attributes:
        value: A label, a number, a list of numbers, or an array.
        scores: Classes with their probabilities, the likeliest first.
        low: Of a number: nine of ten true values are between this
        high: and this.
        quality: Of the model that answered.
        model: Its name.
        data: The version of the data that it was trained on.
        refused: Why there is no value: what was given cannot be read, and other inputs could.
    """

    value: Any
    scores: dict[str, float] = field(default_factory=dict)
    low: Any = None
    high: Any = None
    quality: Quality | None = None
    model: str = ""
    data: int = 0
    refused: str = ""

    def line(self) -> str:
        """The value, and how sure it is, in one line for people."""
        if self.refused:
            return "refused"
        value = self.value.tolist() if hasattr(self.value, "tolist") else self.value
        if self.scores:
            return f"{value}\t{next(iter(self.scores.values())):.3f}"
        if self.low is not None:
            return f"{value}\t({self.low} to {self.high})"
        return str(value)
