"""The course of a training: what happened so far, rebuilt from its events at any time."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tunewise.execution.training.reconfigurable import Iteration
from tunewise.format import config
from tunewise.online.belief.forecast import Forecast
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Situation
from tunewise.online.record.events import (
    Decided,
    Due,
    Event,
    Refused,
    Reported,
    Resumed,
    Saved,
    Started,
    Switched,
)
from tunewise.online.segment import Segment
from tunewise.online.until import FEW, Until, Watch
from tunewise.space import Config, Space
from tunewise.space.parameter import Value


@dataclass(frozen=True)
class Believed:
    """What was believed at a moment of a training.

    Attributes:
        at: Seconds since it began.
        iteration: The number of the iteration before which.
        setting: That was decided for.
        why: In a few words.
        left: Seconds then believed to be left, with their deviation.
    """

    at: float
    iteration: int
    setting: Config
    why: str
    left: tuple[float, float] | None


class Course:
    """Follows a training from event to event; it decides nothing."""

    def __init__(
        self,
        space: Space,
        until: Until,
        first: Config,
        planned: int,
        together: Callable[[Config], int],
        costs: ReconfigurationCosts,
    ) -> None:
        """Begin with a setting.

        Args:
            space: The settings.
            until: When it is done.
            first: The setting that it begins with.
            planned: Iterations of it, after which to think.
            together: Iterations of a setting that come together.
            costs: What switches cost, learned on the way.
        """
        self.space, self.until, self.costs = space, until, costs
        self._together = together
        self.watch = Watch(until)
        self.segments = [Segment(first, planned=planned, round=together(first))]
        self.believed: list[Believed] = []
        self.forecasts: list[Forecast] = []
        self.seconds = 0.0
        self.switching = False
        self.trying = False
        self.iterations = 0
        self.refused: frozenset[tuple[Value, ...]] = frozenset()
        self.deadline: float | None = None
        self.saved: float | None = None  # the samples of the last checkpoint
        self.unkept = 0.0  # seconds of the iterations since then

    @property
    def kept(self) -> bool:
        """Whether the last checkpoint has all that was done."""
        return self.saved == self.watch.samples

    @property
    def setting(self) -> Config:
        """The setting now; once the training is done, the last one that ran an iteration."""
        return self.last.setting

    @property
    def last(self) -> Segment:
        """The segment that runs; once the training is done, the last one with an iteration.

        Iterations that end while a switch is under way may be the last ones of all.
        """
        ran = (each for each in reversed(self.segments) if each.iterations)
        return next(ran, self.segments[-1]) if self.done else self.segments[-1]

    @property
    def done(self) -> bool:
        """Whether the training is done."""
        return self.watch.done

    def situation(self) -> Situation:
        """What decisions depend on."""
        watch = self.watch
        return Situation(
            self.segments, watch.loss, watch.samples, self.seconds, self.refused, self.forecasts
        )

    def apply(self, event: Event) -> None:
        """Let an event happen."""
        if isinstance(event, Reported):
            self._report(event.iteration, event.earlier)
        elif isinstance(event, Decided):
            self._decide(event)
        elif isinstance(event, Switched):
            self.segments[-1].reconfiguration += event.seconds
            self.costs.learn(event.kinds, event.seconds + event.idle)
            self.seconds += event.seconds
            self.switching = False
        elif isinstance(event, Started):
            self._start(event)
        elif isinstance(event, Refused):
            self._refuse(event.why)
        elif isinstance(event, Saved):
            self.saved, self.unkept = self.watch.samples, 0.0
        elif isinstance(event, Due):
            self.deadline = event.seconds
        elif isinstance(event, Resumed):
            self._resume(event.samples)

    def _start(self, event: Started) -> None:
        running = self.segments[-1]
        running.begun, running.started = len(running.iterations) + 1, event.seconds
        running.reconfiguration += event.seconds
        self.seconds += event.seconds
        self.costs.add(running.kinds, event.seconds)
        if event.expected is not None:
            self.costs.unknown = event.expected

    def _report(self, iteration: Iteration, earlier: bool) -> None:
        last = self.segments[-2] if earlier and len(self.segments) > 1 else self.segments[-1]
        if not last.iterations:  # those of before have ended by now
            last.first = self.iterations
        last.iterations.append(iteration)
        last.late += earlier
        self.iterations += 1
        self.seconds += iteration.seconds
        self.unkept += iteration.seconds
        self.watch.see(iteration)
        if not earlier and len(last.iterations) == last.begun + 1 > 1:
            self._divide(last)

    def _divide(self, segment: Segment) -> None:
        """Part a first iteration from its start by the second, which had none."""
        first, second = segment.iterations[-2:]
        own = min(second.seconds, first.seconds + segment.started)
        moved = first.seconds - own
        if segment is self.segments[0]:  # it stands in its place, whoever comes after
            self.costs.unknown = max(self.costs.unknown - own, 0.0)
            return
        segment.iterations[-2] = replace(first, seconds=own)
        segment.reconfiguration += moved
        self.costs.add(segment.kinds, moved)

    def _decide(self, event: Decided) -> None:
        now, setting = self.seconds, event.setting
        self.believed.append(Believed(now, self.iterations, setting, event.why, event.left))
        if event.raw is not None:
            self.forecasts.append(Forecast(now, event.raw))
        if self.space.key(setting) == self.space.key(self.setting):
            # Whoever is given more iterations than a try has has come through it.
            self.trying = self.trying and event.iterations <= self.segments[-1].planned
            self.segments[-1].planned, self.segments[-1].grant = event.iterations, event.grant
            return
        kinds = self.costs.classify(self.setting, setting)
        self.trying = not self._worked(setting)
        self._begin(setting, event.iterations, kinds, event.grant, event.usual)
        self.switching = True

    def _begin(
        self,
        setting: Config,
        planned: int,
        kinds: frozenset[str],
        grant: float = math.inf,
        usual: float = 0.0,
    ) -> None:
        together = self._together(setting)
        begun = Segment(setting, self.iterations, [], 0.0, kinds, planned, together)
        begun.grant, begun.usual = grant, usual
        self.segments.append(begun)

    def _worked(self, setting: Config) -> bool:
        key = self.space.key
        return any(each.iterations and key(each.setting) == key(setting) for each in self.segments)

    @property
    def before(self) -> Segment | None:
        """Where to go back to should the setting of now fail; None where none worked before it.

        Not to a try that was left just now: of those that worked, the longest stretch is surest.
        """
        key = self.space.key
        barred = {key(self.setting), *self.refused}
        worked = [e for e in self.segments if e.iterations and key(e.setting) not in barred]
        return max(reversed(worked), key=lambda each: len(each.iterations), default=None)

    def _refuse(self, why: str) -> None:
        """Go on as before; the setting that failed is not tried again."""
        failed, before = self.segments[-1], self.before or self.segments[-2]
        self.refused |= {self.space.key(failed.setting)}
        if not failed.iterations:
            self.segments.pop()
            if not self.switching:  # the job took it for made, and it was not
                self.costs.forget(failed.kinds)
            self.segments[-1].reconfiguration += failed.reconfiguration  # it went by, and is paid
        last = self.segments[-1]
        if self.space.key(last.setting) == self.space.key(before.setting):
            last.planned = len(last.iterations) + last.planned
        else:  # it failed after some iterations: what they took stays part of the course
            self._begin(before.setting, before.planned, frozenset())
        said = why.strip().splitlines()
        reason = f"{config(failed.setting)} failed: {said[0] if said else 'no reason was told'}"
        self.believed.append(
            Believed(self.seconds, self.iterations, before.setting, reason.rstrip(":"), None)
        )
        self.switching = self.trying = False

    def _resume(self, samples: float | None) -> None:
        """What came after the last checkpoint was measured, but is to be done again."""
        if samples is None:
            samples = self.watch.samples if self.saved is None else self.saved
        elif not samples:  # there is none, or none any more
            self.saved = None
        self.watch.samples, self.unkept = samples, 0.0
        self.watch.forget()
        running = self.segments[-1]
        if running.iterations:
            left = running.planned - len(running.iterations)
            planned = max(left, min(running.planned, FEW * running.round))
            self._begin(running.setting, planned, frozenset(), running.granted, running.usual)
        self.switching = False
