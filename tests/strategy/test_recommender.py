"""Which config is recommended, and which trials may be risked, on beliefs that are written down."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran, written
from tunewise.belief.posterior import Posterior
from tunewise.errors import StrategyError, TunewiseWarning
from tunewise.history import History
from tunewise.strategy.loop.affordability import Growth, everything
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.strategy import Recommendation
from tunewise.study.doubts import warned

CAP = 0.1
LIMITED = problem(3, (0.5, 1.0), maximize="accuracy", subject_to=f"cost <= {CAP}")
# On the full data: 0 is poor and cheap, 1 good and cheap enough, 2 best and too dear.
ACCURACY = ([0.0, 0.0, 0.0, 1.0, 0.0, 2.0], [0.2] * 6)
COST = ([log(0.01), log(0.02), log(0.03), log(0.05), log(0.1), log(0.3)], [0.2] * 6)
BELIEFS = {"accuracy": ACCURACY, "cost": COST}
TESTED = PredictedBest(0.9, tested=True)


def test_the_best_of_those_that_safely_keep_the_limits_is_recommended() -> None:
    answer = PredictedBest(0.9)(written(LIMITED, BELIEFS))
    assert answer.config == {"x": 1} and answer.fraction == 1.0
    assert answer.feasible == pytest.approx(0.9997, abs=1e-3)


def test_where_limits_are_unseen_the_best_is_recommended_whatever_it_costs() -> None:
    assert PredictedBest(least=None)(written(LIMITED, BELIEFS)).config == {"x": 2}


def test_among_tested_configs_only_those_with_a_complete_trial_count() -> None:
    history = History([ran(0, 0.5, accuracy=0.5, cost=0.01)])
    tested = PredictedBest(least=None, tested=True)
    assert tested(written(LIMITED, BELIEFS, history)).config == {"x": 0}


def test_where_nothing_is_safe_the_likeliest_is_recommended_and_it_says_so() -> None:
    # Config 1 may cost anything around 0.3 USD; the others surely cost more than allowed.
    cost = ([log(0.3)] * 6, [0.01, 0.01, 1, 1, 0.01, 0.01])
    answer = PredictedBest(0.9)(written(LIMITED, {"accuracy": ACCURACY, "cost": cost}))
    assert answer.config == {"x": 1} and answer.feasible < 0.2
    assert "90 % or more" in answer.warning and "14 %" in answer.warning
    assert answer.describe()["warning"] == answer.warning
    assert Recommendation.from_description(answer.describe()) == answer


def test_where_all_are_expected_to_break_the_limit_the_nearest_miss_leads() -> None:
    # Config 0 misses by half as much again; config 2 by much more, but hardly anything is known.
    cost = ([log(0.15)] * 2 + [log(0.3)] * 2 + [log(0.6)] * 2, [0.1] * 4 + [1.0] * 2)
    posterior = written(LIMITED, {"accuracy": ACCURACY, "cost": cost})
    answer = PredictedBest(0.9)(posterior)
    assert answer.config == {"x": 0} and answer.feasible < 0.01 and answer.warning
    assert posterior.feasible()[2, -1] > 0.03


def test_of_equally_likely_configs_the_better_one_is_recommended() -> None:
    dear = {**BELIEFS, "cost": ([log(0.12)] * 6, [0.2] * 6)}
    assert PredictedBest(0.9)(written(LIMITED, dear)).config == {"x": 2}


def test_where_less_is_better_nothing_makes_up_for_a_broken_limit() -> None:
    posed = problem(3, minimize="time", subject_to="accuracy >= 0.5")
    # The first takes a thousandth of the time and learns nothing; two may keep the limit.
    times = ([log(0.01), log(10.0), log(20.0)], [0.1, 0.1, 0.1])
    accuracies = ([-5.0, 0.2, 0.25], [1.0, 1.0, 1.0])
    answer = PredictedBest(0.9)(written(posed, {"time": times, "accuracy": accuracies}))
    assert answer.config == {"x": 2}


def test_what_is_chosen_by_is_what_is_stated() -> None:
    """The belief that steers is sure of config 1; the one that is stated is not."""

    def believed(deviation: float) -> Posterior:
        cost = ([log(0.01)] * 2 + [log(0.05)] * 2 + [log(0.9)] * 2, [0.1] * 2 + [deviation] * 4)
        return written(LIMITED, {"accuracy": ACCURACY, "cost": cost})

    posterior = believed(0.05)
    assert PredictedBest(0.9)(posterior).config == {"x": 1}
    vars(posterior)["stated"] = believed(0.8)
    answer = PredictedBest(0.9)(posterior)
    assert answer.config == {"x": 0} and answer.feasible >= 0.9 and not answer.warning


def test_one_measurement_within_the_limit_does_not_make_sure_of_it() -> None:
    lucky = [ran(2, number=n, accuracy=0.9, cost=0.09) for n in range(1)]
    assert PredictedBest(0.9)(written(LIMITED, BELIEFS, History(lucky))).config == {"x": 1}


def test_where_any_fraction_may_be_deployed_the_best_measured_is_the_answer() -> None:
    wanted = problem(3, (0.5, 1.0), minimize="cost", subject_to="accuracy >= 0.4", deploy="any")
    history = History(
        [ran(0, 0.5, accuracy=0.5, cost=0.02), ran(1, 0.5, 1, accuracy=0.2, cost=0.01)]
    )
    answer = PredictedBest(0.9)(
        written(wanted, {**BELIEFS, "cost": ([-3.0, -2, -5, -2, -1, -1], [0.1] * 6)}, history)
    )
    assert (answer.config, answer.fraction) == ({"x": 0}, 0.5)
    beside = answer.predicted_best
    assert beside is not None and (beside.config, beside.fraction) == ({"x": 1}, 0.5)


FULL = problem(3, maximize="accuracy", subject_to=f"cost <= {CAP}")
AT_FULL = {
    "accuracy": ([0.0, 1.0, 2.0], [0.2] * 3),
    "cost": ([log(0.02), log(0.05), log(0.06)], [0.2] * 3),
}


def test_of_what_was_tried_the_best_that_keeps_the_limits_is_recommended() -> None:
    history = History([ran(0, accuracy=0.6, cost=0.02), ran(1, number=1, accuracy=0.7, cost=0.5)])
    answer = TESTED(written(FULL, AT_FULL, history))
    assert answer.config == {"x": 1}
    assert float(answer.predicted["accuracy"].mean) == pytest.approx(0.73, abs=0.01)


def test_luck_alone_keeps_no_limit() -> None:
    # On the full data 0 costs 0.02 USD, and 1 and 2 are held to break the limit of 0.1: 2 by more.
    cost = [log(0.02), log(0.12), log(0.2)], [0.2] * 3
    within = [ran(x, number=x, accuracy=0.6 + x / 10, cost=0.09) for x in range(3)]
    beliefs = {**AT_FULL, "cost": cost}
    assert TESTED(written(FULL, beliefs, History(within))).config == {"x": 0}
    assert TESTED(written(FULL, beliefs, History(within[1:]))).config == {"x": 1}


def test_over_a_range_what_no_neighbour_has_is_held_to_be_noise() -> None:
    wanted = tw.Problem(tw.Space(tw.Real("x", 0, 1)), maximize="accuracy", subject_to="time <= 100")
    study = tw.Study(wanted, strategy="cherrypick", seed=0)
    # Rising by half from end to end; the last, best config is the only one below 100 of its half.
    for place in range(11):
        study.enqueue({"x": place / 10})
        seconds = 95.0 if place == 10 else 70 + 90 * place / 10
        study.tell(study.ask(), {"accuracy": 0.5 + place / 40, "time": seconds})
    answer = study.recommend()
    assert answer.config["x"] in (0.1, 0.2) and answer.feasible >= 0.9


def test_beside_the_best_tried_stands_what_is_predicted_to_be_better() -> None:
    history = History([ran(0, accuracy=0.6, cost=0.02)])
    answer = TESTED(written(FULL, AT_FULL, history))
    assert answer.config == {"x": 0}
    assert answer.predicted_best is not None and answer.predicted_best.config == {"x": 2}
    worse = {**AT_FULL, "accuracy": ([0.5, 0.4, 0.3], [0.2] * 3)}
    same = TESTED(written(FULL, worse, history)).predicted_best
    assert same is not None and same.config == {"x": 0}


def test_without_a_feasible_measurement_the_nearest_miss_is_recommended() -> None:
    missed = History([ran(0, accuracy=0.6, cost=0.5), ran(1, number=1, accuracy=0.5, cost=0.2)])
    answer = best_measured(FULL, missed)
    assert answer.config == {"x": 1} and answer.feasible == 0.0
    with pytest.raises(StrategyError, match="no trial at the full data is complete"):
        best_measured(LIMITED, History([ran(0, 0.5, accuracy=0.6, cost=0.5)]))


def test_a_recommendation_with_a_note_is_stored_and_not_supported() -> None:
    noted = Recommendation({"x": 1}, 1.0, {}, 0.5, note="no trial supports it")
    assert not noted.supported and Recommendation({"x": 1}).supported
    assert Recommendation.from_description(noted.describe()) == noted
    assert "note" not in Recommendation({"x": 1}).describe()


def test_a_recommendation_that_nothing_supports_is_warned_of_without_limits_too() -> None:
    noted = Recommendation({"x": 1}, note="no trial supports it", limited=False)
    assert noted.warning == "the recommended config is a guess: no trial supports it"
    with pytest.warns(TunewiseWarning, match=noted.warning):
        assert warned(noted) is noted
    # Where a limit may be broken, that is said, and that nobody knows how likely it is.
    doubted = replace(noted, feasible=0.5, least=0.9, limited=True).warning
    assert doubted.startswith("no config was found") and doubted.endswith("is not known yet")


def test_no_trial_may_spend_much_more_than_was_spent_even_if_unlucky() -> None:
    history = History([ran(0, 0.5, accuracy=0.5, cost=0.04)])
    posterior = written(LIMITED, BELIEFS, history)
    # Two deviations up trials cost 1.49 times what is expected; 0.06 USD are allowed.
    allowed = Growth(1.5)(posterior, posterior.open)
    assert allowed.tolist() == [1, 2]
    assert Growth(None)(posterior, posterior.open).tolist() == posterior.open.tolist()
    assert everything(posterior, posterior.open) is posterior.open


def test_the_cheapest_trial_is_always_allowed() -> None:
    broke = History([ran(0, 0.5, accuracy=0.5, cost=1e-6)])
    posterior = written(LIMITED, BELIEFS, broke)
    assert Growth(1.5)(posterior, posterior.open).tolist() == [1]


def test_spending_is_trusted_to_grow_in_proportion_at_most() -> None:
    vague = {**BELIEFS, "cost": (COST[0], [0.01, 3.0, 0.01, 3.0, 0.01, 3.0])}
    little, much = (History([ran(0, 0.5, accuracy=0.5, cost=usd)]) for usd in (0.01, 0.04))
    assert 1 not in Growth(1.5)(written(LIMITED, vague, little), np.arange(6))
    assert 1 in Growth(1.5)(written(LIMITED, vague, much), np.arange(6))


def test_trials_that_will_probably_fail_are_left_out_unless_all_will() -> None:
    doubtful = {**BELIEFS, "success": ([1.0, 1.0, 0.0, 0.0, 1.0, 1.0], [0.3] * 6)}
    posterior = written(LIMITED, doubtful)
    assert Growth(None)(posterior, np.arange(6)).tolist() == [0, 1, 4, 5]
    hopeless = {**BELIEFS, "success": ([0.0] * 6, [0.1] * 6)}
    assert Growth(None)(written(LIMITED, hopeless), np.arange(6)).tolist() == list(range(6))


def test_a_suggestion_says_what_it_is_expected_to_cost() -> None:
    strategy = tw.strategy("eic", initial=2).build(FULL, 0)
    told = [ran(0, accuracy=0.6, cost=0.02), ran(1, number=1, accuracy=0.7, cost=0.03)]
    asked = strategy.suggest(History(told), 1)[0]
    assert asked.cost is not None and 0.001 < asked.cost < 10
    assert strategy.suggest(History(), 1)[0].cost is None


def test_what_is_predicted_to_be_better_is_on_the_full_data_unless_any_may_be_deployed() -> None:
    """Slices are cheaper: where the full data is deployed that is no merit."""
    beliefs = {"cost": ([-5.0, -1.0, -6.0, -2.0, -4.0, -0.5], [0.1] * 6)}
    history = History([ran(2, 1.0, cost=0.6)])
    for deploy, expected in (("full", ({"x": 1}, 1.0)), ("any", ({"x": 1}, 0.5))):
        wanted = problem(3, (0.5, 1.0), minimize="cost", deploy=deploy)
        better = TESTED(written(wanted, beliefs, history)).predicted_best
        assert better is not None and (better.config, better.fraction) == expected


def test_while_only_slices_are_known_and_nothing_is_sure_what_is_best_on_them_leads() -> None:
    # More data may bring anything, to both alike; the first is a little likelier to keep the limit.
    beliefs = {
        "accuracy": ([0.2, 1.2, 1.4, 1.4], [0.1, 1.6, 0.1, 1.6]),
        "time": ([-1.1, -0.1, -0.9, 0.3], [0.05, 1.6, 0.05, 1.6]),
    }
    posed = problem(2, (0.25, 1.0), maximize="accuracy", subject_to="time <= 2")
    slices = [ran(x, 0.25, x, accuracy=0.55 + x / 4, time=0.3 + x / 10) for x in (0, 1)]
    assert PredictedBest()._of(written(posed, beliefs, History(slices))).config == {"x": 1}
    full = [ran(x, 1.0, x, accuracy=0.55 + x / 4, time=0.3 + x / 10) for x in (0, 1)]
    assert PredictedBest()._of(written(posed, beliefs, History(full))).config == {"x": 0}


def test_without_limits_a_doubt_is_about_failing_alone() -> None:
    doubted = Recommendation({"x": 1}, feasible=0.5, least=0.9, limited=False)
    assert "limits" not in doubted.warning and "comes to its end" in doubted.warning


@pytest.mark.parametrize(("feasible", "said"), [(0.001, "with < 1 %"), (0.5, "not known yet")])
def test_what_surely_breaks_a_limit_does_however_vague_it_is(feasible: float, said: str) -> None:
    vague = Recommendation({"x": 1}, 1.0, {"time": tw.Normal(1.0, 5.0)}, feasible, least=0.9)
    assert said in vague.warning and said.removeprefix("with ") in repr(vague)
