"""What the model of machines weighs, by hand on two clusters."""

from math import exp, inf, log
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.extras import late
from tunewise.acquisition.improvement import (
    expected_improvement,
    log_normal_improvement,
    probability_of_improvement,
    upper_confidence_bound,
)
from tunewise.acquisition.optimality import OptimalityPerUsd, improvement, promise
from tunewise.belief.machines.ensemble import EnsembleBelief
from tunewise.belief.machines.pool import MachinePool
from tunewise.belief.machines.posterior import MachinePosterior
from tunewise.belief.machines.wanted import Wanted
from tunewise.history import History
from tunewise.strategy.loop.affordability import payable_clusters
from tunewise.surrogate import Normal

norm = late("scipy.stats", "norm")

SPACE = tw.Space(tw.Ordinal("nodes", [1, 2, 4]))


def posterior(
    budget: float | None = None, billing: tw.Billing | None = None, **believed: Any
) -> MachinePosterior:
    """Three clusters of 1 USD an hour; each sample of the log seconds is written down."""
    problem = tw.Problem(
        SPACE,
        minimize="cost",
        subject_to="time <= 3600",
        price=lambda c: 1.0,
        budget=budget,
        billing=billing,
    )
    wanted = Wanted.of(problem)
    assert wanted is not None
    pool = MachinePool(problem, wanted, SPACE.configs, 0)
    made = MachinePosterior(problem, History(), pool, wanted, np.arange(3), None)
    samples = np.log([[[1800.0, 900.0, 7200.0], [600.0, 900.0, 7200.0]]])
    times = EnsembleBelief(np.ones(1), samples.mean(1), np.full((1, 3), 0.09), samples, np.zeros(1))
    made.__dict__.update({"times": times, "best": inf, **believed})
    return made


def test_the_promise_is_the_share_of_samples_in_which_a_config_is_the_best() -> None:
    # In the first sample config 1 is the cheapest, in the second config 0; config 2 is too slow.
    rng = np.random.default_rng(0)
    assert promise(posterior(), np.arange(3), rng).tolist() == [0.5, 0.5, 0.0]
    # Of 1 and 2 alone, 1 always is; and nothing promises what an incumbent of 0.1 USD has.
    assert promise(posterior(), np.array([1, 2]), rng).tolist() == [1.0, 0.0]
    assert promise(posterior(best=log(0.1)), np.arange(3), rng).tolist() == [0.0, 0.0, 0.0]


def test_within_ten_per_cent_two_configs_are_equally_good() -> None:
    samples = np.log([[[1000.0, 1090.0, 1110.0]]])
    times = EnsembleBelief(np.ones(1), samples[0], np.full((1, 3), 0.09), samples, np.zeros(1))
    rng = np.random.default_rng(0)
    assert promise(posterior(times=times), np.arange(3), rng).tolist() == [1.0, 1.0, 0.0]


def test_nothing_is_to_be_found_where_the_incumbent_is_nearly_the_best() -> None:
    # 900 s are 0.25 USD, 600 s are 0.167 USD. With an incumbent of 0.26 USD only the second sample
    # has a best config that is more than 10 % better: config 0.
    rng = np.random.default_rng(0)
    assert promise(posterior(best=log(0.26)), np.arange(3), rng).tolist() == [0.5, 0.0, 0.0]
    assert promise(posterior(best=log(0.28)), np.arange(3), rng).tolist() == [0.5, 0.5, 0.0]


def test_worth_counts_per_usd() -> None:
    made = posterior(spending=np.array([1.0, 0.1, 1.0]))
    worth = OptimalityPerUsd()(made, np.arange(3), np.random.default_rng(0))
    alone = worth * np.array([1.0, 0.1, 1.0])
    assert alone == pytest.approx([0.5, 0.5, 0.0], abs=1e-9)
    assert worth.argmax() == 1


def test_what_promises_nothing_is_told_apart_by_its_improvement_per_usd() -> None:
    # No sample is below an incumbent of 0.1 USD; some costs of configs 0 and 1 would be.
    made = posterior(best=log(0.1), spending=np.array([1.0, 0.1, 1.0]))
    worth = OptimalityPerUsd()(made, np.arange(3), np.random.default_rng(0))
    gains = improvement(made, np.arange(3)) / [1.0, 0.1, 1.0]
    assert worth == pytest.approx(1e-12 * gains, rel=1e-4, abs=1e-22)
    assert gains[1] > gains[0] > gains[2]


def test_spending_without_a_stop_is_the_expectation_of_a_log_normal() -> None:
    made = posterior()
    usd = np.exp(made.times.mean[0] + 0.5 * 0.09) / 3600
    assert made.spending == pytest.approx(usd)


def test_improvement_is_the_share_of_the_incumbent_saved_within_the_limits() -> None:
    made = posterior(best=log(0.5))
    mean, std = made.times.mean[0, 0] - log(3600), 0.3
    a = (log(0.5) - mean) / std
    by_hand = norm.cdf(a) - exp(mean - log(0.5) + std**2 / 2) * norm.cdf(a - std)
    assert improvement(made, np.array([0]))[0] == pytest.approx(by_hand)


def test_without_an_incumbent_it_is_what_is_saved_of_the_dearest_expected_cost() -> None:
    made = posterior()
    # Config 2 is expected to take two hours at 1 USD an hour; the limit is one hour.
    mean, std = made.times.mean[0, 0] - log(3600), 0.3
    a = (log(1.0) - mean) / std
    by_hand = norm.cdf(a) - exp(mean - log(2.0) + std**2 / 2) * norm.cdf(a - std)
    assert improvement(made, np.arange(3))[0] == pytest.approx(by_hand)


def test_without_an_incumbent_the_least_bill_may_be_the_dearest_expected_cost() -> None:
    made = posterior(billing=tw.Billing(tick=1.0, minimum=36_000.0))
    # Ten hours are billed whatever is used: that costs 10 USD, of which nothing is saved.
    assert made.least == pytest.approx(np.full(3, log(10.0)))
    assert improvement(made, np.arange(3)) == pytest.approx(np.zeros(3))


def test_log_normal_improvement_is_the_integral_it_stands_for() -> None:
    rng = np.random.default_rng(0)
    drawn = np.exp(-0.2 + 0.5 * rng.standard_normal(400_000))
    saved = np.where(drawn <= 0.8, np.maximum(1 - drawn / 1.2, 0.0), 0.0).mean()
    told = log_normal_improvement(
        Normal(np.array([-0.2]), np.array([0.5])), log(1.2), np.array([log(0.8)])
    )
    assert told[0] == pytest.approx(saved, rel=0.01)


def test_budget_pays_surely_or_for_the_surest_alone() -> None:
    told = History([tw.Trial(9, {"nodes": 4}).told(tw.Measurement({"time": 60.0, "cost": 1 / 60}))])
    rich = posterior(budget=100.0, history=told)
    assert payable_clusters(rich, np.arange(3)).tolist() == [0, 1, 2]
    # 0.29 USD: half of config 0's outcomes are dearer, config 1 costs 0.25 in the middle.
    poor = posterior(budget=1 / 60 + 0.29, history=told)
    assert payable_clusters(poor, np.arange(3)).tolist() == [1]
    busy = posterior(budget=1 / 60 + 0.29, history=told, awaited=[2])
    assert payable_clusters(busy, np.arange(3)).tolist() == []


def test_the_classic_acquisitions_in_closed_form() -> None:
    belief = Normal(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    assert probability_of_improvement(belief, 0.5) == pytest.approx([norm.cdf(0.25), 0.0])
    assert upper_confidence_bound(belief, 1.5).tolist() == [4.0, 0.0]
    assert expected_improvement(belief, 1.0) == pytest.approx([2.0 * norm.pdf(0), 0.0])
