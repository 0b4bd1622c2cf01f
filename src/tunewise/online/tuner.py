"""Self-tuning of a training: in the user's own loop, or of a job that can be reconfigured.

```python
tuner = Tuner(space, until="loss <= 0.1")
for setting in tuner:                      # again whenever the setting changes
    for batch in make_loader(setting):
        tuner.report(loss=step(batch))     # seconds are measured, or given
        if tuner.changed:                  # or done
            break
```
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.errors import MeasurementError, StudyError
from tunewise.online.costs import Classify, ReconfigurationCosts
from tunewise.online.manager import Decision, PaceManager, Situation
from tunewise.online.pace import Pace, typical
from tunewise.online.reconfigurable import Iteration, Reconfigurable, Switch
from tunewise.online.segment import Segment
from tunewise.online.until import Until, Watch
from tunewise.space import Config, Space
from tunewise.surrogate import Normal


@dataclass(frozen=True)
class Tried:
    """One stretch of a training under one setting.

    Attributes:
        setting: The setting.
        first: The number of its first iteration.
        iterations: How many.
        seconds: How long an iteration took.
        reconfiguration: Seconds that the switch to it took.
        loss: At its end.
    """

    setting: Config
    first: int
    iterations: int
    seconds: float
    reconfiguration: float
    loss: float


class Tuner:
    """Finds the setting that finishes a training soonest, while it runs."""

    def __init__(
        self,
        space: Space,
        until: str | Until,
        *,
        default: Config | None = None,
        each: int | Callable[[Config], int] = 10,
        price: Callable[[Config], float] | None = None,
        deadline: float | None = None,
        classify: Classify | None = None,
        seed: int = 0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Begin with the default setting, or with the first of the space.

        Args:
            space: The settings that may be chosen.
            until: When the training is done: "loss <= 0.1", "samples >= 60000", …
            default: The setting to begin with.
            each: Iterations for which a setting is tried.
            price: USD per hour of a setting, where USD are to be saved instead of seconds.
            deadline: Seconds by which the training must be done, where there is a price.
            classify: Which kinds of change lead from one setting to another.
            seed: Of the settings that are considered where the space is large.
            clock: Seconds, for reports that do not tell theirs.
        """
        self.space, self.until = space, Until.of(until)
        self.setting = space.check(default) if default is not None else _first(space)
        self.changed = self.done = False
        self._manager = PaceManager(space, self.until, each, price, deadline, seed)
        self._costs = ReconfigurationCosts(classify) if classify else ReconfigurationCosts()
        self._watch = Watch(self.until)
        self._segments = [Segment(self.setting, planned=self._manager.least(self.setting))]
        self._clock, self._mark = clock, clock()
        self._spent = 0.0
        self._switching = False

    def __iter__(self) -> Iterator[Config]:
        """The setting to train under, again whenever it changes, until the training is done."""
        while not self.done:
            self.changed = False
            iterations = self.iterations
            yield dict(self.setting)
            if not self.changed and not self.done and self.iterations == iterations:
                raise StudyError(
                    "the loop ended without a report: call tuner.report(loss=…) in each iteration"
                )

    def report(
        self,
        loss: float | None = None,
        *,
        seconds: float | None = None,
        samples: float | None = None,
    ) -> None:
        """Tell of an iteration; then `changed` says whether to go over to another setting."""
        now = self._clock()
        elapsed, self._mark = now - self._mark, now
        if self.done:
            return
        loss = math.nan if loss is None else _checked("loss", loss)
        if math.isnan(loss) and not self.until.only_speed:
            raise MeasurementError(
                f"report was told no loss, but the training is done when {self.until}"
            )
        taken = elapsed if seconds is None else _checked("seconds", seconds)
        if seconds is None:
            taken -= self._charge(taken)
        count = 1.0 if samples is None else _checked("samples", samples)
        self._see(Iteration(loss, taken, count))

    def _charge(self, taken: float) -> float:
        """Seconds of a measured iteration that a switch just before it took, booked as its cost."""
        if not self._switching:
            return 0.0
        usual = typical(self._segments[-2].seconds)
        cost = max(taken - usual, 0.0)
        self.switched(self._segments[-1].kinds, cost)
        return cost

    def _see(self, iteration: Iteration) -> None:
        running = self._segments[-1]
        running.iterations.append(iteration)
        self._spent += iteration.seconds
        if self._watch.see(iteration):
            self.done = self.changed = True
            return
        situation = self._situation()
        if self._manager.due(situation):
            self._go(self._manager.decide(situation, self._costs))

    def _go(self, decision: Decision) -> None:
        setting = decision.setting
        if self.space.key(setting) == self.space.key(self.setting):
            self._segments[-1].planned = decision.iterations
            return
        kinds = self._costs.classify(self.setting, setting)
        self.setting, self.changed = setting, True
        begun = Segment(setting, self.iterations, kinds=kinds, planned=decision.iterations)
        self._segments.append(begun)
        self._switching = True

    def switched(self, kinds: frozenset[str], seconds: float) -> None:
        """Tell what the last switch cost, where that is known exactly."""
        self._segments[-1].reconfiguration = seconds
        self._costs.learn(kinds, seconds)
        self._spent += seconds
        self._switching = False

    def _situation(self) -> Situation:
        return Situation(self._segments, self._watch.loss, self._watch.samples, self._spent)

    @property
    def iterations(self) -> int:
        """Of the whole training so far."""
        return sum(len(each.iterations) for each in self._segments)

    @property
    def seconds(self) -> float:
        """Since the training began, reconfigurations included."""
        return self._spent

    @property
    def loss(self) -> float:
        """The loss now, averaged over the last reports."""
        return self._watch.loss

    @property
    def remaining(self) -> Normal:
        """Seconds that are left under the present setting."""
        if self.done or not self._segments[-1].iterations:
            return Normal(0.0 if self.done else math.inf, 0.0)
        situation = self._situation()
        belief = Pace(self.space, self._segments, self.until.only_speed)
        log = self._manager.remaining(belief, [self.setting], situation)
        mean, std = float(np.asarray(log.mean)[0]), float(np.asarray(log.std)[0])
        expected = math.exp(min(mean + std**2 / 2, 60.0))
        return Normal(expected, expected * math.sqrt(max(math.expm1(min(std**2, 50.0)), 0.0)))

    @property
    def staying(self) -> Normal:
        """Seconds that the whole training would have taken under the first setting alone.

        What went by until now is taken to have been spent on the same progress: known for certain
        only where samples are all that counts.
        """
        first = self._segments[0]
        if not first.iterations:
            return Normal(math.inf, 0.0)
        belief = Pace(self.space, self._segments, self.until.only_speed)
        settings = [each.setting for each in self._segments if each.iterations]
        pace = np.asarray(belief.log_pace(settings, self._watch.loss).mean)
        taken = np.array([e.seconds.sum() for e in self._segments if e.iterations])
        so_far = float(taken @ np.exp(np.clip(pace - pace[0], -20, 20)))
        log = self._manager.remaining(belief, [first.setting], self._situation())
        mean, std = float(np.asarray(log.mean)[0]), float(np.asarray(log.std)[0])
        left = 0.0 if self.done else math.exp(min(mean, 60.0))
        return Normal(so_far + left, left * std)

    @property
    def switches(self) -> list[Tried]:
        """What was tried, and when."""
        return [
            Tried(
                dict(each.setting),
                each.first,
                len(each.iterations),
                typical(each.seconds),
                each.reconfiguration,
                float(each.losses[-1]),
            )
            for each in self._segments
            if each.iterations
        ]


def follow(job: Reconfigurable, tuner: Tuner, make: Callable[[Config], Any], step: int = 1) -> None:
    """Tune a job that can be reconfigured until it is done.

    Args:
        job: The training.
        tuner: Who decides.
        make: A setting of the job from a config of the tuner's space.
        step: Iterations to run between looks.
    """
    while not tuner.done:
        for each in job.run(step):
            tuner.report(each.loss, seconds=each.seconds, samples=each.samples)
            if tuner.changed:
                break
        if tuner.changed and not tuner.done:
            switch: Switch = job.switch(make(tuner.setting))
            tuner.switched(switch.kinds, switch.seconds)
            tuner.changed = False


def _first(space: Space) -> Config:
    if space.size is not None:
        return space.at(np.array([0]))[0]
    return space.latin(1, np.random.default_rng(0))[0]


def _checked(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise MeasurementError(f"{name} is {value!r}; expected a number")
    number = float(value)
    if not math.isfinite(number) or (name != "loss" and number < 0):
        raise MeasurementError(f"{name} is {value!r}; expected a finite number, not below 0")
    return number
