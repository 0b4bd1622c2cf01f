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

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import SupportsFloat

from tunewise.errors import MeasurementError, StudyError
from tunewise.execution.training.reconfigurable import Iteration
from tunewise.online.checks import (
    check_others,
    checked_deadline,
    checked_iterations,
    checked_price,
    checked_seed,
    checked_space,
    first_of,
    share,
)
from tunewise.online.costs import Classify, ReconfigurationCosts
from tunewise.online.deadline import Deadline
from tunewise.online.habits import Habits
from tunewise.online.managers.manager import Manager, Situation
from tunewise.online.managers.named import check_manager, manager_named
from tunewise.online.managers.pace import TRIES, PaceManager
from tunewise.online.observed import Observed
from tunewise.online.record.course import Course
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
from tunewise.online.record.record import Record
from tunewise.online.reported import Gaps, amount, held, names, scalar
from tunewise.online.scarce import out_of_memory
from tunewise.online.thinking import Thinking
from tunewise.online.time_left import TimeLeft
from tunewise.online.until import FEW, Until
from tunewise.space import Config, Space
from tunewise.study import Store


class Tuner(Observed):
    """Finds the setting that finishes a training soonest, while it runs."""

    def __init__(
        self,
        space: Space,
        until: str | Until,
        *,
        default: Config | None = None,
        each: int | Callable[[Config], int] | None = None,
        together: int | Callable[[Config], int] = 1,
        price: Callable[[Config], float] | None = None,
        deadline: float | str | None = None,
        classify: Classify | None = None,
        manager: str | Manager = "pace",
        storage: str | Path | Store | None = None,
        name: str | None = None,
        transfer: bool = True,
        tries: float = TRIES,
        seed: int = 0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Begin with the default setting, or with the first of the space; or go on.

        Args:
            space: The settings that may be chosen.
            until: When the training is done: "loss <= 0.1", "samples >= 60000", …
            default: The setting to begin with; one that goes on stays with the one it began with.
            each: Iterations of a try: 5, and under "selftf" as many as the setting has workers.
            together: Iterations that come together, such as one of each worker.
            price: USD per hour of a setting, where USD are to be saved instead of seconds.
            deadline: By when the training must be done, in seconds or such as "2 h".
            classify: Which kinds of change lead from one setting to another.
            manager: Who decides: "pace", "selftf", or an object of your own.
            storage: Where to keep what happens, so that a crash loses nothing; needs a name.
            name: Of the training in the storage. One that is there already goes on.
            transfer: Whether to learn from the most similar training in the storage.
            tries: The share of the training that tries of settings may cost in all.
            seed: Of the settings that are considered where the space is large.
            clock: Seconds, for reports that do not tell theirs.
        """
        self.space, self.until = checked_space(space), Until.of(until)
        first = space.check(default) if default is not None else first_of(space)
        costs = ReconfigurationCosts(classify) if classify else ReconfigurationCosts()
        each = None if each is None else checked_iterations("each", each, space, first)
        round_of = checked_iterations("together", together, space, first)
        several = round_of if callable(round_of) else lambda _: round_of
        price, seed, tries = checked_price(price, space, first), checked_seed(seed), share(tries)
        self._due = Deadline(checked_deadline(deadline))
        check_others(name, classify, transfer, clock)
        check_manager(manager, self.until)  # nothing is kept of a start that is refused
        self._record = Record.opened(storage, name, space, self.until, first)
        first = self._record.first  # what happened since is told in its terms
        past = self._record.past(space, self.until, several) if transfer else ()
        tried, due = FEW if each is None else each, self._due.seconds
        ours = PaceManager(space, self.until, tried, price, due, seed, past, several, tries)
        self._time_left, self._manager = TimeLeft(ours), manager_named(manager, ours, each)
        self._course = Course(space, self.until, first, self._manager.first(first), several, costs)
        self.changed = self.done = self._entered = self._restarts = False
        self._tries = tries if manager == "pace" else 0.0
        self._gaps, self._habits, self._reports = Gaps(self.until), Habits(self.until), 0
        self._clock, self._mark, self._anew, self._thinking = clock, clock(), 0.0, Thinking()
        self._resume()

    def _resume(self) -> None:
        """Let everything happen again that the storage knows of."""
        kept = self._record.kept()
        self.watch(kept)
        if self.done:
            self._record.close()
            return
        if self._due.seconds != self._course.deadline:
            self._happen(Due(self._due.seconds))
        if kept:
            self._go_back()

    def watch(self, events: Iterable[Event]) -> None:
        """Let what happened to a training elsewhere happen here, for those who only look at it."""
        for event in events:
            self._course.apply(event)
        self.done = self._course.done

    def _go_back(self) -> None:
        """Count from the last checkpoint, or from 0 where there is none."""
        course = self._course
        # A second start before anything was told has nothing of its own to lose.
        self._anew = max(self._anew, course.watch.samples) if course.saved is None else 0.0
        self._gaps.lose()
        self._happen(Resumed(course.saved or 0.0))

    def __iter__(self) -> Iterator[Config]:
        """The setting to train under, again whenever it changes, until the training is done."""
        self._entered, self._mark = True, self._clock()
        try:
            while not self.done:
                self.changed = False
                reports = self._reports
                yield dict(self.setting)
                if not self.changed and not self.done and self._reports == reports:
                    raise StudyError(
                        "the loop ended without a report: call tuner.report(…) in each iteration"
                    )
            self._record.close()
        finally:  # whoever interrupts the loop loses no report
            self.keep()

    def report(
        self,
        loss: SupportsFloat | None = None,
        *,
        seconds: SupportsFloat | None = None,
        samples: SupportsFloat | None = None,
        starting: bool = False,
    ) -> None:
        """Tell of an iteration; then `changed` says whether to go over to another setting.

        Scalars of numpy and torch are numbers too. An iteration whose loss is not finite, as mixed
        precision gives some, is counted with the next one; many in a row are an error. The first
        report under a setting, and one that says `starting`, may hold a start, which is the
        switch's: whoever measures, the time since the last report is divided between both.
        """
        now = self._clock()
        elapsed, self._mark = max(now - self._mark, 0.0), now
        self._habits.look(self.changed and self._entered, self.done, samples is None)
        if self.done:
            return
        self._reports += 1
        starting, self._restarts = starting or self._restarts, False
        taken = elapsed if seconds is None else seconds
        told = self._checked(loss, taken, 1.0 if samples is None else samples)
        self._habits.count(told.samples)
        if not self.changed and (starting or self._course.switching or self._reports == 1):
            told = self._divided(told, max(elapsed, told.seconds), starting)
        # Whoever still reports after a change was told of it too late to have made it.
        if (iteration := self._gaps.filled(told, self.iterations)) is not None:
            self._see(iteration, earlier=self.changed, measured=seconds is None)
        self._mark = self._clock()  # what was thought is nobody's iteration, and no switch

    def _checked(
        self, loss: SupportsFloat | None, seconds: SupportsFloat, samples: SupportsFloat
    ) -> Iteration:
        """An iteration as it was told of, if it can be one."""
        if loss is None and not self.until.only_speed:
            raise MeasurementError(
                f"report was told no loss, but the training is done when {self.until}"
            )
        number = math.nan if loss is None else scalar("loss", loss)
        return Iteration(number, amount("seconds", seconds), amount("samples", samples))

    def _divided(self, first: Iteration, span: float, starting: bool) -> Iteration:
        """An iteration after a start, without the seconds of the start, which are booked as its."""
        before = [each for each in self._course.segments if each.iterations]
        if not before:  # nothing tells how much of it is the iteration's own
            # What stands in the loop before its first iteration does so at each switch.
            self._happen(Started(0.0, span if starting or self._entered else None))
            return first
        own = min(first.seconds, before[-1].per_iteration)
        if self._course.switching:
            self.switched(self._course.segments[-1].kinds, 0.0)
        else:  # a job told of its switch already, as far as it knew
            span = first.seconds
        self._happen(Started(span - own))
        return replace(first, seconds=own)

    def _see(self, iteration: Iteration, earlier: bool, measured: bool = False) -> None:
        if self._anew:
            self._tell_anew()
        self._happen(Reported(iteration, earlier))
        if self._course.done:
            self.done = self.changed = True
            self._record.close()
            if len(self._course.segments) == 1 and self.space.size != 1:
                self._habits.untried(self._course.costs.unknown, self.seconds, self._tries)
            self._due.look(self.seconds)
            return
        # A try that has used its grant is cut at once, however much was thought before.
        cut = self._course.last.granted < 0
        if not earlier and (cut or self._thinking.allowed(self.seconds, self._course.segments)):
            situation = self._course.situation()
            if cut or self._manager.due(situation):
                began = self._clock()
                self._think(situation)
                self._thinking.book((self._clock() - began) * measured)

    def _tell_anew(self) -> None:
        """Say that samples count again; only of a training that goes on, not of one looked at."""
        if self.until.only_speed:
            logging.getLogger("tunewise").warning(
                "the training goes on, but no checkpoint of it was told of: its %s samples so far"
                " count from 0 again; a loop tells of each by tuner.saved(), a command by"
                ' {"checkpoint": true}',
                f"{self._anew:,.10g}",
            )
        self._anew = 0.0

    def _think(self, situation: Situation) -> None:
        decision = self._manager.decide(situation, self._course.costs)
        changes = self.space.key(decision.setting) != self.space.key(self.setting)
        running = situation.running
        told = decision.iterations, decision.grant
        as_planned = not changes and told == (running.planned, running.grant)
        if as_planned and self._due.seconds is None:
            return  # an early look that found nothing
        left, raw = self._time_left.forecast(situation, decision.setting)
        known = math.isfinite(float(left.mean)) and math.isfinite(float(left.std))
        believed = (float(left.mean), float(left.std)) if known else None
        if known and self._due.seconds is not None:
            self._due.look(self.seconds, self._time_left.soonest(situation, decision.setting, left))
        if as_planned:
            return
        granted = decision.grant, decision.usual
        said = decision.why, believed, raw
        self._happen(Decided(decision.setting, decision.iterations, *said, *granted))
        self.changed = changes

    def _happen(self, event: Event) -> None:
        self._course.apply(event)
        self._record.append(event)

    def switched(
        self,
        kinds: frozenset[str],
        seconds: float,
        finished: Iterable[Iteration] = (),
        kept: int | None = None,
        *,
        again: bool = False,
    ) -> None:
        """Tell what the last switch cost, where that is known exactly.

        `finished` are iterations that were under way, and ended under the setting of before; the
        first `kept` of them are in a checkpoint that was kept meanwhile, where there was one.
        `again` says that the training was started again for it, and goes on from its last one:
        what has to be done again is part of what such a switch costs.
        """
        kinds, seconds = names("kinds", kinds), amount("seconds", seconds)
        late = self._finish(finished, kept)
        again = again and not self._course.kept
        redone = self._course.unkept if again else 0.0
        self._happen(Switched(kinds, seconds, self._idle(late) + redone))
        if again and not self.done:
            self._go_back()
        self.changed = self.done

    def _finish(self, finished: Iterable[Iteration], kept: int | None) -> list[Iteration]:
        """Book what ended under the setting of before; nothing of it where some of it is wrong."""
        late = [self._checked(each.loss, each.seconds, each.samples) for each in finished]
        kept = held(kept, len(late))
        for number, each in enumerate(late):
            if number == kept:
                self.saved()
            if not self.done and (whole := self._gaps.filled(each, self.iterations)) is not None:
                self._see(whole, earlier=True)
        if kept == len(late):
            self.saved()
        return late

    def _idle(self, late: list[Iteration]) -> float:
        """Seconds that were lost while the last iterations of a setting came to their end."""
        before = self._course.segments[-2:][0]
        if len(before.iterations) <= len(late) or not late:
            return 0.0
        usual = before.per_iteration
        return max(sum(each.seconds for each in late) - len(late) * usual, 0.0)

    @property
    def fallback(self) -> Config | None:
        """The setting to go back to should the one of now fail; None where that one has worked.

        A setting has worked when its first try is over; the very first one has nothing before it.
        """
        before = self._course.before if self._course.trying else None
        return None if before is None else dict(before.setting)

    def refused(
        self,
        why: str,
        *,
        restarted: float | None = None,
        finished: Iterable[Iteration] = (),
        kept: int | None = None,
    ) -> None:
        """Tell that the last switch failed: the training goes on under the setting of before.

        `restarted` are the seconds that it stood still where it was started again for that, and
        goes on from its last checkpoint. `finished` and `kept` are those of `switched`.
        """
        if len(self._course.segments) < 2:
            raise StudyError("there was no switch yet, so none can be refused")
        if self.done:
            return
        stood = None if restarted is None else amount("restarted", restarted)
        self._finish(finished, kept)
        self._happen(Refused(why))
        if stood is not None:
            self.started_again(stood)
        self.changed = self.done

    def failed(self, error: BaseException) -> None:
        """Tell that the setting of now does not work, as one that runs out of memory does.

        It is not tried again, and the loop goes on under the one before; `changed` says so. What
        fails under a setting that has worked is raised: no other setting is to blame.
        """
        if self.fallback is None:
            raise error
        self.refused(str(error) or type(error).__name__)
        self.changed = self._restarts = True

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Rule the setting of now out where memory, processes or open files run out under it.

        ```python
        for setting in tuner:
            with tuner.guard():
                train_under(setting)
        ```
        """
        try:
            yield
        except Exception as error:
            if not out_of_memory(error):
                raise
            self.failed(error)

    def started_again(self, seconds: float) -> None:
        """Tell that the training died, stood still so long, and goes on from its last checkpoint.

        Samples since then count when they are gone through again.
        """
        stood = amount("seconds", seconds)
        if not self.done:
            self._go_back()
            self._happen(Switched(frozenset(), stood))

    def keep(self) -> None:
        """Write what was reported and still waits to be, so that an interruption loses nothing."""
        self._record.flush()

    def saved(self) -> None:
        """Tell that there is a checkpoint of this moment: a resumed training begins there."""
        self._happen(Saved())
        self._record.flush()

    def lost(self) -> None:
        """Tell that there is no checkpoint any more: the training begins anew, with no samples."""
        if self.done or not (self._course.saved or self._course.watch.samples):
            return
        logging.getLogger("tunewise").warning(
            "the checkpoint of the training is gone: it begins anew, and samples count from 0"
        )
        self._gaps.lose()
        self._happen(Resumed(0.0))
