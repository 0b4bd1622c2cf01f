"""What is said of the best measured config by strategies that choose it without a model."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.strategy import StrategySpec

SPACE = tw.Space(tw.Real("x", 0, 1), tw.Real("y", 0, 1))


@pytest.mark.parametrize("name", ["random", "hyperband", "bohb"])
def test_a_config_that_was_lucky_once_is_not_said_to_keep_its_limit_for_sure(name: str) -> None:
    """The dearest of those that happened to stay below the limit is chosen, by its luck."""
    slices = (1.0,) if name == "random" else (0.5, 1.0)
    wanted = tw.Problem(SPACE, maximize="accuracy", subject_to="time <= 10", fractions=slices)
    rng = np.random.default_rng(0)

    def measured(x: float) -> tw.Measurement:
        return tw.Measurement({"accuracy": x, "time": 20 * x * np.exp(0.2 * rng.normal())})

    trials = [
        tw.Trial(n, {"x": float(x), "y": float(y)}, 1.0).told(measured(x))
        for n, (x, y) in enumerate(rng.random((40, 2)))
    ]
    history = tw.History(trials)
    best = history.best(wanted)
    assert best is not None and best.config["x"] > 0.5  # at its median it takes longer than allowed
    answer = StrategySpec(name).build(wanted, 0).recommend(history)
    assert answer.config == best.config
    assert 0 < answer.feasible < 0.7
    assert answer.predicted["time"].std > 0


@pytest.mark.parametrize("name", ["hyperband", "nephele", "trimtuner"])
def test_where_any_fraction_may_be_deployed_luck_is_no_certainty_either(name: str) -> None:
    wanted = tw.Problem(
        SPACE, minimize="cost", subject_to="accuracy >= 0.75", fractions=(0.5, 1.0), deploy="any"
    )
    rng = np.random.default_rng(0)

    def measured(x: float) -> tw.Measurement:
        return tw.Measurement({"accuracy": 0.72 + 0.04 * rng.normal(), "cost": 0.01 + x / 100})

    trials = [
        tw.Trial(n, {"x": float(x), "y": float(y)}, 0.5).told(measured(x))
        for n, (x, y) in enumerate(rng.random((30, 2)))
    ]
    history = tw.History(trials)
    best = history.best(wanted)
    assert best is not None  # though no config reaches it but by luck
    answer = StrategySpec(name).build(wanted, 0).recommend(history)
    assert (answer.config, answer.fraction) == (best.config, 0.5)
    assert answer.feasible < 0.7


def test_where_nothing_has_to_be_kept_the_answer_is_as_it_was_measured() -> None:
    wanted = tw.Problem(SPACE, maximize="accuracy")
    told = tw.Trial(0, {"x": 0.5, "y": 0.5}).told(tw.Measurement({"accuracy": 0.7}))
    answer = StrategySpec("random").build(wanted, 0).recommend(tw.History([told]))
    assert answer.predicted["accuracy"].mean == 0.7 and not answer.predicted_best
