"""What a page is about."""

from dataclasses import dataclass

from tunewise.history import History
from tunewise.problem import Problem
from tunewise.report.overview import Overview
from tunewise.strategy.strategy import Recommendation
from tunewise.study.store import StudyRecord


@dataclass(frozen=True)
class Subject:
    """All that a section of a study's page may show.

    Attributes:
        record: The study: its name, strategy, seed and notes.
        problem: What is wanted.
        history: What was measured.
        recommendation: What to deploy, where anything can be recommended.
        seen: The study in short.
    """

    record: StudyRecord
    problem: Problem
    history: History
    recommendation: Recommendation | None
    seen: Overview
