"""Nephele: the fraction is part of the answer, and the budget decides what may be tried."""

from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.tables import published_path
from tunewise.belief.posterior import Doubt
from tunewise.errors import StrategyError
from tunewise.history import History, Trial
from tunewise.problem import Problem
from tunewise.strategy.loop.affordability import surely_paid
from tunewise.strategy.nephele import nephele
from tunewise.strategy.spec import default_strategy
from tunewise.strategy.strategy import Recommendation
from tunewise.surrogate import Normal
from tunewise.testing.strategies import FRACTIONS, measured, played, problem


def cheapest(**wanted: Any) -> Problem:
    """The least cost at any fraction; slices are accurate enough only from 0.5 on."""
    limits = ["accuracy >= 0.85", "time <= 100"]
    given = {"minimize": "cost", "subject_to": limits, "deploy": "any", **wanted}
    return problem(True, **given)


def truly_cheapest(wanted: Problem) -> tuple[dict[str, Any], float]:
    pairs = [Trial(0, c, s) for c in wanted.space.configs for s in wanted.fractions]
    good = [t for t in pairs if wanted.feasible(measured(t).metrics)]
    best = min(good, key=lambda t: measured(t).metrics["cost"])
    return best.config, best.fraction


def test_it_finds_the_cheapest_config_and_fraction() -> None:
    wanted = cheapest()
    strategy = nephele(wanted, 0)
    history = played(strategy, 30)
    found = strategy.recommend(history)
    assert (found.config, found.fraction) == truly_cheapest(wanted)
    assert found.fraction < 1.0


def test_the_answer_was_measured_and_what_the_models_hold_best_stands_beside_it() -> None:
    wanted = cheapest()
    for seed in range(2):
        strategy = nephele(wanted, seed)
        for trials in (5, 12):
            history = played(strategy, trials)
            best = history.best(wanted)
            answer = strategy.recommend(history)
            if best is not None:
                assert (answer.config, answer.fraction) == (best.config, best.fraction)
            tried = [(t.config, t.fraction) for t in history]
            assert (answer.config, answer.fraction) in tried
            beside = answer.predicted_best
            assert beside is not None
            assert set(wanted.needed) <= set(beside.predicted)


def test_a_recommendation_keeps_what_stands_beside_it_when_it_is_stored() -> None:
    beside = Recommendation({"x": 2}, 0.1, {"cost": Normal(0.5, 0.1)}, 0.93)
    answer = Recommendation({"x": 1}, 0.5, {"cost": Normal(1.0, 0.1)}, 1.0, beside)
    assert Recommendation.from_description(answer.describe()) == answer


def test_the_bootstrap_of_the_paper_spends_its_budget_and_no_more_than_one_trial_beyond() -> None:
    wanted = cheapest()
    strategy = nephele(wanted, 3, bootstrap="paper", initial_budget=0.6)
    told: list[Trial] = []
    while strategy.unbegun(History(told)):
        assert History(told).spent["cost"] < 0.6
        suggested = strategy.suggest(History(told), 1)[0]
        assert suggested == strategy.unbegun(History(told))[0]
        trial = Trial(len(told), suggested.config, suggested.fraction)
        told.append(trial.told(measured(trial)))
    assert History(told).spent["cost"] >= 0.6
    assert {t.fraction for t in told} == set(FRACTIONS)
    assert len({(str(t.config), t.fraction) for t in told}) == len(told)


def test_the_bootstrap_of_the_paper_ends_where_trials_tell_no_cost() -> None:
    wanted = problem(True, minimize="time", subject_to=["accuracy >= 0.8"], deploy="any")
    strategy = nephele(wanted, 0, bootstrap="paper")
    told: list[Trial] = []
    for number in range(6):
        suggested = strategy.suggest(History(told), 1)[0]
        trial = Trial(number, suggested.config, suggested.fraction)
        metrics = {k: v for k, v in measured(trial).metrics.items() if k != "cost"}
        told.append(trial.told(tw.Measurement(metrics)))
    assert not strategy.unbegun(History(told))


@pytest.mark.parametrize("horizon", [0, 1])
def test_only_what_is_left_of_the_budget_is_risked(horizon: int) -> None:
    history = played(nephele(cheapest(), 0), 10)
    left = 0.12
    strategy = nephele(cheapest(budget=history.spent["cost"] + left), 0, horizon=horizon)
    suggested = strategy.suggest(history, 1)[0]
    posterior = strategy.posterior(history)
    assert posterior is not None
    believed = posterior.predict("cost", Doubt.MEASUREMENT)
    sure = believed.cdf(np.log(left)).ravel()
    every = np.arange(len(posterior.grid))
    allowed = surely_paid(posterior, every)
    assert allowed.tolist() == np.flatnonzero(sure >= 0.99).tolist()
    assert 0 < len(allowed) < len(every)
    assert measured(suggested).metrics["cost"] <= left


def test_when_nothing_is_affordable_a_trial_is_drawn_at_random() -> None:
    history = played(nephele(cheapest(), 0), 8)
    broke = cheapest(budget=history.spent["cost"] + 1e-9)
    drawn = [nephele(broke, seed).suggest(history, 1)[0] for seed in range(6)]
    assert len({(str(s.config), s.fraction) for s in drawn}) > 2
    assert drawn[0] == nephele(broke, 0).suggest(history, 1)[0]


def test_what_cannot_be_deployed_is_not_tried() -> None:
    history = played(nephele(cheapest(deploy="full"), 0), 10)
    assert {t.fraction for t in history} == {1.0}


def test_less_and_less_is_to_be_gained() -> None:
    strategy = nephele(cheapest(), 0)
    history = played(strategy, 25)
    assert strategy.expected_gain(history[:2]) is None
    middle, end = strategy.expected_gain(history[:10]), strategy.expected_gain(history)
    assert middle is not None and end is not None
    assert middle > end >= 0


def test_it_is_the_default_where_the_fraction_is_part_of_the_answer() -> None:
    assert default_strategy(cheapest()).name == "nephele"
    assert default_strategy(cheapest(deploy="full")).name == "trimtuner"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"horizon": 4}, "horizon is 4; expected a whole number from 0 to 3"),
        ({"bootstrap": "papr"}, "unknown bootstrap 'papr'; did you mean 'paper'"),
        ({"initial_budget": 0}, "initial_budget is 0; expected a number above 0"),
        ({"accuracy_roots": 0}, "accuracy_roots is 0; expected a whole number from 1"),
        ({"discount": 1.5}, "discount is 1.5; expected a number above 0 and at most 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(StrategyError, match=sentence):
        nephele(cheapest(), 0, **options)


def test_the_optimum_of_a_measured_table_is_at_a_tenth_of_the_data() -> None:
    config = ["vm", "vms", "learning_rate", "batch_size", "mode"]
    table = tw.Table(published_path("trimtuner/cnn.csv"), config, fraction="fraction")
    limits = ["accuracy >= 0.85", "time <= 300"]
    wanted = {"minimize": "cost", "subject_to": limits, "fractions": table.fractions}
    anywhere = table.best(tw.Problem(table.space, deploy="any", **wanted))  # type: ignore[arg-type] # a mix of keywords
    full = table.best(tw.Problem(table.space, **wanted))  # type: ignore[arg-type] # a mix of keywords
    assert anywhere is not None and full is not None
    assert anywhere.fraction == pytest.approx(0.1)
    assert np.round(full.objective / anywhere.objective, 1) == 4.1
