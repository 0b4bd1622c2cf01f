"""What a training has to know of its study, beside its trial."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tunewise.history import Measurement, numbers_of
from tunewise.study.executor import Job

if TYPE_CHECKING:
    from tunewise.study.study import Study


@dataclass(frozen=True)
class TrialContext:
    """What a running trial answers from.

    Attributes:
        objectives: The metrics that bare numbers are of, in their order.
        epochs: How many epochs are all of them, where trials differ in epochs and not in data.
        parameters: The described parameters of the space, by name.
        discovers: Whether parameters may be asked for that the space does not have.
        seed: Of the values that those get.
        asked: The parameters that the training has asked for by now.
        attributes: What it has told by the way.
    """

    objectives: tuple[str, ...]
    epochs: int | None
    parameters: Mapping[str, Mapping[str, Any]]
    discovers: bool
    seed: int
    asked: set[str] = field(default_factory=set, compare=False)
    attributes: dict[str, Any] = field(default_factory=dict, compare=False)

    def named(self, returned: Any) -> Any:
        """What a job returned, where bare numbers are the objectives, with its attributes."""
        bare = returned if isinstance(returned, tuple | list) else (returned,)
        named = dict(zip(self.objectives, bare, strict=False))
        if len(bare) == len(self.objectives) and len(numbers_of(named)[0]) == len(bare):
            returned = named
        if isinstance(returned, Mapping) and self.attributes:
            return {**self.attributes, **returned}
        if isinstance(returned, Measurement) and self.attributes:
            numbers, _ = numbers_of(self.attributes)
            return replace(returned, metrics={**numbers, **returned.metrics})
        return returned


class Informed:
    """A job whose trials know their context."""

    def __init__(self, job: Job, context: TrialContext) -> None:
        """Say what is run, and what it may know."""
        self._job, self._context = job, context

    def __getattr__(self, name: str) -> Any:
        """Whatever else the job has, such as what it preloads."""
        if name == "_job":  # of a copy that has nothing yet
            raise AttributeError(name)
        return getattr(self._job, name)

    def __call__(self, trial: Any) -> Any:
        """Run the job."""
        context = replace(self._context, asked=set(), attributes={})
        returned = context.named(self._job(trial.knowing(context)))
        if context.discovers:
            trial.note_unused(context.asked)
        return returned


def informed(job: Job, study: "Study") -> Job:
    """The job as the study's executor should run it; a command is told otherwise."""
    if not callable(job) or hasattr(job, "epochs"):
        return job
    return Informed(job, context_of(study))


def context_of(study: "Study") -> TrialContext:
    """What the study's trials know of it."""
    problem = study.problem
    parameters = {p.name: p.describe() for p in problem.space.parameters}
    names = tuple(objective.metric for objective in problem.objectives)
    return TrialContext(names, problem.epochs, parameters, problem.discovers, study.seed)
