"""What `trimtuner` does when slices fail, and how it climbs from the smallest one."""

import math

import pytest

import tunewise as tw
from tests.doubts import unsure

SPACE = tw.Space(tw.Ordinal("vms", [1, 2, 4, 8]), tw.Real("rate", 1e-5, 1e-1, log=True))


def wanted(fractions: tuple[float, ...]) -> tw.Problem:
    return tw.Problem(SPACE, maximize="accuracy", subject_to=["cost <= 0.008"], fractions=fractions)


def measured(trial: tw.Trial) -> dict[str, float]:
    rate, vms = float(trial.config["rate"]), int(trial.config["vms"])
    off = (math.log10(rate) + 3) ** 2
    seconds = 1000 * trial.fraction / vms**0.7 + 5
    accuracy = 0.95 - 0.03 * off - 0.3 * (1 - trial.fraction) ** 2
    return {"accuracy": max(accuracy, 0.0), "time": seconds, "cost": 0.023 * vms * seconds / 3600}


@pytest.mark.parametrize("options", [{}, pytest.param({"growth": None}, marks=pytest.mark.long)])
@unsure
def test_a_fraction_on_which_every_trial_fails_is_left(options: dict[str, object]) -> None:
    strategy = tw.strategy("trimtuner", **options)
    study = tw.Study(wanted((0.1, 0.25, 0.5, 1.0)), strategy, seed=1)
    for _ in range(12):
        trial = study.ask()
        failed = tw.Failure("too few rows", {"time": 3.0, "cost": 0.0001})
        study.tell(trial, failed if trial.fraction < 0.2 else measured(trial))
    # Three begin there; it is tried again once or twice, not nine times.
    assert len(study.history.failed) <= 5
    # What it says of a config near the limit depends on the path; that it keeps it must not.
    deployed = measured(tw.Trial(0, study.recommend().config))
    assert study.problem.feasible(deployed)


def test_a_fraction_on_which_all_configs_score_the_same_is_left() -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy", fractions=(0.05, 0.25, 1.0)), seed=1)
    for _ in range(12):
        trial = study.ask()
        told = measured(trial)
        study.tell(trial, {**told, "accuracy": 0.1} if trial.fraction < 0.2 else told)
    assert sum(trial.fraction < 0.2 for trial in study.history) <= 4
    assert max(trial.fraction for trial in study.history) > 0.2


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
def test_fear_of_what_larger_slices_spend_ends_after_some_trials(seed: int) -> None:
    study = tw.Study(wanted((1 / 60, 0.1, 0.25, 0.5, 1.0)), "trimtuner", seed=seed)
    for _ in range(18):
        trial = study.ask()
        study.tell(trial, measured(trial))
    assert max(t.fraction for t in study.history) >= 0.25


@pytest.mark.parametrize("name", ["trimtuner", "fabulinus"])
def test_with_any_fraction_the_best_measured_trial_is_the_answer(name: str) -> None:
    fractions = (0.1, 0.5, 1.0)
    problem = tw.Problem(
        SPACE, minimize="cost", subject_to="accuracy >= 0.6", fractions=fractions, deploy="any"
    )
    study = tw.Study(problem, name, seed=0)
    for _ in range(8):
        trial = study.ask()
        study.tell(trial, measured(trial))
    best, answer = study.history.best(problem), study.recommend()
    assert best is not None
    assert (answer.config, answer.fraction) == (best.config, best.fraction)
    assert answer.predicted_best is not None
