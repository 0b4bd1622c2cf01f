"""What a study can still do that was loaded without the code that made its problem."""

from tunewise.errors import StudyError
from tunewise.history import History
from tunewise.problem import Problem
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.scalarised import most_balanced
from tunewise.strategy.strategy import Recommendation
from tunewise.study.record import Notes


def refuse_lost(problem: Problem, study: str, purpose: str, *needed: str) -> None:
    """A loaded study has no functions that only the original code knows.

    Args:
        problem: The study's, as far as it is known.
        study: Its name.
        purpose: What the functions are needed for.
        needed: The functions, by the argument of `Problem` or `Space` that takes them.
    """
    if gone := [name for name in needed if name in problem.lost]:
        raise StudyError(
            f"study {study!r} was loaded without the function {gone[0]!r} of its problem,"
            f" which a store cannot keep; to {purpose}, open it with its problem:"
            f" tunewise.Study(problem, storage=..., name={study!r})"
        )


def recommended_before(
    problem: Problem, noted: Notes, history: History, relevant: History
) -> Recommendation:
    """What a run recommended that knew all functions; else the best that was measured.

    Args:
        problem: The study's, as far as it is known.
        noted: What its record keeps beside.
        history: All its trials.
        relevant: Those that its present problem is about.
    """
    ended = sum(not trial.state.pending for trial in history)
    if noted.recommended is not None and noted.recommended_after == ended:
        return Recommendation.from_description(noted.recommended)
    several = len(problem.objectives) > 1
    return (several and most_balanced(problem, relevant)) or best_measured(problem, relevant)
