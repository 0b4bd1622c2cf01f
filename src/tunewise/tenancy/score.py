"""Scores of different kinds on one scale, so that users can be compared.

The scheduler's scale is that of accuracy: 1 is perfect, 0 is worthless.
"""

from dataclasses import dataclass

from tunewise.errors import TenancyError, nearest
from tunewise.surrogate.normal import TIE
from tunewise.tenancy.checks import number


@dataclass(frozen=True)
class Score:
    """A kind of score: the value of a worthless model, and that of a perfect one.

    An error rate goes from 1 (worthless) to 0 (perfect). What is worse than worthless counts as
    worthless, unless the scale is bounded and nothing can be.
    """

    worst: float
    best: float
    bounded: bool = False

    def __post_init__(self) -> None:
        """Refuse a scale without a length."""
        for end in (self.worst, self.best):
            number(end, f"a score goes from {self.worst!r} to {self.best!r}")
        if self.best == self.worst:
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
        """The score on the scale of accuracy, within 0 and 1.

        Nothing is better than perfect: what lies beyond is refused, as a percentage would be.
        """
        unit = (value - self.worst) / (self.best - self.worst)
        # What is beyond the end by less is rounding, not another scale.
        if unit > 1 + TIE or (self.bounded and unit < -TIE):
            low, high = sorted((self.worst, self.best))
            raise TenancyError(
                f"a score of {value:g} on a scale from {low:g} to {high:g}; scores of another"
                " scale need join(..., score=Score(worst, best))"
            )
        return min(max(unit, 0.0), 1.0)

    def own(self, unit: float) -> float:
        """Back from the scale of accuracy."""
        return self.worst + unit * (self.best - self.worst)


SCORES = {
    "accuracy": Score(0.0, 1.0, bounded=True),
    "error": Score(1.0, 0.0, bounded=True),
    "similarity": Score(-1.0, 1.0, bounded=True),
}
