"""A training as it lies in a storage: its course, its price, and its folder beside."""

import math
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from typing import Any

from tunewise.job.training.price import kept_price
from tunewise.online import Tuner, Until
from tunewise.online.record.course import Course
from tunewise.online.record.events import decoded
from tunewise.online.record.folder import forget, training_folder
from tunewise.online.record.stored import stored_course
from tunewise.online.segment import Tried
from tunewise.online.time_left import cost
from tunewise.space import Config
from tunewise.study import Owner, Store

_LONGEST_ANSWER = 60.0
"""Seconds for which other machines may not go on with a training while a person is asked."""


class StoredTraining:
    """A training that was kept, to be looked at or deleted; nothing is read before."""

    def __init__(self, store: Store, name: str, url: str, namespace: str | None = None) -> None:
        """The one of a name; its folder is beside the storage of this URL."""
        self.name, self._runs = name, store.runs()
        self.folder = training_folder(url, namespace or "", name)

    @cached_property
    def course(self) -> Course:
        """What happened, as far as is known."""
        return stored_course(self._runs, self.name)

    @cached_property
    def price(self) -> Callable[[Config], float] | None:
        """USD per hour of a setting; None where none is kept."""
        return kept_price(self.folder, self.course)

    def describe(self) -> dict[str, Any]:
        """All about it: its state, what it cost and what it tried."""
        segments = self.course.segments
        spent = None if self.price is None else cost(segments, self.price)
        tried = [asdict(Tried.of(each)) for each in segments if each.iterations]
        failed = [each.why for each in self.course.believed if " failed: " in each.why]
        return {**head(self.name, self.course), "cost": spent, "switches": tried, "failed": failed}

    def tuner(self) -> Tuner:
        """What tunes it, as it believed last; it keeps nothing, so that the training can go on."""
        first = self.course.segments[0].setting
        tuner = Tuner(self.course.space, Until.of(self.course.until), default=first)
        tuner.watch(map(decoded, self._runs.events(self.name)))
        return tuner

    def delete(self, agree: Callable[[int], None]) -> int:
        """Forget it with its folder, unless a person does not agree: how many iterations it had.

        Refused while it runs, and none begins while the person is asked.
        """
        here = Owner.here()
        self._runs.own(self.name, here, _LONGEST_ANSWER)
        try:
            # Counted without a look at what they say: one that is damaged can be deleted too.
            events = self._runs.events(self.name)
            count = sum("reported" in event or "earlier" in event for event in events)
            agree(count)
            self._runs.delete(self.name)
        finally:
            self._runs.disown(self.name, here)
        forget(self.folder)
        return count


def head(name: str, course: Course) -> dict[str, Any]:
    """A training in a line of a list."""
    return {
        "name": name,
        "until": str(course.until),
        "done": course.done,
        "iterations": course.iterations,
        "seconds": course.seconds,
        "loss": None if math.isnan(course.watch.loss) else course.watch.loss,
        "samples": course.watch.samples,
        "setting": dict(course.setting),
        "deadline": course.deadline,
        "missed": course.deadline is not None and course.seconds > course.deadline,
    }
