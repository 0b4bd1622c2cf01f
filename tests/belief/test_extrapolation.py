"""From slices to the full data: what is assumed, what is learned, and how sure it is."""

import math

import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran
from tunewise.belief.extrapolation import Extrapolation
from tunewise.belief.usual.slopes import PER_DECADE, usual_per_decade
from tunewise.history import History, Trial

SLICES = (0.01, 0.1, 1.0)
LIMITED = problem(4, SLICES, maximize="accuracy", subject_to=["cost <= 1"])


def extrapolation(*trials: Trial, wanted: tw.Problem = LIMITED) -> Extrapolation:
    return Extrapolation.of(wanted, History(trials))


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_what_was_measured_on_the_full_data_is_certain() -> None:
    trial = ran(0, 1.0, accuracy=0.7, cost=2.0)
    cost = extrapolation(trial)._modelled(trial, "cost")
    assert (cost.mean, cost.std) == pytest.approx((math.log(2.0), 0.0))


def test_before_a_config_climbed_costs_rise_and_shares_improve_as_usual() -> None:
    trial = ran(0, 0.1, accuracy=0.7, cost=0.05)
    carried = extrapolation(trial)
    cost, accuracy = carried._modelled(trial, "cost"), carried._modelled(trial, "accuracy")
    assert cost.mean == pytest.approx(math.log(0.05) + PER_DECADE["effort"])
    assert accuracy.mean == pytest.approx(logit(0.7) + PER_DECADE["share"])
    # Half of what more data usually does, and what single configs differ by.
    assert cost.std == pytest.approx(math.hypot(0.5 * PER_DECADE["effort"], 0.3))


def test_the_doubt_grows_with_what_is_left_of_the_way() -> None:
    near, far = ran(0, 0.1, 0, accuracy=0.7, cost=0.05), ran(1, 0.01, 1, accuracy=0.7, cost=0.05)
    carried = extrapolation(near, far)
    one, two = (carried._modelled(t, "cost") for t in (near, far))
    assert two.mean - one.mean == pytest.approx(PER_DECADE["effort"])
    noise = carried.slopes["cost"].noise
    assert two.std**2 - noise == pytest.approx(4 * (one.std**2 - noise))


def test_configs_that_climbed_teach_the_slope_of_all_others() -> None:
    climbed = [
        ran(x, s, 2 * x + place, accuracy=0.5, cost=usd)
        for x in (0, 1, 2)
        for place, (s, usd) in enumerate([(0.01, 0.01), (0.1, 0.01 * math.e)])
    ]
    other = ran(3, 0.1, 9, accuracy=0.5, cost=0.1)
    # Ten times the data adds 1 to the log of cost here, which is 0.8 less than usual.
    slope = extrapolation(*climbed, other).slopes["cost"]
    assert slope.mean == pytest.approx(1 - PER_DECADE["effort"], abs=0.05)
    foretold = extrapolation(*climbed, other)._modelled(other, "cost")
    assert foretold.mean == pytest.approx(math.log(0.1) + 1, abs=0.05)
    assert foretold.std < 0.5


def test_snapshots_teach_the_slope_too() -> None:
    passing = Trial(0, {"x": 0}, 0.1).told(
        tw.Measurement({"accuracy": 0.5, "cost": 0.05}, {0.01: {"cost": 0.05}})
    )
    assert extrapolation(passing).slopes["cost"].mean < -0.5


def test_limits_come_before_the_objective_and_count_on_the_full_data() -> None:
    dear = ran(0, 0.1, 0, accuracy=0.9, cost=0.5)
    cheap = ran(1, 0.1, 1, accuracy=0.6, cost=0.01)
    cheaper = ran(2, 0.1, 2, accuracy=0.5, cost=0.001)
    carried = extrapolation(dear, cheap, cheaper)
    ranked = sorted([dear, cheap, cheaper], key=carried.standing)
    assert [t.number for t in ranked] == [1, 2, 0]
    assert carried.standing(cheap) == pytest.approx((0.0, -0.6))
    expected = 0.5 * math.exp(PER_DECADE["effort"])
    assert carried.standing(dear)[0] == pytest.approx(expected - 1)


def test_less_is_better_where_the_objective_is_minimised() -> None:
    least = problem(2, SLICES, minimize="cost")
    one, two = ran(0, 0.1, 0, cost=0.1), ran(1, 0.1, 1, cost=0.2)
    carried = extrapolation(one, two, wanted=least)
    assert carried.standing(one) < carried.standing(two)


def test_the_probability_of_keeping_the_limits_is_of_the_full_data() -> None:
    usd = 1 / math.exp(PER_DECADE["effort"])  # expected to cost just the limit
    on_the_limit, far_below = ran(0, 0.1, 0, accuracy=0.5, cost=usd), ran(1, 1.0, 1, cost=0.2)
    carried = extrapolation(on_the_limit, far_below)
    assert carried.feasible(on_the_limit) == pytest.approx(0.5)
    assert carried.feasible(far_below) == pytest.approx(1.0)
    assert carried.feasible(ran(2, 1.0, 2, cost=1.5)) == pytest.approx(0.0)


def test_where_any_fraction_may_be_deployed_nothing_is_carried_anywhere() -> None:
    anywhere = problem(2, SLICES, minimize="cost", subject_to=["accuracy >= 0.5"], deploy="any")
    trial = ran(0, 0.01, accuracy=0.6, cost=0.05)
    carried = extrapolation(trial, wanted=anywhere)
    assert carried._modelled(trial, "cost").mean == pytest.approx(math.log(0.05))
    assert carried.feasible(trial) == pytest.approx(1.0)


def test_metrics_that_data_does_nothing_usual_to_stay_as_they_are() -> None:
    wanted = problem(2, SLICES, maximize="reward", metrics=["reward"])
    trial = ran(0, 0.01, reward=3.0)
    reward = extrapolation(trial, wanted=wanted)._modelled(trial, "reward")
    assert (reward.mean, reward.std) == pytest.approx((3.0, 0.0))


def test_more_data_improves_a_share_whichever_way_that_is() -> None:
    def usual(name: str, **wanted: object) -> float:
        return usual_per_decade(problem(2, SLICES, **wanted), name)

    share = PER_DECADE["share"]
    assert usual("accuracy", maximize="accuracy") == share
    assert usual("accuracy", minimize="accuracy") == -share
    assert usual("accuracy", minimize="cost", subject_to="accuracy >= 0.5") == share
    errors = {"metrics": {"error": "share"}}
    assert usual("error", minimize="error", **errors) == -share
    assert usual("error", maximize="accuracy", subject_to="error <= 0.1", **errors) == -share
    assert usual("time", maximize="accuracy") == usual("cost", maximize="accuracy") == 1.8
    assert usual("unheard of", maximize="accuracy") == 0.0
