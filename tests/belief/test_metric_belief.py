"""One metric: what is taken out before a surrogate learns it, and put back when it predicts."""

import math

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.adjustments import Adjustment, Growth, Price
from tunewise.belief.candidates import Candidates
from tunewise.belief.metric_belief import MetricBelief, expected_of_log, holds, on_scale
from tunewise.belief.usual.bowl import DIP, Bowl
from tunewise.history import History, Observations
from tunewise.problem import Constraint, Problem
from tunewise.surrogate import Normal
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.scale import SCALES

SPACE = tw.Space(tw.Ordinal("vms", [1, 2, 4, 8]))
PRICED = tw.Problem(SPACE, minimize="cost", price=lambda config: 3600.0 * config["vms"])
FREE = tw.Problem(SPACE, minimize="cost", fractions=(0.1, 1.0))


def seen(values: dict[int, float], fraction: float = 1.0) -> Observations:
    return Observations(
        [{"vms": vms} for vms in values],
        np.full(len(values), fraction),
        np.array(list(values.values())),
        np.full(len(values), np.nan),
    )


def learned(problem: Problem, told: Observations, *adjustments: Adjustment) -> MetricBelief:
    surrogate, metric = GaussianProcess("none"), problem.metrics["cost"]
    scale = SCALES["positive"]
    return MetricBelief.learned(problem, metric, told, surrogate, scale, adjustments)


def predicted(belief: MetricBelief, problem: Problem, vms: int, fraction: float = 1.0) -> Normal:
    return belief.natural(Candidates.of(problem, [{"vms": vms}]), fraction)


def test_where_the_price_is_known_only_seconds_are_learned() -> None:
    # Every config takes 10 seconds: a config that nobody tried costs 10 seconds of its price.
    told = seen({1: 10.0, 2: 20.0, 4: 40.0})
    belief = learned(PRICED, told, Price())
    assert float(np.asarray(predicted(belief, PRICED, 8).mean)[0]) == pytest.approx(80.0, rel=0.05)
    assert belief.surrogate.scale_ == pytest.approx(1.0)  # the targets do not differ at all


def test_a_price_that_is_to_be_ignored_is_not_taken_out() -> None:
    belief = learned(PRICED, seen({1: 10.0, 2: 20.0, 4: 40.0}))
    assert belief.offset(Candidates.of(PRICED, [{"vms": 8}]), 1.0) == pytest.approx([0.0])


def test_what_more_data_usually_adds_is_taken_out_and_put_back() -> None:
    told = seen({1: 1.0, 2: 1.0, 4: 1.0}, fraction=0.1)
    belief = learned(FREE, told, Growth(1.5))
    full, slice_ = predicted(belief, FREE, 2, 1.0), predicted(belief, FREE, 2, 0.1)
    assert float(np.asarray(slice_.mean)[0]) == pytest.approx(1.0, rel=0.05)
    ratio = np.asarray(full.mean)[0] / np.asarray(slice_.mean)[0]
    assert ratio == pytest.approx(math.exp(1.5))


def test_a_grid_has_the_predictions_of_its_columns() -> None:
    belief = learned(FREE, seen({1: 1.0, 4: 3.0}, fraction=0.1), Growth(1.5))
    candidates = Candidates.of(FREE, SPACE.configs)
    grid = belief.predict_grid(candidates, np.array([0.1, 1.0]))
    for column, fraction in enumerate((0.1, 1.0)):
        alone = belief.predict(candidates, fraction)
        assert grid[:, column].mean == pytest.approx(alone.mean)
        assert grid[:, column].std == pytest.approx(alone.std)


def test_deviations_that_were_told_are_noise_on_the_modelled_scale() -> None:
    sure = seen({1: 1.0, 2: 2.0, 4: 1.0, 8: 2.0})
    vague = Observations(sure.configs, sure.fractions, sure.values, 0.5 * sure.values)
    one, two = (
        learned(FREE, told).predict(Candidates.of(FREE, SPACE.configs), 1.0)
        for told in (sure, vague)
    )
    assert (np.asarray(two.std) > np.asarray(one.std)).all()


def test_assuming_what_is_expected_moves_no_mean_and_narrows_the_doubt() -> None:
    belief = learned(FREE, seen({1: 1.0, 8: 3.0}))
    here = Candidates.of(FREE, [{"vms": 4}])
    after = belief.assuming(here, 1.0)
    before, then = belief.predict(here, 1.0), after.predict(here, 1.0)
    assert then.mean == pytest.approx(before.mean)
    assert float(np.asarray(then.std)[0]) < 0.7 * float(np.asarray(before.std)[0])


def test_limits_hold_by_their_side_on_the_modelled_scale() -> None:
    at_most, at_least = Constraint("cost", "<=", math.e), Constraint("cost", ">=", math.e)
    believed = Normal(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    scale = SCALES["positive"]
    assert holds(at_most, believed, scale) == pytest.approx([0.8413, 0.5], abs=1e-4)
    assert holds(at_least, believed, scale) == pytest.approx([0.1587, 0.5], abs=1e-4)
    assert learned(FREE, seen({1: 1.0})).bound(at_most) == pytest.approx(1.0)


def test_an_unknown_cost_is_expected_to_be_dear_and_stays_a_number() -> None:
    believed = Normal(np.array([0.0, 0.0, 100.0]), np.array([0.0, 2.0, 100.0]))
    expected = expected_of_log(believed)
    assert expected[:2] == pytest.approx([1.0, math.exp(2.0)])
    assert expected[2] == pytest.approx(math.exp(60.0))


def test_observations_come_from_a_history_with_their_deviations() -> None:
    told = tw.Measurement({"cost": 2.0}, deviations={"cost": 0.5})
    history = History([tw.Trial(0, {"vms": 1}).told(told)])
    assert history.observations("cost").deviations == pytest.approx([0.5])


def test_what_is_lost_towards_the_ends_is_taken_out_and_put_back() -> None:
    wanted = tw.Problem(tw.Space(tw.Real("rate", 0.0, 1.0)), maximize="accuracy")
    middle, end = ({"rate": rate} for rate in (0.5, 1.0))
    told = Observations([middle], np.ones(1), np.array([0.5]), np.full(1, np.nan))
    interior, surrogate = Bowl.inside(wanted, "accuracy", 1.0), GaussianProcess("none", spread=1.0)
    assert interior is not None
    metric, scale = wanted.metrics["accuracy"], SCALES["share"]
    belief = MetricBelief.learned(wanted, metric, told, surrogate, scale, [interior])
    # One measurement in the middle says nothing of how deep the bowl is.
    candidates = Candidates.of(wanted, [middle, end])
    assert belief.offset(candidates, 1.0) == pytest.approx([0.0, -DIP])


@pytest.mark.parametrize(
    ("limit", "others", "nothing"),
    [(1.0, [2.0], 0.1), (3.0, [2.0], 0.2), (1e-13, [1e-15], 1e-16), (1.0, [], 0.1)],
)
def test_nothing_is_less_than_every_limit_and_all_else(
    limit: float, others: list[float], nothing: float
) -> None:
    wanted = tw.Problem(
        SPACE,
        maximize="accuracy",
        subject_to=[("residual", "<=", limit)],
        metrics={"residual": "positive"},
    )
    told = on_scale(wanted, wanted.metrics["residual"], np.array([0.0, *others]))
    assert told == pytest.approx(np.log([nothing, *others]))


def test_where_nothing_else_is_known_nothing_at_all_is_tiny() -> None:
    wanted = tw.Problem(SPACE, minimize="residual", metrics={"residual": "positive"})
    told = on_scale(wanted, wanted.metrics["residual"], np.zeros(2))
    assert told == pytest.approx(np.log([1e-12, 1e-12]))


def test_a_cost_of_nothing_hides_no_other_costs() -> None:
    counted = tw.Space(tw.Ordinal("vms", list(range(12))))
    wanted = tw.Problem(counted, maximize="accuracy", subject_to="cost <= 0.5")
    study = tw.Study(wanted, strategy="cherrypick", seed=0)
    for vms in (6, 0, 4, 11, 8, 2):
        study.tell(study.enqueue({"vms": vms}), {"accuracy": vms / 20, "cost": 0.1 * vms})
    best = study.recommend()
    assert 0 < best.config["vms"] <= 4 and best.feasible > 0.9


@pytest.mark.parametrize("residual", [0.0, 1e-15])
def test_a_tiny_limit_that_is_kept_by_far_is_held_to_be_kept(residual: float) -> None:
    wanted = tw.Problem(
        SPACE,
        maximize="accuracy",
        subject_to="residual <= 1e-13",
        metrics={"residual": "positive"},
    )
    study = tw.Study(wanted, strategy="cherrypick", seed=0)
    for _ in range(4):
        trial = study.ask()
        study.tell(trial, {"accuracy": trial.config["vms"] / 10, "residual": residual})
    assert study.recommend().feasible > 0.9
