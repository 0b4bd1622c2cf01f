"""Trials in a loop of one's own that ask for their parameters: `study.ask()` and `study.tell`."""

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from tunewise.history import Measurement, Outcome, Preempted, Trial
from tunewise.space import Parameter
from tunewise.space.parameter import Value
from tunewise.study.define_by_run.context import context_of
from tunewise.study.define_by_run.discovery import GROWN, discovered
from tunewise.study.define_by_run.found import Shown
from tunewise.study.define_by_run.suggesting import SuggestingTrial

if TYPE_CHECKING:
    from tunewise.study.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class AskedTrial(SuggestingTrial):
    """A trial in the hands of whoever asked for it; what it shows is kept until it is told.

    Attributes:
        shown: The parameters that it has found by now.
    """

    shown: Shown = field(default_factory=Shown)

    def _found(self, asked: Parameter, seed: int) -> Value:
        if asked.name not in self.shown.values:
            self.shown.values[asked.name] = self._new_value(asked, seed)
            self.shown.found[asked.name] = asked
            self.config[asked.name] = self.shown.values[asked.name]
        return self.shown.values[asked.name]

    @property
    def plain(self) -> Trial:
        """The trial as the history knows it."""
        given = {f.name: getattr(self, f.name) for f in fields(Trial)}
        found = self.shown.found
        config = {name: value for name, value in self.config.items() if name not in found}
        return Trial(**{**given, "config": config})

    def shown_by(self, outcome: Outcome) -> Shown:
        """How what it asked for differs from its config, once that is known.

        A loop that reads the config asks for nothing, and still uses all of it.
        """
        asked = set() if self.context is None else self.context.asked
        if not asked or isinstance(outcome, Preempted):
            return Shown()
        ended = isinstance(outcome, Measurement)
        unused = [name for name in self.config if ended and name not in asked]
        return replace(self.shown, unused=tuple(unused))


def asked(study: "Study", trial: Trial) -> Trial:
    """The trial for whoever asked for it; where the study finds its space, it may be asked, too."""
    if not study.problem.discovers:
        return trial
    given = {f.name: getattr(trial, f.name) for f in fields(Trial)}
    new = AskedTrial(**{**given, "config": dict(trial.config)}, context=context_of(study))
    study.in_hand[trial.number] = new
    return new


def told(study: "Study", trial: AskedTrial, outcome: Outcome) -> Trial:
    """Tell the study; what the trial has shown of the space counts from the next one on."""
    shown = trial.shown_by(outcome)
    open_yet = study.trial(trial.number).state.pending  # else it is refused, as any other
    if shown and open_yet:
        kept = discovered(study, trial.plain, shown, outcome)
    else:
        kept = study.tell(trial.plain, outcome)
    study.in_hand.pop(trial.number, None)
    if study.stopped == GROWN:
        study.reopen()
    return kept


def held(study: "Study", trial: Trial | int) -> Trial:
    """The trial of a number: as it was asked for, where that was here."""
    if isinstance(trial, Trial):
        return trial
    return next((t for t in study.in_hand.values() if t.number == trial), None) or study.trial(
        trial
    )


def refresh(study: "Study") -> None:
    """Take over what other processes have found of the space meanwhile."""
    if study.problem.discovers:
        described = study.store.load(study.name).current_problem["space"]
        if described != study.problem.describe()["space"]:
            study.reopen()
