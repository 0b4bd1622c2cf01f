"""A study that lies in a store, as whoever looks at it sees it."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import StudyError
from tunewise.job.loading import load_study

MEASURED = {"accuracy": 0.5, "time": 1.0, "cost": 0.1}


@pytest.fixture
def study(tmp_path: Path) -> tw.Study:
    space = tw.Space(tw.Ordinal("vms", [1, 2, 4, 8]))
    url = f"sqlite:///{tmp_path}/s.db"
    return tw.Study(tw.Problem(space, maximize="accuracy"), "random", 0, storage=url, name="s")


def test_whoever_follows_sees_each_trial_once_until_nobody_works(study: tw.Study) -> None:
    study.tell(study.ask(), MEASURED)
    trial = study.ask()
    follower = load_study(study.store, "s").follow(every=0.01)
    assert next(follower).number == 0
    study.tell(trial, tw.Failure("no memory"))
    assert [(each.number, each.state.value) for each in follower] == [(1, "failed")]


def test_what_a_run_left_is_seen_by_a_study_that_was_opened_before(study: tw.Study) -> None:
    looking = load_study(study.store, "s")
    study.store.annotate("s", {"stopped": "enough", "folder": "/somewhere"})
    assert (looking.noted.stopped, looking.folder) == ("enough", Path("/somewhere"))


def test_a_trial_that_is_not_there_is_refused_with_those_that_are(study: tw.Study) -> None:
    study.tell(study.ask(), MEASURED)
    assert study.trial(0).metrics["accuracy"] == 0.5
    with pytest.raises(StudyError, match="has no trial 7; it has 0 to 0"):
        study.trial(7)


def test_a_strategy_that_is_not_installed_hides_no_trial(study: tw.Study) -> None:
    study.tell(study.ask(), MEASURED)
    record = study.store.load("s")
    record.strategy["name"] = "of a package that is gone"
    kept = tw.Study.of_record(study.store, record, study.problem, None, 60.0)
    assert len(kept.history) == 1 and kept.recommendation is None
