"""What of a study's budget is left, and how much of it each running trial may take.

Money is set aside in the store in the same step that gives a trial out, and given back when it is
told: what is booked and what is set aside together are never more than the budget, however many
trials run at once, in however many processes.

Trials that somebody asked for without a run (`Study.ask`) have nothing set aside. They are known by
what they have cost until now, so there the promise is kept by looking ahead: see `overdrawn`. None
is given out that what is left does not pay for: see `pays_for`.

Where only the job tells the cost, it is judged by what trials have cost so far: the first runs
alone, each further one begins when the dearest seen would be covered, and running ones are held to
cost as much as the dearest second seen, or what they report themselves.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

from tunewise.format import money, number
from tunewise.history import History, Outcome, TimedOut, Trial, TrialState
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.study.booking import dearest_second, dearest_trial, with_estimated_cost
from tunewise.study.executor import Allowance
from tunewise.study.store import Allocation

if TYPE_CHECKING:
    from tunewise.study.study import Study

_POINTLESS = 0.1
"""A trial is not begun with less than this share of what the cheapest complete one cost."""

_AGAIN = 0.5
"""While all were stopped, none is begun with less than this share of what the dearest had cost."""

_LISTED = 10_000
"""Configs of a space, at most, among which the cheapest is looked for."""

_SURELY = 1.1
"""A trial is held to be unaffordable when it is expected to cost so many times what is left:
beliefs about single trials are hardly better than that, and money ends a trial in any case."""

_ROUNDING = 1e-11
"""The share of a budget that a trial may get too much: what `_rounded` takes away, and no more."""

_NOTHING = 1e-9
"""The share of a budget that is rounding noise."""


class BudgetLedger:
    """The money of one run: all that is left of the budget, and what our trials hold of it."""

    def __init__(
        self,
        study: "Study",
        parallel: int = 1,
        ahead: float = 0.0,
        shortest: float = 0.0,
        metered: bool = False,
    ) -> None:
        """For so many trials at once; other processes are foreseen `ahead` seconds.

        No trial is begun whose money lasts for less than the `shortest` time. `metered` is an
        executor that knows what trials cost, and ends them when their money has.
        """
        self._shortest = shortest
        self._unpriced, self._metered = study.problem.price is None and not metered, metered
        self._reported: dict[int, tuple[float, float]] = {}
        self._told_on_the_way = False
        self._study, self._problem = study, study.problem
        self._parallel, self._ahead = parallel, ahead
        self._reserved: dict[int, float] = {}
        self._offered: dict[int, Allowance | None] = {}

    def left(self, history: History) -> float:
        """USD that are neither booked nor set aside or about to be used by other processes."""
        if self._problem.budget is None:
            return math.inf
        theirs = math.fsum(self._theirs(history).values())
        return _rounded(self._problem.budget - history.spent["cost"] - theirs, self._problem.budget)

    def _theirs(self, history: History) -> dict[int, float]:
        """By trial of other processes, what is set aside for it, or what it will soon have cost."""
        held, rate = self.held_elsewhere(history), self._rate(history)
        others = self.elsewhere(history)
        return {t.number: self._their(t, held.get(t.number), rate) for t in others}

    def held_elsewhere(self, history: History) -> dict[int, float]:
        """By trial, what other processes have set aside in the store; 0 where they wait for it."""
        if self._problem.budget is None or not (others := self.elsewhere(history)):
            return {}
        held, numbers = self._study.store.held(self._study.name), {t.number for t in others}
        return {number: usd for number, usd in held.items() if number in numbers}

    def _their(self, trial: Trial, held: float | None, rate: float) -> float:
        if held is not None and (held <= 0 or not self._unpriced):
            return held
        return max(held or 0.0, self._cost(trial, _age(trial) + self._ahead, rate))

    def others_hold(self, history: History) -> bool:
        """Whether money may come back from trials of other processes."""
        return any(usd > 0 for usd in self._theirs(history).values())

    def spent(self, history: History) -> str | None:
        """Why no more trial is begun, None while there is money."""
        budget, left = self._problem.budget, self.left(history)
        if budget is None:
            return None
        if left > budget * _NOTHING:
            return self._too_little(left, history)
        if self.others_hold(history):
            return None
        return f"the budget of {number(budget)} USD is spent"

    def _too_little(self, left: float, history: History) -> str | None:
        if self._busy or left >= _least(history) or self.others_hold(history):
            return None
        return f"{self._gone(history, left)} are left, too little for another trial"

    def cannot_pay(self, trial: Trial) -> str:
        """Why the study ends at a trial that what is left does not pay for."""
        history = self._study.history
        left = self._gone(history, self.left(history))
        least = f" for at least {self._shortest:g} s" if self._too_short(trial, history) else ""
        paid = f"trial {trial.number}{least}"
        return f"{left} do not pay for {paid}, nor for another that was suggested"

    def _too_short(self, trial: Trial, history: History) -> bool:
        """Whether what is left would pay for the trial, but for too little of it to begin."""
        if self._problem.price is None:
            return False
        return 0 < self._lasts(trial, max(self.left(history), 0.0), history) < self._shortest

    def too_dear(self, trial: Trial, expected: float | None = None) -> bool:
        """Whether what is left can never pay for the trial, but perhaps for another.

        Where the strategy expects the trial to cost so many USD, that decides.
        """
        if self._problem.budget is None:
            return False
        history = self._study.history
        left = self.left(history) + self._slack
        if expected is not None:
            return expected > _SURELY * left
        if self._unpriced:
            judged = [self._judged(s, history, 0.0) for s in self._problem.fractions]
            return self._judged(trial.fraction, history, 0.0) > left >= min(judged)
        if self._problem.price is None:
            return False
        return self._entry(trial) > left >= self._cheapest

    @cached_property
    def _cheapest(self) -> float:
        """What the cheapest config costs at least; 0 where the space is too large to look."""
        return cheapest(self._problem, self._shortest)

    def _gone(self, history: History, left: float) -> str:
        assert self._problem.budget is not None, "what is left is of a budget"
        gone = "is spent" if history.spent["cost"] > 0 else "pays for no trial"
        return f"the budget of {number(self._problem.budget)} USD {gone}: {money(max(left, 0.0))}"

    def waits(self, history: History) -> bool:
        """Whether a trial had better begin when others have given money back.

        A trial that is cut short costs money and tells little, one that waits costs nothing.
        """
        if self._problem.budget is None or not self._busy:
            return False
        if self._unpriced and dearest_second(history) is None:
            return True  # what runs may cost anything: nobody knows yet
        costs = [t.metrics["cost"] for t in history.complete if "cost" in t.metrics]
        usual = median(costs) if costs else 0.0
        return self._free(history) <= max(usual, _least(history), self._problem.budget * _NOTHING)

    def allocation(self, history: History) -> Allocation | None:
        """How money is set aside for the next trial; None where there is no budget."""
        budget = self._problem.budget
        self._offered.clear()

        def take(trial: Trial, free: float, waiting: int) -> float:
            allowance = self._allowance(trial, history, free, waiting)
            self._offered[trial.number] = allowance
            return 0.0 if allowance is None else allowance.usd

        return None if budget is None else Allocation(budget, take)

    def accept(self, trial: Trial) -> Allowance | None:
        """What was set aside for a trial when it was given out; None when it has to wait."""
        if self._problem.budget is None:
            return Allowance()
        allowance = self._offered.get(trial.number)
        self._reserved[trial.number] = 0.0 if allowance is None else allowance.usd
        return allowance

    def reserve(self, trial: Trial) -> Allowance | None:
        """Set money aside for a trial that waits for it; None when there still is not enough."""
        allocation = self.allocation(self._study.history)
        if allocation is not None:
            self._study.set_aside(trial, allocation)
        return self.accept(trial)

    def pays_for(self, trial: Trial) -> Allowance | None:
        """What is left for a trial that nothing is set aside for; None where it is too little.

        Others of this kind are held to cost as much as the dearest that used no more data.
        """
        budget, history = self._problem.budget, self._study.history
        if budget is None:
            return Allowance()
        self._reserved[trial.number] = 0.0  # it is ours, and has cost nothing yet
        held, rate = self._study.store.held(self._study.name), self._rate(history)
        others = [t for t in self.elsewhere(history) if t.number not in held]
        more = (_dearest(t, history) - self._their(t, None, rate) for t in others)
        taken = history.spent["cost"] + math.fsum(held.values())
        unbooked = budget - taken - math.fsum(max(usd, 0.0) for usd in more)
        return self._allowance(trial, history, unbooked, 0)

    def give_back(self, trial: Trial) -> None:
        """The trial has ended: what it cost is booked, the rest is free again."""
        self._reserved.pop(trial.number, None)
        self._reported.pop(trial.number, None)

    def reported(self, trial: Trial, seconds: float, usd: float) -> None:
        """The trial, running for so many seconds, says what it has cost until now."""
        self._reported[trial.number] = seconds, max(usd, 0.0)
        self._told_on_the_way = True

    def billed(self, trial: Trial, outcome: Outcome) -> Outcome:
        """The outcome, with its cost judged where nothing but the job could have told it."""
        if not self._unpriced:
            return self._within_budget(outcome) if self._metered else outcome
        judged = with_estimated_cost(self._problem, self._study.history, outcome)
        _, said = self._reported.get(trial.number, (0.0, 0.0))
        if judged is outcome and ("cost" in outcome.metrics or not said):
            return judged
        told = judged.metrics
        return replace(judged, metrics={**told, "cost": max(told.get("cost", 0.0), said)})

    def _within_budget(self, outcome: Outcome) -> Outcome:
        """The outcome of a trial whose money ended, without rounding noise above the budget."""
        budget, cost = self._problem.budget, outcome.metrics.get("cost", 0.0)
        if budget is None or not isinstance(outcome, TimedOut):
            return outcome
        above = self._study.spent["cost"] + cost - budget
        if not 0 < above <= min(budget * _NOTHING, cost):
            return outcome
        kept = max(cost - above - 2 * math.ulp(budget), 0.0)
        return replace(outcome, metrics={**outcome.metrics, "cost": kept})

    def overdrawn(self, running: Iterable[tuple[Trial, float]]) -> bool:
        """Whether trials, each running for so many seconds, must end for the money to suffice.

        Money that is reserved suffices for our own trials. But those of other processes go on
        too, and where no price is known a trial may have cost more than there was.
        """
        if self._problem.budget is None:
            return False
        history, noise = self._study.history, self._problem.budget * _NOTHING
        left, reserved = self.left(history), math.fsum(self._reserved.values())
        # Others may have used what was set aside here: then it is not safe to wait for the end.
        shared = reserved > left + noise or self._unpriced
        ahead, rate = self._ahead if shared else 0.0, self._rate(history)
        ours = math.fsum(self._cost(trial, seconds + ahead, rate) for trial, seconds in running)
        return left <= 0 or ours > left + noise

    def cut(self) -> TimedOut:
        """The outcome of trials that are stopped because `overdrawn` says so."""
        left = self.left(self._study.history)
        if left <= 0 or not self._unpriced:
            return Allowance().used_up()
        rate = self._rate(self._study.history)
        return TimedOut(
            f"the budget would soon have been overdrawn: {money(left)} are left for all that runs,"
            f" and trials have cost up to {money(rate)} a second"
        )

    def _allowance(
        self, trial: Trial, history: History, unbooked: float, waiting: int
    ) -> Allowance | None:
        """What a trial gets of so many USD while so many others, of other processes, wait too."""
        budget = self._problem.budget or 0.0
        free = _rounded(unbooked - self._unaccounted(history), budget)
        taken = sum(usd > 0 for usd in self._reserved.values())
        known = self._alone or any("cost" in t.metrics for t in history.complete)
        # While nobody knows what a trial costs, one that joins later finds a share of its own.
        fair = free / max(self._parallel - taken + waiting + (not known), 1)
        wanted = max(_dearest(trial, history), _least(history), self._entry(trial))
        if self._unpriced:
            wanted = max(wanted, self._judged(trial.fraction, history, free))
            # Running ones are ended so many seconds before they would overdraw what is left.
            covered = wanted + self._rate(history) * self._ahead
            if (covered if self._busy else wanted) > free:
                return None  # together they might cost more than there is
            wanted = covered
        usd = min(free, max(fair, wanted))
        if usd <= 0:
            return None
        usd += self._slack
        seconds = self._lasts(trial, usd, history)
        return Allowance(usd, seconds) if seconds > 0 and seconds >= self._shortest else None

    def _lasts(self, trial: Trial, usd: float, history: History) -> float:
        """Seconds that the money lasts, as far as anybody knows."""
        if self._problem.price is not None:
            return self._problem.billing.seconds_for(self._problem.hourly(trial.config), usd)
        rate = 0.0 if self._told_on_the_way else self._rate(history)
        return usd / rate if rate else math.inf

    def _judged(self, fraction: float, history: History, unknown: float) -> float:
        """What a trial without a price may cost; while nothing is known, this unknown amount."""
        judged = dearest_trial(history, fraction)
        return unknown if judged is None else _rounded(judged, self._problem.budget or 0.0)

    @property
    def _busy(self) -> bool:
        return any(usd > 0 for usd in self._reserved.values())

    def _entry(self, trial: Trial) -> float:
        """What a trial costs at least, once it has begun."""
        return _entry(self._problem, trial.config, self._shortest)

    @property
    def _slack(self) -> float:
        """USD by which rounding may make whole ticks, or a minimum charge, look too dear."""
        whole = self._problem.price is not None and self._problem.billing.least
        return (self._problem.budget or 0.0) * _ROUNDING if whole else 0.0

    @property
    def _alone(self) -> bool:
        """Whether no other process can reach the study."""
        return not self._study.durable

    def _unaccounted(self, history: History) -> float:
        """What trials are about to use that have nothing set aside in the store."""
        held, rate = self.held_elsewhere(history), self._rate(history)
        unheld = [t for t in self.elsewhere(history) if t.number not in held]
        return math.fsum(self._their(trial, None, rate) for trial in unheld)

    def _free(self, history: History) -> float:
        free = self.left(history) - math.fsum(self._reserved.values())
        return _rounded(free, self._problem.budget or 0.0)

    def elsewhere(self, history: History) -> list[Trial]:
        """Trials that other processes run; one whose process has died spends nothing more."""
        running = [t for t in history.of(TrialState.RUNNING) if t.number not in self._reserved]
        gone = self._study.abandoned() if running else set()
        return [t for t in running if t.number not in gone]

    def _rate(self, history: History) -> float:
        """USD per second of a trial that has no price."""
        return (dearest_second(history) or 0.0) if self._unpriced else 0.0

    def _cost(self, trial: Trial, seconds: float, rate: float = 0.0) -> float:
        if self._unpriced:
            at, usd = self._reported.get(trial.number, (0.0, 0.0))
            return usd + rate * max(seconds - at, 0.0)
        return self._problem.cost(trial.config, max(seconds, 0.0)) or 0.0


def cheapest(problem: Problem, shortest: float) -> float:
    """What the cheapest config costs at least; 0 where the space is too large to look."""
    space = problem.space
    if space.size is None or space.size > _LISTED:
        return 0.0
    return min(_entry(problem, config, shortest) for config in space.configs)


def _entry(problem: Problem, config: Config, shortest: float) -> float:
    """What a trial costs at least, once it has begun; 0 where no price is known."""
    return problem.cost(config, max(problem.billing.tick or 1e-3, shortest)) or 0.0


def _rounded(usd: float, budget: float) -> float:
    """Money without rounding noise: of 0.3 USD less twice 0.1 USD, 0.1 USD are left."""
    return round(usd, 12 - math.ceil(math.log10(budget))) if budget > 0 else usd


def _age(trial: Trial) -> float:
    now = time.time()
    return now - (trial.asked_at or now)


def _dearest(trial: Trial, history: History) -> float:
    """The most that a trial with no more data than this one has cost."""
    alike = (t for t in history.complete if t.fraction <= trial.fraction)
    return max((t.metrics.get("cost", 0.0) for t in alike), default=0.0)


def _least(history: History) -> float:
    """USD with which it is worth while to begin a trial."""
    complete = [c for t in history.complete if (c := t.metrics.get("cost", 0.0)) > 0]
    if complete:
        return _POINTLESS * min(complete)
    return _AGAIN * max((t.metrics.get("cost", 0.0) for t in history.timed_out), default=0.0)
