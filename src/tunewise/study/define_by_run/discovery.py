"""What becomes of a trial that has found parameters which its study did not know."""

from typing import TYPE_CHECKING

from tunewise.errors import StrategyError
from tunewise.history import Cancelled, History, Outcome, Trial
from tunewise.history.completion import completed
from tunewise.history.prior import Prior
from tunewise.problem import Problem
from tunewise.space import Config, Space
from tunewise.strategy.spec import StrategySpec
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.study.define_by_run.context import informed
from tunewise.study.define_by_run.found import Shown
from tunewise.study.define_by_run.growth import grown
from tunewise.study.define_by_run.restricted import Restricted
from tunewise.study.executor import Job, TrialExecutor
from tunewise.study.opening import posed_anew
from tunewise.study.record import StudyRecord
from tunewise.study.run.progress import ProgressLine
from tunewise.study.run.settings import Settings

if TYPE_CHECKING:
    from tunewise.study.study import Study

GROWN = "the space has grown"
"""Why a run ends that another one with a larger space follows at once."""


def discovered(study: "Study", trial: Trial, shown: Shown, outcome: Outcome) -> Trial:
    """The trial as one of the space that it has shown, told; what was asked for costs nothing.

    The new problem is kept first: whenever we are killed, the study goes on from it.
    """
    space, asked = grow(study, trial, shown), _asked_for(trial, shown)
    if not shown.found and asked not in space:  # nothing tells when what it did without applies
        return study.tell(trial, outcome)
    known = next(each for each in study.history if each.number == trial.number)
    reported = known.with_reports(outcome)
    completed(study.problem, asked, reported)  # else refused after another trial took its place
    new = study.add(Suggestion(asked, trial.fraction), known.enqueued)
    told = study.tell(new, reported)
    why = f"its training showed more of the space: it is trial {new.number}"
    if strange := [name for name in shown.unused if name not in space.names]:
        why += f"; it never asked for {', '.join(map(repr, strange))}"
    study.tell(trial, Cancelled(why, {"time": 0.0, "cost": 0.0}))
    return told


def grow(study: "Study", trial: Trial, shown: Shown) -> Space:
    """Keep the problem with the space that a trial has shown, which is returned.

    The run ends where that is not the space it began with, so that another one begins with it:
    trials at once, and other processes, may have shown as much before.
    """
    record = study.store.load(study.name)
    space = Space.from_description(record.current_problem["space"])
    measured = [each.config for each in study.history.complete if each.config]
    larger = grown(space, _asked_for(trial, shown), shown, measured)
    described = study.problem.with_space(larger).describe()
    if described != record.current_problem:
        posed_anew(study.store, record, described)
    if described != study.problem.describe():
        study.stopped = study.stopped or GROWN
    return larger


def _asked_for(trial: Trial, shown: Shown) -> Config:
    given = {name: v for name, v in trial.config.items() if name not in shown.unused}
    return {**given, **shown.values}


class Undiscovered(Strategy):
    """Asks for the one trial that shows what may be chosen."""

    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """A trial on the least data, while none runs, and none came to its end.

        One that failed or was killed may not have got to its first question.
        """
        ran = any(trial.state not in ("cancelled", "failed") for trial in history)
        return [] if ran else [Suggestion({}, self.problem.fractions[0])]

    def recommend(self, history: History) -> Recommendation:
        """Nothing can be."""
        raise StrategyError("no training has said yet what may be chosen (trial.suggest_float)")


def strategy_of(record: StudyRecord, problem: Problem, prior: Prior | None) -> Strategy:
    """The strategy of a study, as far as its problem is known."""
    if not problem.space.parameters:
        return Undiscovered(problem, record.seed)
    built = StrategySpec.of(record.strategy).build(problem, record.seed, prior)
    return Restricted(built) if record.noted.problems else built


def run_to_the_end(
    study: "Study",
    job: Job,
    settings: Settings,
    executor: TrialExecutor | str | None,
    progress: bool | ProgressLine | None,
) -> Recommendation | None:
    """Run trials until a rule is met, with a new problem whenever the space has grown."""
    from tunewise.study.run.loop import Loop

    while True:
        run = Loop(study, informed(job, study), settings, executor, progress)
        best = run.run()
        if study.stopped != GROWN:
            return best
        settings = settings.after(run.seconds)
        study.reopen()
