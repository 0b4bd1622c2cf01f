"""The trials of an Optuna study as a history, and what the study wants as a problem."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from tunewise.history import ITSELF, Failure, History, Measurement, Outcome, TimedOut, Trial
from tunewise.history import TrialState as State
from tunewise.integrations.optuna.distributions import Translation
from tunewise.problem import Constraint, Metrics, Problem
from tunewise.problem.constraint import is_triple
from tunewise.space import Integer, Space

Limit = str | Sequence[Any] | Constraint

SUGGESTED = "tunewise:params"
"""The system attribute with what was suggested for a trial that still runs."""

ASKED = "tunewise:seconds"
"""The system attribute with the seconds that suggesting a trial took, after it had begun."""

_ALMOST = 0.999
"""The share of its way that a trial has gone at most that was pruned."""

_NAME = re.compile(r"\s*([^\W\d][\w.\-]*)")


@dataclass(frozen=True)
class Wanted:
    """What an Optuna study wants, in our words.

    Attributes:
        translation: Its search space, without the fraction.
        fractions: Shares of the data that a trial may use; (1.0,) without slices.
        fraction: The name of the param or user attribute that holds the share of a trial.
        subject_to: Limits on user attributes, `time` and `cost`.
    """

    translation: Translation
    fractions: tuple[float, ...]
    fraction: str
    subject_to: tuple[Constraint, ...] = ()

    def problem(self, study: optuna.Study, trials: Iterable[FrozenTrial]) -> Problem:
        """The study's directions, our limits, and the constraints that its trials have told."""
        names = objectives(study)
        wanted = dict(zip(names, study.directions, strict=True))
        more = [name for name, way in wanted.items() if way == StudyDirection.MAXIMIZE]
        less = [name for name in names if name not in more]
        told = sorted({constraint(key) for trial in trials for key in trial.constraints})
        limits: list[Limit] = [*self.subject_to, *((name, "<=", 0.0) for name in told)]
        single = len(names) == 1
        return Problem(
            self.translation.space,
            maximize=(more[0] if single else more) if more else None,
            minimize=(less[0] if single else less) if less else None,
            subject_to=limits,
            fractions=self.fractions,
            metrics=[*names, *told, *(limit.metric for limit in self.subject_to)],
        )

    def history(self, study: optuna.Study, trials: Iterable[FrozenTrial], asking: int) -> History:
        """What the trials have measured, and which still run; those elsewhere are left out.

        Pruned trials are known by what they have reported last, beside what the complete ones had
        reported by then.

        Args:
            study: Whose trials they are.
            trials: All of them.
            asking: The number of the trial that asks, which is no evidence yet.
        """
        others = [trial for trial in trials if trial.number != asking]
        way = Way.of(others)
        found = (self._trial(study, trial, way) for trial in others)
        return History(trial for trial in found if trial is not None)

    def _trial(self, study: optuna.Study, trial: FrozenTrial, way: "Way") -> Trial | None:
        complete = trial.state == TrialState.COMPLETE
        # What failed or was pruned may not have asked for all that it was to try.
        params = {**trial.params, **trial.system_attrs.get(SUGGESTED, {})}
        config = self.translation.config(trial.params if complete else params)
        fraction = self._fraction(params, trial.user_attrs)
        if config is None or fraction is None:
            return None
        asked = Trial(trial.number, config, fraction, state=State.RUNNING)
        if trial.state == TrialState.RUNNING:
            return asked
        names = objectives(study)
        outcome = measured(trial, names)
        if outcome is None:
            return None
        passed = {s * fraction: {names[0]: value} for s, value in way.passed(trial).items()}
        return replace(asked, reported=passed).told(outcome)

    def _fraction(self, params: Mapping[str, Any], attributes: Mapping[str, Any]) -> float | None:
        """The share of the data of a trial, None where it is none of ours."""
        said = share(params.get(self.fraction, attributes.get(self.fraction, 1.0)))
        if said is None:
            return None
        return min(self.fractions, key=lambda s: abs(math.log(s / said)))


@dataclass(frozen=True)
class Way:
    """How far trials had come when they reported, in steps.

    Attributes:
        whole: The steps of a training that is not pruned.
        compared: The step at which pruned trials are compared with complete ones: that of the
            middle one of the pruned trials.
        before: Steps before the first one that is reported: steps may count from 0 or from 1.
    """

    whole: int = 0
    compared: int = 0
    before: int = 0

    @classmethod
    def of(cls, trials: Sequence[FrozenTrial]) -> "Way":
        """From what was reported; nowhere while none was pruned, for nobody needs it then."""
        pruned = sorted(t.last_step or 0 for t in trials if t.state == TrialState.PRUNED)
        steps = {step for t in trials for step in t.intermediate_values}
        if not pruned or not steps:
            return cls()
        ended = [t.last_step or 0 for t in trials if t.state == TrialState.COMPLETE]
        before = int(min(steps) == 0)
        return cls(max(ended, default=max(steps)) + before, pruned[len(pruned) // 2], before)

    def passed(self, trial: FrozenTrial) -> dict[float, float]:
        """What a trial had reported when it was pruned, or others were, by the share of its way."""
        told = {k: v for k, v in trial.intermediate_values.items() if math.isfinite(v)}
        if not told or not self.whole:
            return {}
        pruned = trial.state == TrialState.PRUNED
        step = max(told) if pruned else min(told, key=lambda each: abs(each - self.compared))
        share = (step + self.before) / self.whole
        # A trial that was pruned on its last step has still no value: that may be another one.
        return {min(share, _ALMOST): told[step]} if share > 0 and (pruned or share < 1) else {}


def objectives(study: optuna.Study) -> list[str]:
    """How the study's values are called: `value`, or `value_0`, `value_1` and so on."""
    count = len(study.directions)
    return ["value"] if count == 1 else [f"value_{i}" for i in range(count)]


def constraint(key: str) -> str:
    """How a constraint of Optuna's is called among the metrics."""
    return f"constraint_{key}"


def checked_limits(subject_to: Any) -> tuple[Constraint, ...]:
    """Limits as constraints, on whatever metrics they name."""
    single = isinstance(subject_to, str | Constraint) or not isinstance(subject_to, Iterable)
    given = subject_to if single or is_triple(subject_to) else list(subject_to)
    listed = [given] if isinstance(given, str | Constraint | tuple) else given
    names = [name for name in map(_limited, listed) if name] if isinstance(listed, list) else []
    anything = Space(Integer("x", 0, 1))
    return Problem(anything, maximize="value", subject_to=given, metrics=names).constraints


def _limited(limit: Any) -> str | None:
    """The metric that a limit is about, where it can be read."""
    if isinstance(limit, str):
        found = _NAME.match(limit)
        return found[1] if found else None
    if isinstance(limit, Constraint):
        return limit.metric
    return str(limit[0]) if isinstance(limit, Sequence) and limit else None


def measured(trial: FrozenTrial, names: Sequence[str]) -> Outcome | None:
    """What a trial that ended has told; None of one that waits."""
    if trial.state == TrialState.FAIL:
        return Failure("the objective failed", _spent(trial))
    if trial.state == TrialState.PRUNED:
        return TimedOut(f"{ITSELF} was pruned", _spent(trial))
    if trial.state != TrialState.COMPLETE:
        return None
    told = dict(zip(names, trial.values, strict=True))
    told |= {constraint(key): value for key, value in trial.constraints.items()}
    if not all(map(math.isfinite, told.values())):
        return Failure("a value was not finite", _spent(trial))
    return Measurement({**_attributes(trial), **_spent(trial), **told})


def _attributes(trial: FrozenTrial) -> Metrics:
    """User attributes that are numbers: limits may be about them."""
    return {name: float(value) for name, value in trial.user_attrs.items() if _is_number(value)}


def _spent(trial: FrozenTrial) -> Metrics:
    """Seconds and USD, as the objective told them or by the clock."""
    told = _attributes(trial)
    spent = {name: told[name] for name in ("time", "cost") if told.get(name, -1.0) >= 0}
    if "time" not in spent and trial.duration is not None:
        asked = float(trial.system_attrs.get(ASKED, 0.0))
        spent["time"] = max(trial.duration.total_seconds() - asked, 0.0)
    return spent


def share(said: Any) -> float | None:
    """A share of the data as a number, None of what is none."""
    return float(said) if _is_number(said) and 0 < said <= 1 else None


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
