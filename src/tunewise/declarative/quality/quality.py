"""What a user is told about a model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """How good the best model is.

    Attributes:
        value: From 0 to 1, corrected for the model having been chosen for it.
        low: The lower end of its 90 % interval.
        high: The upper end.
        baseline: The quality of the best answer that needs no model: the most frequent class, the
            mean, or the input itself.
        measure: "accuracy" or "R²".
        examples: How many it was measured on, none of which the model was trained on.
        optimism: What was taken off for the choice.
        usual: The most frequent class, which is the best answer without a model; of classes alone.
    """

    value: float
    low: float
    high: float
    baseline: float
    measure: str = "accuracy"
    examples: int = 0
    optimism: float = 0.0
    usual: str = ""

    @property
    def verdict(self) -> str:
        """That the model is not surely worth more than none; nothing where it is."""
        if self.low > self.baseline:
            return ""
        usual = f"saying {self.usual!r}" if self.usual else "the same answer"
        return f"no better than always {usual}, as far as {self.examples} examples tell"

    def __str__(self) -> str:
        """One line for people."""
        said = (
            f"{self.measure} {self.value:.3f} ({self.low:.3f} to {self.high:.3f},"
            f" {self.examples} examples; without a model {self.baseline:.3f})"
        )
        return f"{said}: {self.verdict}" if self.verdict else said
