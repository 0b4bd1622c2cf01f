"""How a run goes on and when it ends: what `Study.optimize` was told, checked."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunewise.errors import StudyError
from tunewise.problem import quantity
from tunewise.study.run import stopping

if TYPE_CHECKING:
    from tunewise.study.study import Callback, Study

INSTEAD = {
    "n_trials": "trials={} (all trials of the study count, those of earlier runs too)",
    "n_iter": "trials={}",
    "num_samples": "trials={}",
    "max_trials": "trials={}",
    "max_evals": "trials={}",
    "n_jobs": "parallel={}",
    "show_progress_bar": "progress={}",
    "catch": "nothing: a trial that fails does not end the run",
    "gc_after_trial": "nothing: each trial runs in a process of its own",
}
"""What to write for arguments of a run that other tools have."""

ASK = "study.ask(); a config of your own is asked for after study.enqueue({'x': 0.5})"
ASK_INSTEAD = {
    "fixed_distributions": "tunewise.Problem(tunewise.Space(...), ...): it has the space",
}
TELL = "study.tell(trial, {'accuracy': 0.9}), or study.tell(trial, tunewise.Failure('why'))"
TELL_INSTEAD = {
    "state": "study.tell(trial, tunewise.Failure('why')), or for a pruned one"
    " study.tell(trial, tunewise.TimedOut('pruned: why'))",
    "values": "study.tell(trial, {'accuracy': 0.9})",
}

FORMER = {"stop_hopeless": "prune"}
"""What arguments of a run were called before."""


@dataclass(frozen=True)
class Settings:
    """How a run goes on and when it ends."""

    parallel: int
    timeout: float | None
    trial_timeout: float | None
    rules: tuple[stopping.StopRule, ...]
    callbacks: "tuple[Callback, ...]"
    trials: int | None
    folder: Path | None
    retries: int = 0
    prune: bool = True

    def after(self, seconds: float) -> "Settings":
        """The settings of a run that goes on after so many seconds of another."""
        if self.timeout is None:
            return self
        left = max(self.timeout - seconds, 1e-3)
        return replace(self, timeout=left, rules=(stopping.after_seconds(left), *self.rules))

    @classmethod
    def of(
        cls,
        *,
        trials: int | None,
        timeout: float | str | None,
        parallel: int,
        target: float | None,
        min_gain: float | str | None,
        min_trials: int | None,
        trial_timeout: float | str | None,
        stop: Iterable[stopping.StopRule],
        callbacks: "Iterable[Callback]",
        folder: str | Path | None,
        retries: int = 0,
        prune: bool = True,
    ) -> "Settings":
        """Check the arguments of `Study.optimize` and turn limits into rules."""
        seconds = checked_seconds("timeout", timeout)
        if not isinstance(prune, bool):
            raise StudyError(f"prune is {prune!r}; expected True or False")
        rules: list[stopping.StopRule] = [stopping.budget_spent]
        if seconds is not None:
            rules.append(stopping.after_seconds(seconds))
        if target is not None:
            rules.append(stopping.target_reached(_number("target", target)))
        least = None if min_trials is None else _positive("min_trials", min_trials)
        if min_gain is not None:
            rules.append(stopping.no_gain(stopping.least_gain(min_gain, least)))
        return cls(
            parallel=_positive("parallel", parallel),
            timeout=seconds,
            trial_timeout=checked_seconds("trial_timeout", trial_timeout),
            rules=(*rules, *_functions("stop", stop)),
            callbacks=_functions("callbacks", callbacks),
            trials=None if trials is None else _positive("trials", trials),
            folder=None if folder is None else Path(folder),
            retries=_positive("retries", retries, least=0),
            prune=prune,
        )


def refuse_endless(study: "Study", settings: Settings) -> None:
    """Refuse a run that nothing would end."""
    limited = len(settings.rules) > 1 or settings.trials is not None
    if not (limited or study.problem.budget is not None or _finite(study)):
        raise StudyError("this run would never end: give trials=, timeout=, target= or a budget")


def _finite(study: "Study") -> bool:
    """Whether the space has an end, as far as it is known."""
    return study.problem.space.finite and not study.problem.discovers


def _functions(name: str, given: Any) -> tuple[Any, ...]:
    listed = (given,) if callable(given) else tuple(given) if isinstance(given, Iterable) else None
    if listed is None or not all(callable(each) for each in listed):
        raise StudyError(f"{name} is {given!r}; expected functions")
    return listed


def checked_seconds(name: str, value: float | str | None) -> float | None:
    """A time in seconds; None where there is none."""
    if value is None:
        return None
    seconds = quantity(value, "time")
    if not seconds > 0 or not math.isfinite(seconds):
        raise StudyError(f"{name} is {value!r}; expected seconds above 0, or such as '10 min'")
    return seconds


def _number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise StudyError(f"{name} is {value!r}; expected a number")
    return float(value)


def _positive(name: str, value: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise StudyError(f"{name} is {value!r}; expected a whole number, {least} or above")
    return value
