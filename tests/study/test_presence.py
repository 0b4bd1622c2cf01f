"""Who works on a study, told from what its store keeps."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.study import Study
from tunewise.study.presence import presences
from tunewise.study.record import BegunRun, Notes
from tunewise.testing.stores.parts import dead_owner, far_owner


def made(folder: Path) -> Study:
    problem = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy")
    return tw.Study(problem, seed=0, storage=folder / "s.db", name="s")


def told(study: Study) -> list[str]:
    record = study.store.load(study.name)
    return [str(each) for each in presences(study.store, record, study.history)]


def test_a_run_that_was_killed_while_it_thought_has_died(tmp_path: Path) -> None:
    with made(tmp_path) as study:
        begun = Notes(begun=BegunRun(dead_owner(), 1e9))
        study.store.annotate("s", begun.changed("begun", "stopped"))
        (line,) = told(study)
        assert "died" in line
        assert "runs again" not in line


def test_a_silent_process_elsewhere_is_gone_once_its_lease_has_ended(tmp_path: Path) -> None:
    with made(tmp_path) as study:
        owner = far_owner()
        for lease in (0.0, 1000.0):
            with study.store.asking("s", owner):
                study.store.add("s", {"x": 0.5}, 1.0, (), owner, lease)
        record = study.store.load("s")
        (found,) = presences(study.store, record, study.history)
        assert found.alive  # it has renewed one of them
        assert found.trials == (0, 1)


def test_an_error_in_a_callback_ends_the_run_and_leaves_nobody_at_work(tmp_path: Path) -> None:
    def fail(study: Study, trial: tw.Trial) -> None:
        raise ZeroDivisionError

    with made(tmp_path) as study:
        with pytest.raises(ZeroDivisionError):
            study.optimize(lambda t: {"accuracy": 1.0}, trials=2, callbacks=[fail], progress=False)
        assert told(study) == []
        assert study.store.load("s").noted.stopped == "interrupted (ZeroDivisionError)"


@pytest.mark.parametrize("kept", [7, {"owner": "a|b|c|d", "at": 1}, {"owner": "a|1|2|d"}, {}])
def test_a_damaged_note_is_as_good_as_none(kept: object) -> None:
    assert Notes.of({"begun": kept}).begun is None
