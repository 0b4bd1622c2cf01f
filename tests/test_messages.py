"""Messages stay readable, whatever value stands in them."""

import random
from pathlib import Path

import pytest

import tunewise as tw
from tunewise.errors import (
    ProblemError,
    StorageError,
    StrategyError,
    StudyError,
    TunewiseError,
    nearest,
)

SPACE = tw.Space(
    tw.Choice("optimizer", ["sgd", "adam"]),
    tw.Real("momentum", 0.0, 0.99, when={"optimizer": "sgd"}),
)


@pytest.mark.parametrize("budget", ["-" + "9" * 290, "9" * 400, -(10**400), "x" * 5000])
def test_a_value_of_hundreds_of_characters_is_not_repeated(budget: str | int) -> None:
    with pytest.raises(ProblemError) as caught:
        tw.Problem(SPACE, maximize="accuracy", budget=budget)
    assert len(str(caught.value)) < 250


def test_what_stands_around_a_long_value_is_kept() -> None:
    said = str(TunewiseError(f"seed is {'7' * 1000!r}; expected a whole number"))
    assert said.startswith("seed is '777") and said.endswith("777'; expected a whole number")
    assert "1001 characters" in said


def test_nothing_to_choose_from_is_said_in_words() -> None:
    assert nearest("x", []) == "; there is none"


def test_what_is_no_problem_is_refused_in_a_sentence() -> None:
    study = tw.Study(tw.Problem(SPACE, maximize="accuracy"))
    with pytest.raises(StudyError, match=r"problem is 3; expected a tunewise\.Problem"):
        study.with_problem(3)  # type: ignore[arg-type] # that is the point


def test_a_missing_storage_is_refused_and_not_made(tmp_path: Path) -> None:
    for storage in (f"sqlite:///{tmp_path}/none.db", str(tmp_path / "none.db")):
        with pytest.raises(StorageError, match="there is no storage .*none.db"):
            tw.load_study(storage, "s")
    assert list(tmp_path.iterdir()) == []


def test_a_price_that_reads_an_absent_parameter_is_explained() -> None:
    problem = tw.Problem(SPACE, maximize="accuracy", price=lambda c: 1.0 + c["momentum"])
    expected = (
        r"price reads 'momentum', which does not apply to the config optimizer=adam; .*"
        r"config\.get\('momentum', 0\)"
    )
    with pytest.raises(ProblemError, match=expected):
        problem.hourly({"optimizer": "adam"})


def test_a_problem_shows_its_fractions_and_budget() -> None:
    problem = tw.Problem(
        SPACE, maximize="accuracy", fractions=(1 / 60, 0.25, 1.0), deploy="any", budget=5.0
    )
    assert repr(problem).endswith(
        "maximize='accuracy', fractions=(1/60, 1/4, 1), deploy='any', budget=5)"
    )


def test_a_strategy_for_one_objective_names_those_that_were_given() -> None:
    problem = tw.Problem(SPACE, minimize=["cost", "time"])
    with pytest.raises(StrategyError) as caught:
        tw.Study(problem, "machines")
    said = str(caught.value)
    assert "chebyshev" not in said
    assert "'machines' does not take several objectives (minimise cost and time)" in said


def test_a_replay_spends_no_rounding_noise_more_than_its_budget() -> None:
    rng = random.Random(0)
    for budget in (0.7, 1.1, 3.3, 1000.1):
        problem = tw.Problem(
            tw.Space.of([{"x": x} for x in range(40)]), maximize="accuracy", budget=budget
        )
        costs = [budget * rng.uniform(0.05, 0.3) for _ in range(40)]

        def job(trial: tw.Trial, costs: list[float] = costs) -> dict[str, float]:
            usd = costs[trial.config["x"]]
            return {"accuracy": 0.5, "time": 100.0 * usd, "cost": usd}

        for seed in range(5):
            with tw.Study(problem, "random", seed=seed) as study:
                study.optimize(job, trials=40, executor=tw.ReplayExecutor(), progress=False)
                assert 0.9 * budget < study.spent["cost"] <= budget
