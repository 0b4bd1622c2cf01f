import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.candidates import Candidates
from tunewise.belief.model import Model
from tunewise.belief.usual.bowl import DIP, Bowl
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.strategy.loop.model_based import ModelBased

SPACE = tw.Space(
    tw.Choice("kind", ["a", "b", "c"]),
    tw.Real("rate", 1e-4, 1e-2, log=True),
    tw.Ordinal("width", [1, 2, 4]),
    tw.Integer("layers", 1, 5),
)
PROBLEM = Problem(SPACE, maximize="accuracy", subject_to=["time <= 10"])


def loss_at(rate: float, layers: int, problem: Problem = PROBLEM) -> float:
    interior = Bowl.inside(problem, problem.objective, 1.0)
    assert interior is not None
    config = {"kind": "b", "rate": rate, "width": 4, "layers": layers}
    return float(interior.offset(Candidates.of(problem, [config]), 1.0)[0])


def test_nothing_is_lost_in_the_middle_and_all_in_a_corner() -> None:
    assert loss_at(1e-3, 3) == pytest.approx(0.0)
    assert loss_at(1e-4, 1) == loss_at(1e-2, 5) == pytest.approx(-DIP)


def test_each_range_counts_alike_and_its_loss_grows_with_the_square() -> None:
    assert loss_at(1e-2, 3) == loss_at(1e-3, 1) == pytest.approx(-DIP / 2)
    assert loss_at(1e-3, 2) == pytest.approx(-DIP / 2 / 4)


def test_listed_values_have_no_ends_that_anything_is_lost_at() -> None:
    listed = tw.Space(tw.Choice("kind", ["a", "b"]), tw.Ordinal("width", [1, 2, 4]))
    assert Bowl.inside(Problem(listed, maximize="accuracy"), "accuracy", 1.0) is None
    one = tw.Space(tw.Real("rate", 0.1, 0.1), tw.Ordinal("width", [1, 2]))
    assert Bowl.inside(Problem(one, maximize="accuracy"), "accuracy", 1.0) is None


def test_where_less_is_better_the_ends_are_higher() -> None:
    problem = Problem(SPACE, minimize="loss")
    assert loss_at(1e-4, 1, problem) == pytest.approx(DIP)


@pytest.mark.parametrize("metric", ["cost", "time"])
def test_cost_and_time_may_well_be_least_at_an_end(metric: str) -> None:
    assert Bowl.inside(Problem(SPACE, minimize=metric), metric, 1.0) is None


def test_only_the_objective_is_believed_to_be_best_inside() -> None:
    assert Bowl.inside(PROBLEM, "time", 1.0) is None


def test_what_does_not_differ_loses_nothing() -> None:
    assert Bowl.inside(PROBLEM, "accuracy", 0.0) is None


def learned(problem: Problem, values: list[float], fractions: list[float]) -> float:
    """The dip after measurements in the middle and in a corner in turn."""
    interior = Bowl.inside(problem, problem.objective, 1.0)
    assert interior is not None
    places = [at(1e-3, 3), at(1e-2, 5)] * (len(values) // 2)
    seen = Candidates.of(problem, places)
    return interior.fit(seen, np.array(fractions), np.array(values)).dip


def test_how_deep_the_bowl_is_is_learned() -> None:
    # away = 0, 1: centred -1/2, 1/2, so away @ away = 1/2 and away @ value = -depth / 2; the prior
    # precision is 1 / (2 / 2)^2 = 1, that of the rest 1 / 0.5^2 = 4: (2 + 2 depth) / (1 + 2).
    assert learned(PROBLEM, [1.0, 0.0], [1.0, 1.0]) == pytest.approx((2 + 2) / 3)
    assert learned(PROBLEM, [0.0, 0.0], [1.0, 1.0]) == pytest.approx(2 / 3)
    assert learned(PROBLEM, [0.0, 3.0], [1.0, 1.0]) == pytest.approx((2 - 6) / 3)
    assert learned(Problem(SPACE, minimize="loss"), [0.0, 0.0], [1.0, 1.0]) == pytest.approx(-2 / 3)


def test_what_slices_lose_is_no_bowl() -> None:
    alike = learned(PROBLEM, [1.0, 0.0], [1.0, 1.0])
    twice = learned(PROBLEM, [1.0, 0.0, -9.0, -10.0], [1.0, 1.0, 0.1, 0.1])
    assert twice == pytest.approx((2 + 4) / 5) and alike == pytest.approx(4 / 3)
    assert learned(PROBLEM, [1.0, -9.0], [1.0, 0.1]) == pytest.approx(2.0)


def at(rate: float, layers: int) -> dict[str, object]:
    return {"kind": "a", "rate": rate, "width": 1, "layers": layers}


def believed(wanted: Problem, inside: bool, *told: tuple[dict[str, object], float]) -> np.ndarray:
    """The expected objective in the middle and in a corner."""
    history = History(
        Trial(i, config).told(tw.Measurement({wanted.objective: value, "time": 1.0}))
        for i, (config, value) in enumerate(told)
    )
    belief = Model(inside=inside).learn(wanted, history, False, None).metrics[wanted.objective]
    places = Candidates.of(wanted, [at(1e-3, 3), at(1e-2, 5)])
    return np.asarray(belief.predict(places, 1.0).mean)


def test_what_was_measured_in_the_middle_is_not_expected_of_a_corner() -> None:
    told = (at(1e-3, 3), 0.8)
    middle, corner = believed(PROBLEM, True, told)
    assert middle == pytest.approx(believed(PROBLEM, False, told)[0], abs=0.05)
    assert corner < middle - DIP / 2
    assert believed(PROBLEM, False, told)[1] == pytest.approx(middle, abs=0.05)


def test_measurements_at_the_ends_correct_what_was_expected_there() -> None:
    told = [(at(1e-3, 3), 0.6), (at(1e-2, 5), 0.9), (at(1e-2, 4), 0.85), (at(7e-3, 5), 0.85)]
    middle, corner = believed(PROBLEM, True, *told)
    assert corner > middle + 0.5


@pytest.mark.parametrize(("options", "dip"), [({}, DIP), ({"inside": False}, 0.0)])
def test_trimtuner_expects_the_best_inside_unless_it_is_told_not_to(
    options: dict[str, bool], dip: float
) -> None:
    strategy = tw.strategy("trimtuner", candidates=20, **options).build(PROBLEM, 0)
    assert isinstance(strategy, ModelBased)
    told = Trial(0, at(1e-3, 3)).told(tw.Measurement({"accuracy": 0.8, "time": 1.0}))
    posterior = strategy.posterior(History([told]))
    assert posterior is not None
    places = Candidates.of(PROBLEM, [at(1e-3, 3), at(1e-2, 5)])
    assert posterior.objective.offset(places, 1.0) == pytest.approx([0.0, -dip])


def test_of_a_metric_of_unknown_size_it_is_as_much_as_its_values_differ() -> None:
    wanted = Problem(SPACE, minimize="loss")
    small = believed(wanted, True, (at(1e-3, 3), 1.0), (at(2e-3, 3), 1.2))
    large = believed(wanted, True, (at(1e-3, 3), 100.0), (at(2e-3, 3), 120.0))
    assert small[1] > small[0] and large == pytest.approx(100 * small)
    alone = believed(wanted, True, (at(1e-3, 3), 1.0))
    assert alone == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_tiny_and_huge_metrics_have_a_bowl_too(unit: float) -> None:
    wanted = Problem(SPACE, minimize="loss")
    interior = Bowl.inside(wanted, "loss", unit)
    assert interior is not None
    places = Candidates.of(wanted, [at(1e-3, 3), at(1e-2, 5)])
    assert interior.fit(places, np.ones(2), np.zeros(2)).dip == pytest.approx(-2 / 3 * unit)
