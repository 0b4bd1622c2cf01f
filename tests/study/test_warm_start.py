"""A study that learns from others keeps what it learned, whatever becomes of them."""

from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import StudyError

SPACE = tw.Space(tw.Ordinal("x", list(range(12))), tw.Choice("vm", ["small", "large"]))
PROBLEM = tw.Problem(SPACE, maximize="accuracy", fractions=(0.1, 0.5, 1.0))


def train(trial: tw.Trial) -> dict[str, float]:
    x, s = trial.config["x"], trial.fraction
    accuracy = 0.9 - 0.005 * (x - 7) ** 2 - 0.2 * (1 - s) ** 2
    return {"accuracy": accuracy, "cost": 0.01 * s * (2 + x), "time": 10 * s}


def run(study: tw.Study, count: int) -> list[tuple[object, float]]:
    asked: list[tuple[object, float]] = []
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, train(trial))
        asked.append((trial.config, trial.fraction))
    return asked


@pytest.fixture
def url(tmp_path: Path) -> str:
    place = f"sqlite:///{tmp_path / 'studies.db'}"
    with tw.Study(PROBLEM, "trimtuner", 0, storage=place, name="old") as old:
        run(old, 8)
    return place


@pytest.mark.parametrize("strategy", ["trimtuner", "eic"])
def test_a_resumed_study_equals_the_unbroken_one_though_the_other_grew_and_is_gone(
    url: str, strategy: str
) -> None:
    with tw.Study(PROBLEM, strategy, 1, url, "unbroken", warm_start=["old"]) as study:
        unbroken = run(study, 8)
        expected = study.recommend()
    with tw.Study(PROBLEM, strategy, 1, url, "broken", warm_start="old") as study:
        broken = run(study, 3)
    with tw.Study(PROBLEM, "trimtuner", 0, storage=url, name="old") as old:
        run(old, 2)
        old.store.delete("old")
    with tw.Study(PROBLEM, strategy, 1, url, "broken", warm_start=["old"]) as study:
        broken += run(study, 3)
    with tw.Study(PROBLEM, strategy, 1, url, "broken") as study:
        broken += run(study, 2)
        assert study.recommend() == expected
    assert broken == unbroken


def test_a_warm_start_changes_what_is_asked(url: str) -> None:
    with tw.Study(PROBLEM, "trimtuner", 1, url, "cold") as cold:
        without = run(cold, 4)
    with tw.Study(PROBLEM, "trimtuner", 1, url, "warm", warm_start=["old"]) as warm:
        assert list(warm.prior.studies) == ["old"]
        assert run(warm, 4) != without


def test_a_history_from_elsewhere_is_as_good_as_a_name(url: str) -> None:
    with tw.Study(PROBLEM, "trimtuner", 0, url, "old") as old:
        history = old.history
    with tw.Study(PROBLEM, "trimtuner", 1, url, "named", warm_start="old") as named:
        expected = run(named, 4)
    assert run(tw.Study(PROBLEM, "trimtuner", 1, warm_start=history), 4) == expected


def test_an_unknown_study_is_refused_with_the_nearest_name_and_nothing_is_made(url: str) -> None:
    with pytest.raises(StudyError, match="no study 'odl'; did you mean 'old'"):
        tw.Study(PROBLEM, "eic", 1, url, "new", warm_start=["odl"])
    with tw.Study(PROBLEM, "trimtuner", 0, url, "old") as old:
        assert [record.name for record in old.store.studies()] == ["old"]


def test_another_warm_start_than_the_study_was_made_with_is_refused(url: str) -> None:
    tw.Study(PROBLEM, "eic", 1, url, "new", warm_start=["old"]).close()
    with pytest.raises(StudyError, match=r"warm start from \['old'\], not \['new'\]"):
        tw.Study(PROBLEM, "eic", 1, url, "new", warm_start=["new"])
    tw.Study(PROBLEM, "eic", 1, url, "cold").close()
    with pytest.raises(StudyError, match=r"warm start from \[\], not \['old'\]"):
        tw.Study(PROBLEM, "eic", 1, url, "cold", warm_start=["old"])


def test_a_study_of_another_space_is_refused_with_the_reason(url: str) -> None:
    other = tw.Problem(tw.Space(tw.Real("rate", 0.0, 1.0)), maximize="accuracy")
    with pytest.raises(StudyError, match="study 'old' cannot be learned from.*unknown parameter"):
        tw.Study(other, "eic", 1, url, "new", warm_start=["old"])


def test_a_study_without_a_complete_trial_is_refused_and_nothing_is_made(url: str) -> None:
    tw.Study(PROBLEM, "eic", 0, url, "empty").close()
    with pytest.raises(StudyError, match="study 'empty' cannot be learned from: it has no"):
        tw.Study(PROBLEM, "eic", 1, url, "new", warm_start=["old", "empty"])
    with tw.Study(PROBLEM, "trimtuner", 0, url, "old") as old:
        assert sorted(record.name for record in old.store.studies()) == ["empty", "old"]


@pytest.mark.parametrize("wrong", [3, [3], [("old", 1)]])
def test_what_is_neither_name_nor_history_is_refused(wrong: object) -> None:
    with pytest.raises(StudyError, match="warm_start .* expected"):
        tw.Study(PROBLEM, "eic", 1, warm_start=wrong)  # type: ignore[arg-type] # wrong on purpose


def test_a_strategy_without_a_surrogate_ignores_it(url: str) -> None:
    with tw.Study(PROBLEM, "random", 1, url, "warm", warm_start=["old"]) as warm:
        expected = run(tw.Study(PROBLEM, "random", 1), 4)
        assert run(warm, 4) == expected


def test_a_study_that_finds_its_space_can_learn_from_no_other_before() -> None:
    other = tw.Study(PROBLEM, seed=0)
    run(other, 2)
    with pytest.raises(StudyError, match="finds its space by its trainings .* a Space"):
        tw.Study(tw.Problem(maximize="accuracy"), warm_start=other.history)
