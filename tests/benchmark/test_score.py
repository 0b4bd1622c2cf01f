"""Scores of a race say what the mean curve did."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmark.races import run
from tunewise.benchmark.measures.score import means, per_step, reached, score, scores
from tunewise.benchmark.race import Step


def cost(step: Step) -> float:
    return step.cost


def test_a_level_is_reached_when_the_mean_stays_above_it() -> None:
    assert reached([run(0.5, 0.95, 0.6, 0.92, 1.0)], 0.9, cost) == pytest.approx(4.0)
    assert reached([run(0.5, 0.95), run(0.5, 0.8)], 0.9, cost) is None
    assert reached([run(0.5, 1.0), run(0.5, 0.8)], 0.9, cost) == pytest.approx(2.0)


def test_a_seed_that_is_behind_holds_the_mean_back() -> None:
    quick, slow = run(1.0, cost=1.0), run(0.0, 0.0, 1.0, cost=2.0)
    assert reached([quick, slow], 0.9, cost) == pytest.approx(6.0)


def test_a_run_without_steps_never_reaches_anything() -> None:
    assert reached([run()], 0.5, cost) is None
    assert score([run()]).final == 0.0


def test_a_score_sums_up_all_seeds() -> None:
    summed = score([run(0.5, 1.0), run(0.5, 0.96, seed=1)])
    assert summed.final == pytest.approx(0.98)
    assert summed.worst == 0.96
    assert summed.feasible == pytest.approx(0.5)
    assert summed.cost_to == {0.9: 2.0, 0.95: 2.0, 0.99: None}
    assert summed.time_to == {0.9: 20.0, 0.95: 20.0, 0.99: None}
    assert summed.ended_at == {0.9: 2, 0.95: 2, 0.99: 1}
    assert summed.cost_interval[0.9] == (2.0, 2.0)
    assert summed.time_interval[0.9] == (20.0, 20.0)
    assert (summed.cost, summed.time, summed.trials, summed.seeds) == (2.0, 20.0, 2.0, 2)
    assert summed.seconds_per_ask == pytest.approx(0.5)


def test_each_strategy_has_its_own_score() -> None:
    listed = scores([run(1.0), run(0.5, strategy="b"), run(0.7, strategy="b", seed=1)])
    assert [(s.strategy, s.seeds) for s in listed] == [("a", 1), ("b", 2)]


def test_mean_curves_are_told_at_the_same_spendings() -> None:
    told = means([run(0.5, 1.0), run(0.2, strategy="b", cost=0.1)], "cost", 3)
    assert [at for at, _ in told["a"]] == [at for at, _ in told["b"]]
    assert told["a"] == [[pytest.approx(0.1), 0.0], [pytest.approx(0.447, 0.01), 0.0], [2.0, 1.0]]
    assert [share for _, share in told["b"]] == [0.2, 0.2, 0.2]
    assert means([run(0.5, cost=0.0)], "cost") == {"a": []}


shares = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(st.lists(shares, min_size=1, max_size=4), st.floats(0.01, 1))
def test_the_mean_at_and_after_what_was_reached_is_above_the_level(
    curves: list[list[float]], level: float
) -> None:
    runs = [run(*curve, seed=i) for i, curve in enumerate(curves)]
    found = reached(runs, level, cost)

    def mean(at: float) -> float:
        last = [[0.0, *(s.share for s in r.steps if s.cost <= at)][-1] for r in runs]
        return sum(last) / len(last)

    efforts = [float(n) for n in range(9)]
    if found is None:
        assert mean(9.0) < level + 1e-6
    else:
        assert all(mean(at) >= level - 1e-6 for at in efforts if at >= found)
        assert mean(found - 0.5) < level + 1e-6


def test_a_recommendation_that_misses_a_limit_counts_as_nothing_in_the_strict_share() -> None:
    found = score([run(0.5, 1.0), run(0.5, 0.8, seed=1)])
    assert found.final == pytest.approx(0.9)
    assert found.strict == pytest.approx(0.5), "0.8 of the optimum, but outside of the limits"


def test_data_and_cost_of_trials_are_told_on_average_and_step_by_step() -> None:
    runs = [run(0.5, 1.0, cost=2.0), run(0.5, 0.8, 0.9, cost=4.0, seed=1)]
    found = score(runs)
    assert found.fraction == pytest.approx((1 + 0.5 + 1 + 0.5 + 1) / 5)
    assert found.cost_per_trial == pytest.approx((2 * 2 + 3 * 4) / 5)
    assert per_step(runs) == [[1.0, 1.0, 3.0], [2.0, 0.5, 3.0], [3.0, 1.0, 4.0]]
    assert per_step([]) == []


def test_curves_may_count_trials_or_the_time_of_trials_and_strategy_together() -> None:
    by_trials = means([run(0.5, 1.0)], "trials")["a"]
    assert [by_trials[0][0], by_trials[-1][0]] == pytest.approx([1.0, 2.0])
    together = means([run(0.5, 1.0)], "total")["a"]
    assert together[-1] == pytest.approx([22.0, 1.0]), "twenty seconds of trials, two of thought"


def test_a_seed_that_could_afford_no_trial_counts_as_nothing() -> None:
    """As it does in the curves; its seed is counted too."""
    found = score([run(0.5, 1.0), run(seed=1)])
    assert (found.seeds, found.final, found.strict, found.worst) == (2, 0.5, 0.5, 0.0)
    assert (found.feasible, found.cost, found.time, found.trials) == (0.5, 1.0, 10.0, 1.0)
    assert found.ended_at == {0.9: 1, 0.95: 1, 0.99: 1}
    assert found.cost_to[0.9] is None, "the mean of both never gets there"
