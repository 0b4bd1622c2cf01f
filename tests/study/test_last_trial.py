"""The last trial of a run trains what is recommended on all data, where it was not yet."""

from typing import Any

import pytest

import tunewise as tw

SPACE = tw.Space(tw.Real("x", 0, 1))


def problem(**more: Any) -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", fractions=(1 / 9, 1 / 3, 1.0), **more)


def train(trial: tw.Trial) -> dict[str, float]:
    good = 0.9 - (trial.config["x"] - 0.3) ** 2 - 0.1 * (1 - trial.fraction)
    return {"accuracy": good, "time": 100 * trial.fraction}


@pytest.mark.parametrize("trials", [1, 2, 5])
def test_a_short_study_predicts_from_one_full_training(trials: int) -> None:
    study = tw.Study(problem(), seed=0)

    best = study.optimize(train, trials=trials)

    assert [t.fraction == 1 for t in study.history] == [False] * (trials - 1) + [True]
    assert best is not None and best.supported and "accuracy" in repr(best)


def test_what_would_be_recommended_is_trained() -> None:
    study = tw.Study(problem(), seed=0)
    study.optimize(train, trials=3)
    short = tw.Study(problem(), seed=0)
    for _ in range(2):
        trial = short.ask()
        short.tell(trial, train(trial))

    assert study.history[2].config == short.recommend().config


@pytest.mark.parametrize(("x", "again"), [(0.3, False), (0.9, True)])
def test_another_full_training_is_enough_only_where_it_is_the_answer(x: float, again: bool) -> None:
    study = tw.Study(problem(), seed=0)
    study.enqueue({"x": x})

    best = study.optimize(train, trials=3)

    assert [t.fraction == 1 for t in study.history] == [True, False, again]
    assert best is not None


def test_a_slice_that_may_be_deployed_needs_no_full_training() -> None:
    study = tw.Study(problem(deploy="any"), "random", seed=0)
    before = tw.Study(problem(deploy="any"), "random", seed=0)

    study.optimize(train, trials=2)
    for _ in range(2):
        trial = before.ask()
        before.tell(trial, train(trial))

    assert [t.fraction for t in study.history] == [t.fraction for t in before.history]


def test_one_that_the_budget_cannot_pay_for_is_not_begun() -> None:
    """10 USD pay for 40 s at this price; a full training takes 100 s."""
    study = tw.Study(problem(budget=10.0, price=900.0), seed=0)

    study.optimize(train, trials=3)

    assert all(t.fraction < 1 or t.measurement is None for t in study.history)
    assert study.spent["cost"] <= 10.0


def test_resuming_with_as_many_trials_goes_on_alike() -> None:
    whole = tw.Study(problem(), seed=0)
    whole.optimize(train, trials=4)
    broken = tw.Study(problem(), seed=0)

    broken.optimize(train, trials=4, callbacks=[lambda study, trial: study.stop()])
    broken.optimize(train, trials=4)

    assert [t.config for t in broken.history] == [t.config for t in whole.history]
    assert [t.fraction for t in broken.history] == [t.fraction for t in whole.history]
