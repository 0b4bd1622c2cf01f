"""What a training has to know of its study, beside its trial."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tunewise.study.executor import Job

if TYPE_CHECKING:
    from tunewise.study.study import Study


@dataclass(frozen=True)
class TrialContext:
    """What a running trial answers from.

    Attributes:
        objective: The metric that a bare number is of.
        epochs: How many epochs are all of them, where trials differ in epochs and not in data.
        parameters: The described parameters of the space, by name.
        discovers: Whether parameters may be asked for that the space does not have.
        seed: Of the values that those get.
        asked: The parameters that the training has asked for by now.
    """

    objective: str
    epochs: int | None
    parameters: Mapping[str, Mapping[str, Any]]
    discovers: bool
    seed: int
    asked: set[str] = field(default_factory=set, compare=False)


class Informed:
    """A job whose trials know their context."""

    def __init__(self, job: Job, context: TrialContext) -> None:
        """Say what is run, and what it may know."""
        self._job, self._context = job, context

    def __call__(self, trial: Any) -> Any:
        """Run the job."""
        context = replace(self._context, asked=set())
        returned = self._job(trial.knowing(context))
        if context.discovers:
            trial.note_unused(context.asked)
        return returned


def informed(job: Job, study: "Study") -> Job:
    """The job as the study's executor should run it; most need to know nothing."""
    problem = study.problem
    knows = getattr(job, "epochs", None) is not None  # a command that was told
    if not callable(job) or knows or not (problem.discovers or problem.epochs):
        return job
    return Informed(job, context_of(study))


def context_of(study: "Study") -> TrialContext:
    """What the study's trials know of it."""
    problem = study.problem
    parameters = {p.name: p.describe() for p in problem.space.parameters}
    return TrialContext(
        problem.objective, problem.epochs, parameters, problem.discovers, study.seed
    )
