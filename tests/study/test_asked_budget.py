"""Whoever asks and tells is held to the budget as a run is."""

import pytest

import tunewise as tw
from tunewise.errors import StudyError

SPACE = tw.Space(tw.Real("x", 0, 1))


def test_no_trial_is_given_out_that_the_budget_does_not_pay_for() -> None:
    """Three trials at 0.3 USD leave 0.1 USD, and no price is known."""
    with tw.Study(tw.Problem(SPACE, maximize="accuracy", budget=1.0), "random", seed=0) as study:
        for _ in range(3):
            study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0, "cost": 0.3})
        with pytest.raises(StudyError, match=r"budget of 1 USD is spent: 0\.1\d* USD do not pay"):
            study.ask()
        assert study.spent["cost"] == pytest.approx(0.9)
        assert [t.status for t in study.history] == ["complete"] * 3 + ["waiting"]


def test_trials_that_are_asked_for_at_once_share_what_is_left() -> None:
    with tw.Study(tw.Problem(SPACE, maximize="accuracy", budget=1.0), "random", seed=0) as study:
        study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0, "cost": 0.4})
        study.ask()
        with pytest.raises(StudyError, match="pay for trial 2"):
            study.ask()


def test_where_there_is_a_price_the_limit_is_how_long_the_money_lasts() -> None:
    """1 USD at 3600 USD an hour is a second."""
    problem = tw.Problem(SPACE, maximize="accuracy", budget=1.0, price=3600.0)
    with tw.Study(problem, "random", seed=0) as study:
        trial = study.ask()
        assert trial.limit == pytest.approx(1.0)
        study.tell(trial, {"accuracy": 0.5, "time": 0.6})
        assert study.ask().limit == pytest.approx(0.4)


def test_a_larger_budget_pays_for_the_trial_that_waited() -> None:
    small, large = (tw.Problem(SPACE, maximize="accuracy", budget=b) for b in (1.0, 2.0))
    with tw.Study(small, "random", seed=0) as study:
        study.tell(study.ask(), {"accuracy": 0.5, "time": 1.0, "cost": 0.6})
        with pytest.raises(StudyError, match="larger budget"):
            study.ask()
        assert study.with_problem(large).ask().number == 1


def test_a_closed_study_gives_out_no_trials() -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"), "random", seed=0, name="digits")
    study.close()
    with pytest.raises(StudyError, match="study 'digits' is closed; open it again"):
        study.ask()
    with pytest.raises(StudyError, match="study 'digits' is closed; open it again"):
        study.optimize(lambda trial: {"accuracy": 0.5}, trials=1)
    assert len(study.history) == 0
