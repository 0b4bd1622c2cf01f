"""What a study keeps about itself, with names and types."""

import pytest

from tunewise.errors import StorageError
from tunewise.study.record import JobText, Notes, PosedProblem, StudyRecord

NOTES = Notes(
    folder="runs/digits",
    job=JobText("job.yaml", "maximize: accuracy", {"trials": 3}),
    stopped="all trials were run",
    recommended={"config": {"x": 1}, "fraction": 1.0, "predicted": {}, "feasible": 1.0},
    recommended_after=3,
    stop_requests=2,
    prior={"sources": ["other"], "studies": [], "notes": []},
    problems=(PosedProblem(4, {"budget": 2.0}, 1.5),),
)
NAMES = ("folder", "job", "stopped", "recommended", "stop_requests", "prior", "problems")


def test_notes_survive_a_store() -> None:
    assert Notes.of(NOTES.changed(*NAMES)) == NOTES


def test_only_what_changed_is_written() -> None:
    assert NOTES.changed("stopped") == {"stopped": "all trials were run"}


def test_what_another_version_noted_is_left_alone() -> None:
    assert Notes.of({"mood": "good", "stopped": "done"}) == Notes(stopped="done")


@pytest.mark.parametrize(
    "kept",
    [{"job": {"path": "x"}}, {"recommended": 3}, {"stop_requests": "x"}, {"folder": "a\0b"}],
)
def test_a_damaged_note_is_as_good_as_none(kept: dict[str, object]) -> None:
    assert Notes.of(kept) == Notes()


def test_damaged_problems_are_a_sentence() -> None:
    with pytest.raises(StorageError, match="the store is damaged"):
        Notes.of({"problems": [1]})


def test_the_last_posed_problem_counts() -> None:
    record = StudyRecord("s", {"budget": 1.0}, {}, 0, NOTES.changed("problems"))
    assert record.current_problem == {"budget": 2.0}
    assert StudyRecord("s", {"budget": 1.0}, {}, 0).current_problem == {"budget": 1.0}
