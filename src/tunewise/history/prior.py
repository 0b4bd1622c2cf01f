"""What other studies measured, as data that a new study keeps and learns from.

It is fixed when a study is created, so that its strategy stays a function of (problem, history,
seed), whatever happens to the other studies later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tunewise.errors import SpaceError, StudyError
from tunewise.history import History, Measurement, Trial, TrialState
from tunewise.problem import Problem

LEAST = 5
"""A study with fewer values of a metric teaches nothing about it."""


@dataclass(frozen=True)
class Prior:
    """The complete trials of other studies whose configs the new space has too.

    Attributes:
        studies: Histories by the name of their study.
        notes: What could not be used, in sentences.
    """

    studies: Mapping[str, History] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, problem: Problem, studies: Mapping[str, History]) -> "Prior":
        """Keep what a problem can learn from.

        Raises:
            StudyError: When a study has measured nothing at all that can be used.
        """
        kept: dict[str, History] = {}
        notes: list[str] = []
        for name, history in studies.items():
            usable, note = _usable(problem, name, history)
            notes += [note] if note else []
            if max(len(usable.observations(m)) for m in problem.needed) >= LEAST:
                kept[name] = usable
        return cls(kept, tuple(notes))

    def __bool__(self) -> bool:
        """Whether there is anything to learn from."""
        return bool(self.studies)

    def describe(self) -> dict[str, Any]:
        """As plain data; `from_description` reads it back."""
        studies = [
            {"name": name, "trials": [_described(trial) for trial in history]}
            for name, history in self.studies.items()
        ]
        return {"studies": studies, "notes": list(self.notes)}

    @classmethod
    def from_description(cls, described: Mapping[str, Any] | None) -> "Prior":
        """The prior that described itself so; an empty one of None."""
        if described is None:
            return cls()
        studies = {
            study["name"]: History(_trial(n, told) for n, told in enumerate(study["trials"]))
            for study in described["studies"]
        }
        return cls(studies, tuple(described["notes"]))


def _usable(problem: Problem, name: str, history: History) -> tuple[History, str | None]:
    """The complete trials that are configs of the space, and what to say of the rest."""
    kept: list[Trial] = []
    refusal = ""
    measured = [t for t in history.complete if any(m in t.metrics for m in problem.needed)]
    for trial in measured:
        try:
            config = problem.space.check(trial.config)
        except SpaceError as error:
            refusal = refusal or str(error)
            continue
        kept.append(Trial(len(kept), config, trial.fraction, (), trial.state, trial.outcome))
    if not measured:
        raise StudyError(f"study {name!r} cannot be learned from: {_lacking(problem, history)}")
    if not kept:
        raise StudyError(
            f"study {name!r} cannot be learned from: none of its {len(measured)} measured configs"
            f" is in the space; the first: {refusal}"
        )
    usable = History(kept)
    values = max(len(usable.observations(metric)) for metric in problem.needed)
    if values < LEAST:
        said = f"only {values} of its values can be used, {LEAST} are needed"
        return usable, f"study {name!r} teaches nothing: {said}"
    if left_out := len(measured) - len(kept):
        what = f"{left_out} of {len(measured)} configs are not in the space"
        return usable, f"study {name!r}: {what}; the first: {refusal}"
    return usable, None


def _lacking(problem: Problem, history: History) -> str:
    """Why a history without a single value that a problem needs is of no use."""
    if not len(history.complete):
        return "it has no complete trial; let it measure some first, or leave it out of warm_start"
    wanted = " or ".join(problem.needed)
    told = sorted({metric for trial in history.complete for metric in trial.metrics})
    return f"no complete trial measured {wanted}; they measured {', '.join(told)}"


def _described(trial: Trial) -> dict[str, Any]:
    told = trial.measurement
    assert told is not None, "only complete trials are kept"
    return {
        "config": trial.config,
        "fraction": trial.fraction,
        "metrics": told.metrics,
        "snapshots": [[s, metrics] for s, metrics in told.snapshots.items()],
        "deviations": told.deviations,
    }


def _trial(number: int, told: Mapping[str, Any]) -> Trial:
    snapshots = {s: metrics for s, metrics in told["snapshots"]}
    outcome = Measurement(told["metrics"], snapshots, told["deviations"])
    state = TrialState.COMPLETE
    return Trial(number, told["config"], told["fraction"], (), state, outcome)
