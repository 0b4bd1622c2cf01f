"""How much a tuner may think: a decision forms a belief, which takes far longer than to report."""

from collections.abc import Sequence

from tunewise.online.deadline import OVERHEAD
from tunewise.online.segment import Segment

_UNASKED = 0.03
"""Seconds that thinking may take beside its share: where iterations are short, decisions wait. With
what reports take, a tuner stays below a hundredth of a run of twenty seconds."""


class Thinking:
    """Counts the seconds that went into decisions."""

    def __init__(self) -> None:
        """Begin with none."""
        self.seconds = 0.0
        self._begun = False

    def book(self, seconds: float) -> None:
        """Count a decision; but not the first, which loads what all others use.

        Charged for that, a short training would make no second decision.
        """
        if self._begun:
            self.seconds += seconds
        self._begun = True

    def allowed(self, passed: float, segments: Sequence[Segment]) -> bool:
        """Whether it has used less than its share, or less than the setting of now has lost.

        Else a training whose first thoughts took long would stay with a setting that is far slower.
        To look what is lost takes time, too, and is done after 1, 2, 4, … iterations.

        Args:
            passed: Seconds of the training.
            segments: What was measured; the last one runs.
        """
        if self.seconds <= _UNASKED + OVERHEAD * passed:
            return True
        running = segments[-1]
        if len(running.iterations).bit_count() != 1:
            return False
        each = [past.per_iteration / past.samples_each for past in segments]
        return self.seconds <= (each[-1] - min(each)) * running.samples_each * len(running.timed)
