"""When a trial is pruned: seconds after which it is better pruned.

A trial on a slice that has taken more than its part of a limit says that its config will break the
limit on the full data. And one that takes longer than what it may teach is worth is pruned too:
it may run again, for longer, once that has become worth it.
"""

import math
from dataclasses import dataclass

import numpy as np

from tunewise.acquisition.knowledge_gradient import LONGER, KnowledgeGradient
from tunewise.belief.candidates import Candidates
from tunewise.belief.extrapolation import Extrapolation
from tunewise.belief.posterior import Posterior
from tunewise.history import BOOKED, History, Trial
from tunewise.problem import Problem
from tunewise.strategy.pruner import GRACE, broken_after, limits_on_spending
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.normal import SURELY, from_log
from tunewise.surrogate.slope import LEAST
from tunewise.surrogate.surrogate import FEW


@dataclass(frozen=True)
class WhileHopeful:
    """A trial runs while it may keep the limits, and while the acquisition says it is worth it.

    Attributes:
        acquisition: What says how long a trial is worth its time; None for no such end.
    """

    acquisition: KnowledgeGradient | None = None

    def __call__(self, posterior: Posterior, trial: Trial) -> float | None:
        """Seconds after which the trial is pruned; None for never."""
        ends = [pruned_after(posterior, trial)]
        if self.acquisition is not None and posterior.timed:
            key = (posterior.problem.space.key(trial.config), trial.fraction)
            for number in posterior.grid.numbers(posterior.problem, [key]):
                most = self.acquisition.most(posterior, int(number))
                worth = posterior.seconds(trial.config, most)
                soonest, latest = unbounded(posterior, int(number))
                ends.append(min(max(worth, soonest), latest))
        end = min(ends)
        return end if math.isfinite(end) else None


def unbounded(posterior: Posterior, number: int) -> tuple[float, float]:
    """Seconds that a trial may take at least, and at most, where nothing limits cost or time.

    A limit says how long trials are about. Without one, trials that seem not to be worth their time
    would be given up after moments, one after the other, and none would ever end. So each may take
    as long as all before it, unless less is expected of it: that at most doubles what is spent, and
    soon lets some end. Where the least cost or time is wanted, one that takes longer than all
    before it and than anybody expects is not the answer. Related configs run to their end.
    """
    problem = posterior.problem
    if any(c.sign == "<=" and c.metric in BOOKED for c in problem.constraints):
        return 0.0, math.inf
    config = posterior.grid.trial(number)[0]
    before = sum(t.metrics.get("time", 0.0) for t in posterior.history)
    expected = posterior.seconds(config, float(posterior.spending().ravel()[number]))
    most = posterior.seconds(config, float(posterior.spending_at_most(SURELY).ravel()[number]))
    related = posterior.related or problem.objective not in BOOKED
    key = problem.space.key
    ended = any(key(t.config) == key(config) for t in posterior.history.complete)
    soonest = min(before, expected) if ended else before
    return soonest, math.inf if related else max(before, most)


def pruned_after(posterior: Posterior, trial: Trial) -> float:
    """Seconds after which a limit on cost or time is broken, or the best one not beaten."""
    problem, history = posterior.problem, posterior.history
    if problem.deploy == "any":
        return broken_after(problem, history, trial) or math.inf
    ends = [math.inf]
    for limit in limits_on_spending(problem, history):
        spent = float(from_log(_log_spent(posterior, trial, limit.metric, limit.bound)))
        # What the best one needed has its grace already.
        grace = GRACE if limit in problem.constraints else 1.0
        spent = min(spent, grace * limit.bound)
        ends.append(_seconds(problem, history, trial, limit.metric, spent))
    return min(ends)


def pruned_by_slopes(problem: Problem, history: History, trial: Trial) -> float | None:
    """The same without a model of the configs: by what more data adds to cost and time.

    No trial runs longer than until it has broken a limit itself, or lost to the best one.
    """
    before = History(t for t in history if t.number != trial.number)
    ends = [broken_after(problem, before, trial) or math.inf]
    if not len(before.complete):
        ends.append(before_anything(problem, before, trial) or math.inf)
    elif problem.deploy != "any" and len(problem.fractions) > 1:
        carried = Extrapolation.of(problem, before)
        for limit in limits_on_spending(problem, before):
            if limit.bound > 0 and _grown(problem, before, limit.metric) >= FEW:
                spent = carried.pruned_from(trial, limit, SURELY)
                ends.append(_seconds(problem, before, trial, limit.metric, spent))
    end = min(ends)
    return end if math.isfinite(end) else None


def _grown(problem: Problem, history: History, metric: str) -> int:
    """How many configs were measured on a slice and on all of the data.

    What is usual is no reason to stop without them: where each training has a fixed cost, as on
    rented machines, a slice costs far more than its part.
    """
    seen = history.observations(metric)
    by_config: dict[object, set[float]] = {}
    for config, fraction in zip(seen.configs, seen.fractions.tolist(), strict=True):
        by_config.setdefault(problem.space.key(config), set()).add(fraction)
    return sum(1.0 in fractions and len(fractions) > 1 for fractions in by_config.values())


def _seconds(problem: Problem, history: History, trial: Trial, metric: str, spent: float) -> float:
    """After how many seconds a trial has taken so much time, or cost so much."""
    rate = 1.0 if metric == "time" else _usd_per_second(problem, history, trial)
    return spent / rate if rate > 0 else math.inf


def _usd_per_second(problem: Problem, history: History, trial: Trial) -> float:
    """What a trial costs a second: by its price or, where none is known, the least that is likely.

    What a config costs a second is learned from trials that told both; 0 while too few have.
    """
    if problem.price is not None:
        return problem.hourly(trial.config) / 3600
    told = [t for t in history.complete if min(map(t.metrics.get, BOOKED, (0, 0))) > 0]
    if len(told) < FEW:
        return 0.0
    rates = np.log([t.metrics["cost"] / t.metrics["time"] for t in told])
    learned = GaussianProcess("none", spread=1.0)
    learned.fit(problem.space.encode([t.config for t in told]), 1.0, rates)
    belief = learned.predict(problem.space.encode([trial.config]), 1.0)
    return math.exp(float(np.asarray(belief.mean - SURELY * belief.std)[0]))


def _log_spent(posterior: Posterior, trial: Trial, metric: str, bound: float) -> float:
    """Log of what a trial has spent once its config keeps the bound with hardly any chance."""
    belief = posterior.believed(metric)
    x = posterior.problem.space.encode([trial.config])
    here = (x, np.array([trial.fraction]))
    fantasy = belief.surrogate.fantasize(here, (x, np.ones(1)))
    gain = float(fantasy.gain[0, 0])
    if gain < LEAST:
        return math.inf
    config = Candidates.of(posterior.problem, [trial.config])
    offset, full = (float(belief.offset(config, s)[0]) for s in (trial.fraction, 1.0))
    doubt = math.hypot(float(fantasy.std_after()[0, 0]), belief.surrogate.noise_)
    missed = math.log(bound) - full + SURELY * doubt - float(fantasy.target_mean[0])
    return offset + float(fantasy.mean[0]) + missed / gain


def before_anything(problem: Problem, history: History, trial: Trial) -> float | None:
    """While no trial is complete: twice its part of the limit, longer with each that was pruned.

    That is doubled while few were pruned; then each adds as much as the first had. A set-up that
    all trainings have is met within a few trials. What takes longer is slow, and where hardly a
    config keeps the limit each look for one has to stay cheap (NOTEBOOK.md). A slice never runs
    longer than the limit itself: all of the data takes no less.
    """
    if problem.deploy == "any":
        return broken_after(problem, history, trial)
    limits = [c.bound for c in problem.constraints if c.metric == "time" and c.sign == "<="]
    usd = [c.bound for c in problem.constraints if c.metric == "cost" and c.sign == "<="]
    if problem.price is not None:
        hourly = problem.hourly(trial.config)
        limits += [3600 * bound / hourly for bound in usd if hourly > 0]
    part, pruned = LONGER * trial.fraction, sum(t.pruned for t in history)
    longer = part * (2.0 ** min(pruned, FEW) + max(pruned - FEW, 0))
    end = min(longer, max(part, 1.0)) * min(limits, default=math.inf)
    return end if math.isfinite(end) else None
