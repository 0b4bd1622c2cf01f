"""What can be asked of a training that tunes itself."""

import math
from collections.abc import Callable

from tunewise.online.record.course import Believed, Course
from tunewise.online.segment import Tried
from tunewise.online.time_left import TimeLeft, cost
from tunewise.space import Config
from tunewise.surrogate import Normal


class Observed:
    """A training, as those see it who only look."""

    _course: Course
    _time_left: TimeLeft
    done: bool

    @property
    def setting(self) -> Config:
        """The setting now; once the training is done, the last one that ran an iteration."""
        return self._course.setting

    @property
    def iterations(self) -> int:
        """Of the whole training so far."""
        return self._course.iterations

    @property
    def seconds(self) -> float:
        """Since the training began, reconfigurations included."""
        return self._course.seconds

    @property
    def loss(self) -> float:
        """The loss now, averaged over the last reports."""
        return self._course.watch.loss

    @property
    def per_iteration(self) -> float:
        """Seconds of an iteration under the present setting; 0 before the first."""
        return self._course.last.per_iteration

    def cost_at(self, price: Callable[[Config], float]) -> float:
        """USD so far, at USD per hour of each setting."""
        return cost(self._course.segments, price)

    @property
    def remaining(self) -> Normal:
        """Seconds that are left under the present setting."""
        if self.done:
            return Normal(0.0, 0.0)
        return self._time_left.remaining(self._course.situation(), self.setting)

    @property
    def patience(self) -> float:
        """Seconds until the next report, after which whoever can should cut the try that runs."""
        running = self._course.segments[-1]
        return max(running.granted, 0.0) + running.usual if self._course.trying else math.inf

    @property
    def staying(self) -> Normal:
        """Seconds that the whole training would have taken under the first setting alone."""
        return self._time_left.staying(self._course.situation(), self.done)

    @property
    def believed(self) -> list[Believed]:
        """What was believed at each decision, in order."""
        return list(self._course.believed)

    def believed_since(self, count: int) -> list[Believed]:
        """The decisions after so many."""
        return self._course.believed[count:]

    @property
    def course(self) -> Course:
        """All that happened, for those who draw it."""
        return self._course

    @property
    def switches(self) -> list[Tried]:
        """What was tried, and when."""
        return [Tried.of(each) for each in self._course.segments if each.iterations]
