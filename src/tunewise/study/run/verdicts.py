"""What becomes of a failed or preempted attempt: it runs again, or counts against its config."""

from collections import Counter
from pathlib import Path

from tunewise.format import money
from tunewise.history import Failure, Flaky, History, Measurement, Outcome, Preempted, Trial
from tunewise.history.bounds import MOST_METRICS, MOST_SNAPSHOTS
from tunewise.problem import Problem
from tunewise.study.booking import paid_once
from tunewise.study.folders import add_to_log
from tunewise.study.run.progress import ProgressLine

_PREEMPTIONS = 10
"""How often a trial may be preempted in one run before it counts as failed."""


_NOTED = 20
"""So many ignored names are noted of one trial."""


class Verdicts:
    """Judges the attempts of one run."""

    def __init__(self, retries: int, progress: ProgressLine) -> None:
        """Nothing was preempted yet."""
        self._retries, self._progress = retries, progress
        self._preemptions: Counter[int] = Counter()
        self._ignored: set[str] = set()
        self._uncounted = False
        self.folder: Path | None = None
        """Where the logs of the trials are, while the run goes on."""

    def paid_once(self, history: History, trial: Trial, outcome: Outcome) -> Outcome:
        """The outcome, with no more resumed than was paid for; its log says what was changed."""
        changed, said = paid_once(history, trial, outcome)
        if said is not None:
            self._progress.note(f"trial {trial.number}: {said}")
            if self.folder is not None:
                add_to_log(self.folder / str(trial.number), said)
        return changed

    def warn_of_uncounted(self, trial: Trial, problem: Problem, outcome: Outcome) -> None:
        """Say once that a budget counts nothing: nobody knows what the trials cost."""
        budget = problem.budget
        if budget is None or problem.price is not None:
            return
        if not isinstance(outcome, Measurement) or "cost" in outcome.metrics:
            return
        if not self._uncounted:
            self._uncounted = True
            self._progress.warn(
                f"the budget of {money(budget)} does not count trial {trial.number}: it told no"
                " cost, and the problem has no price=; return a 'cost', or give a price"
            )

    def judged(self, trial: Trial, outcome: Outcome) -> Outcome:
        """A failure counts when it has repeated often enough; a preemption does in the end."""
        if isinstance(outcome, Measurement):
            self._note_ignored(trial, outcome)
        if type(outcome) is Failure and trial.retried < self._retries:
            again = f"trial {trial.number} failed and runs again: {outcome.reason.splitlines()[0]}"
            self._progress.note(again)
            return Flaky(outcome.reason, outcome.metrics)
        return self._unless_always_preempted(trial, outcome)

    def _note_ignored(self, trial: Trial, outcome: Measurement) -> None:
        """Say once of each name that what a job tells there is no number, and not kept."""
        said = f"trial {trial.number} told"
        if (count := len(outcome.metrics)) > MOST_METRICS:
            self._progress.note(f"{said} {count:,} metrics: about {MOST_METRICS} of them are kept")
        if (count := len(outcome.snapshots)) > MOST_SNAPSHOTS:
            self._progress.note(
                f"{said} {count:,} snapshots: about {MOST_SNAPSHOTS} of them are kept"
            )
        for name in [n for n in outcome.ignored if n not in self._ignored][:_NOTED]:
            self._ignored.add(name)
            told = outcome.ignored[name]
            self._progress.note(f"trial {trial.number}: {name} is {told}, no number: it is ignored")

    def _unless_always_preempted(self, trial: Trial, outcome: Outcome) -> Outcome:
        """A trial whose machine is taken away again and again ends as failed, not as a loop."""
        if not isinstance(outcome, Preempted):
            return outcome
        self._preemptions[trial.number] += 1
        if self._preemptions[trial.number] < _PREEMPTIONS:
            return outcome
        return Failure(f"preempted {_PREEMPTIONS} times: {outcome.reason}", outcome.metrics)
