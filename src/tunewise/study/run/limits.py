"""What a running trial may take: the first of its limits, and why it ends then."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tunewise.errors import StrategyError
from tunewise.history import PRUNED, History, Outcome, TimedOut, Trial
from tunewise.strategy.strategy import Strategy
from tunewise.study.executor import TrialExecutor
from tunewise.study.run.settings import Settings
from tunewise.study.run.threads import one_thread

if TYPE_CHECKING:
    from tunewise.study.study import Study


@dataclass(frozen=True)
class Running:
    """A trial that an executor works on, the first of its limits, and when it began.

    It has ended when what it may spend lasts no longer than `paid` seconds.
    """

    trial: Trial
    limit: float
    reason: str | None
    began: float
    paid: float

    def explained(self, outcome: Outcome) -> Outcome:
        """The outcome, with why the trial was stopped where that was more than a time limit."""
        if self.reason is None or not isinstance(outcome, TimedOut):
            return outcome
        reached = outcome.metrics.get("time", 0.0) >= self.limit
        return replace(outcome, reason=self.reason) if reached else outcome


def limits_of(
    study: "Study", settings: Settings, executor: TrialExecutor, trial: Trial
) -> list[tuple[float, str | None]]:
    """Seconds that the trial may run, each with why it is stopped then, if not for time."""
    limits: list[tuple[float, str | None]] = []
    if settings.trial_timeout is not None:
        limits.append((settings.trial_timeout, None))
    if not settings.prune:
        return limits
    with one_thread():
        patience = patience_of(study.strategy, study.history, trial)
    if patience is not None:
        # A strategy knows what jobs tell of their time, which may leave out their beginning.
        patience += executor.getting_ready
        limits.append((patience, f"{PRUNED}: stopped after {patience:g} s"))
    return limits


def patience_of(strategy: Strategy, history: History, trial: Trial) -> float | None:
    """Seconds after which a strategy prunes a trial; None for never."""
    patience = strategy.pruner.limit(history, trial)
    if patience is not None and not patience >= 0:
        raise StrategyError(f"a pruner's limit is {patience!r}; expected seconds, or None")
    return patience if patience is not None and math.isfinite(patience) else None


def latest(limits: list[tuple[float, str | None]]) -> float | None:
    """Seconds by the clock after which a trial ends that its strategy would stop first.

    A strategy knows how long a config takes on a machine that has time for it; None where a limit
    by the clock comes first.
    """
    clock = min((seconds for seconds, reason in limits if reason is None), default=math.inf)
    patience = min((seconds for seconds, reason in limits if reason is not None), default=math.inf)
    return clock if patience < clock else None
