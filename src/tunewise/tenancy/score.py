"""Scores of different kinds on one scale, so that users can be compared.

The scheduler's scale is that of accuracy: 1 is perfect, 0 is worthless.
"""

from dataclasses import dataclass

from tunewise.errors import TenancyError, nearest


@dataclass(frozen=True)
class Score:
    """A kind of score: the value of a worthless model, and that of a perfect one.

    An error rate goes from 1 (worthless) to 0 (perfect).
    """

    worst: float
    best: float

    def __post_init__(self) -> None:
        """Refuse a scale without a length."""
        if not abs(self.best - self.worst) > 0:
            raise TenancyError(f"a score goes from {self.worst} to {self.best}: it must differ")

    @classmethod
    def of(cls, kind: "str | Score") -> "Score":
        """From a name in `SCORES`, or a score."""
        if isinstance(kind, Score):
            return kind
        if kind not in SCORES:
            raise TenancyError(f"unknown score {kind!r}{nearest(kind, sorted(SCORES))}")
        return SCORES[kind]

    def unit(self, value: float) -> float:
        """The score on the scale of accuracy, within 0 and 1."""
        return min(max((value - self.worst) / (self.best - self.worst), 0.0), 1.0)

    def own(self, unit: float) -> float:
        """Back from the scale of accuracy."""
        return self.worst + unit * (self.best - self.worst)


SCORES = {
    "accuracy": Score(0.0, 1.0),
    "error": Score(1.0, 0.0),
    "similarity": Score(-1.0, 1.0),
}
