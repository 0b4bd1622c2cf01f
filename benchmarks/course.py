"""How a search goes on a world: what is spent after each trial, and how good its answer is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

import tunewise as tw
from benchmarks.worlds.world import World
from tunewise.benchmark.measures.reliability import Claim, claimed
from tunewise.benchmark.replay import ReplayExecutor
from tunewise.errors import StrategyError
from tunewise.history import History, Outcome, TimedOut, Trial
from tunewise.strategy.strategy import Recommendation, Strategy
from tunewise.study.run.stopping import Progress

MARKS = (1.0, 2.0, 8.0, 32.0)
"""Units of a world after which a search is looked at."""

By = Literal["optimize", "limits", "nobody"]
"""Who runs trials, and whether anybody stops them."""

FINE = tuple(float(mark) for mark in 2.0 ** np.arange(-4, 5.5, 0.5))
"""More of them, each a factor of 1.4 after the one before, to see when a level is reached."""


@dataclass(frozen=True)
class Stand:
    """What a search recommends after a trial, and what is true of it.

    Attributes:
        units: Spent so far, in units of the world.
        regret: Of the recommended config, between 0 and 1.
        share: Its penalised objective, as a share of the optimum.
        feasible: Whether it truly keeps the limits.
        claim: What was said of it, against the truth; None where nothing was said.
    """

    units: float
    regret: float
    share: float
    feasible: bool
    claim: Claim | None = None


@dataclass(frozen=True)
class Course:
    """One search on one world with one seed: where it stood before any trial, at marks, at the end.

    Attributes:
        world: The name of the problem.
        group: Of which group it is.
        strategy: Who searched.
        seed: With which seed.
        stands: Ascending by what was spent.
        trials: How many there were.
    """

    world: str
    group: str
    strategy: str
    seed: int
    stands: tuple[Stand, ...]
    trials: int = 0

    def at(self, units: float) -> Stand:
        """Where it stood after the last trial that ended by then."""
        ended = [stand for stand in self.stands if stand.units <= units]
        return ended[-1]

    def claims(self, marks: Sequence[float] = MARKS) -> list[Claim]:
        """What was said at the marks, each recommendation once."""
        stands = {id(stand): stand for stand in map(self.at, marks)}
        return [stand.claim for stand in stands.values() if stand.claim is not None]

    def units_to(self, level: float) -> float:
        """What was spent where the share of the optimum reached a level for good; inf for never."""
        spent = np.inf
        for stand in reversed(self.stands):
            if stand.share < level:
                break
            spent = stand.units
        return spent

    def regrets(self, marks: Sequence[float] = MARKS) -> list[float]:
        """The regret at each mark."""
        return [self.at(mark).regret for mark in marks]


def course(
    world: World,
    strategy: Strategy,
    name: str,
    units: float = MARKS[-1],
    trials: int = 2000,
    marks: Sequence[float] = MARKS,
    by: By = "optimize",
) -> Course:
    """Search until so many units are spent, or so many trials are done.

    It is asked and told `by` the study's own run, by a loop that heeds the limit of each trial, or
    by one in which nobody stops trials.

    What is recommended is asked for where a mark is passed, and at the end: a strategy answers by
    the history alone, so that asking less often changes nothing.
    """
    clock, job = ReplayExecutor(), world.job(strategy.seed)
    blind = np.random.default_rng([strategy.seed, 99])
    begun = Recommendation(world.problem.space.sample(1, blind)[0])
    stands, spent = [_stand(world, 0.0, begun, History())], [0.0]
    with tw.Study(world.problem, "random", strategy.seed) as study:
        study.strategy = strategy

        def note(study: tw.Study, trial: Trial) -> None:
            now = study.spent[world.spending] / world.unit
            if len(spent) > 1 and any(spent[-1] <= mark < now for mark in marks):
                before = History(t for t in study.history if t.number != trial.number)
                stands.append(_after(world, strategy, before, spent[-1], stands[-1]))
            spent.append(now)

        def far_enough(progress: Progress) -> str | None:
            return "far enough" if spent[-1] >= units else None

        if by == "optimize":
            study.optimize(
                job,
                trials=trials,
                stop=[far_enough],
                executor=clock,
                callbacks=[note],
                progress=False,
            )
        while by != "optimize" and spent[-1] < units and len(study.history) < trials:
            trial = study.ask()
            note(study, study.tell(trial, _ended(job(trial), trial, heeds=by == "limits")))
        stands.append(_after(world, strategy, study.history, spent[-1], stands[-1]))
    ran = len(study.history)
    return Course(world.name, world.group, name, strategy.seed, tuple(stands), ran)


def _ended(outcome: Outcome, trial: Trial, heeds: bool) -> Outcome:
    """What is told of a trial, by somebody who heeds its limit or not."""
    if not heeds or trial.limit is None or outcome.metrics["time"] < trial.limit:
        return outcome
    return TimedOut("it had passed its limit", {"time": trial.limit})


def _after(
    world: World, strategy: Strategy, history: History, spent: float, before: Stand
) -> Stand:
    try:
        answer = strategy.recommend(history)
    except StrategyError:  # nothing to say yet: what was there by chance stays
        return Stand(spent, before.regret, before.share, before.feasible)
    return _stand(world, spent, answer, history)


def _stand(world: World, spent: float, answer: Recommendation, history: History) -> Stand:
    config = answer.config
    claim = claimed(world.problem, history, answer, world.truth(config))
    return Stand(spent, world.regret(config), world.share(config), world.feasible(config), claim)
