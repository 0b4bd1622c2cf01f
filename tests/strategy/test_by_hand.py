"""What defines each published system, computed by hand on problems of two or three configs.

Beliefs are written down, so every score is a line of arithmetic; the argmax is asserted with it.
"""

from dataclasses import dataclass
from math import exp, log, pi, sqrt
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import Fixed, believing, problem, ran, scores, written
from tests.extras import late
from tunewise.acquisition.entropy import information, optimum_now
from tunewise.acquisition.knowledge_gradient import KnowledgeGradient
from tunewise.belief.future import futures
from tunewise.history import History
from tunewise.strategy.loop.affordability import predicted_feasible, surely_paid
from tunewise.strategy.loop.chosen_filter import ChosenFilter
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.surrogate.slope import LEAST

norm = late("scipy.stats", "norm")

CAP = 0.1
SURE = 1e-6
"""A deviation that is as good as none."""


def logit(share: float) -> float:
    return log(share / (1 - share))


def expit(value: float) -> float:
    return 1 / (1 + exp(-value))


def ei(mean: float, std: float, best: float) -> float:
    z = (mean - best) / std
    return float(std * (norm.pdf(z) + z * norm.cdf(z)))


def built(name: str, wanted: tw.Problem, **options: object) -> "ModelBased[Any]":
    strategy = tw.strategy(name, **options).build(wanted, 0)
    assert isinstance(strategy, ModelBased)
    return strategy


# Config 0 was measured within the cap; 1 promises more and may be too dear, 2 promises less.
FULL = problem(3, maximize="accuracy", subject_to=f"cost <= {CAP}")
KNOWN = History([ran(0, accuracy=0.7, cost=0.05)])
ACCURACY = ([logit(0.7), 1.5, 1.0], [SURE, 0.4, 0.4])
COST = ([log(0.05), log(0.1), log(0.01)], [SURE, 0.5, 0.5])


def test_cherrypick_as_published_improves_on_what_was_measured() -> None:
    # The model expects 0.65 of config 0, which measured 0.7.
    believed = ([logit(0.65), 1.5, 1.0], ACCURACY[1])
    posterior = written(FULL, {"accuracy": believed, "cost": COST}, KNOWN)
    kept = norm.cdf((log(CAP) - COST[0][1]) / 0.5)
    measured, expected = (scores(built(n, FULL), posterior) for n in ("cherrypick_paper", "eic"))
    assert measured[0] == pytest.approx(ei(1.5, 0.4, logit(0.7)) * kept)
    assert expected[0] == pytest.approx(ei(1.5, 0.4, logit(0.65)) * kept)


@pytest.mark.parametrize("name", ["cherrypick", "cherrypick_paper", "eic"])
def test_constrained_improvement_is_ei_times_feasibility(name: str) -> None:
    told = scores(built(name, FULL), written(FULL, {"accuracy": ACCURACY, "cost": COST}, KNOWN))
    kept = [norm.cdf((log(CAP) - mean) / 0.5) for mean in COST[0][1:]]
    # Improvements count from 0.03 on by default: the written beliefs differ by 1.
    best = logit(0.7) + (LEAST if name == "cherrypick" else 0.0)
    by_hand = [ei(1.5, 0.4, best) * kept[0], ei(1.0, 0.4, best) * kept[1]]
    assert told == pytest.approx(by_hand)
    assert told.argmax() == 0


def test_eic_per_usd_divides_by_the_usd_expected() -> None:
    posterior = written(FULL, {"accuracy": ACCURACY, "cost": COST}, KNOWN)
    plain, per_usd = (
        scores(built("eic", FULL), posterior),
        scores(built("eic_per_usd", FULL), posterior),
    )
    usd = [exp(mean + 0.5 * 0.5**2) for mean in COST[0][1:]]
    assert per_usd == pytest.approx(plain / usd)
    assert plain.argmax() == 0 and per_usd.argmax() == 1


def test_the_classics_do_not_see_the_limit() -> None:
    dear = ([log(0.05), log(10.0), log(10.0)], [SURE, 0.1, 0.1])
    posterior = written(FULL, {"accuracy": ACCURACY, "cost": dear}, KNOWN)
    best = logit(0.7)
    assert scores(built("ei", FULL), posterior) == pytest.approx(
        [ei(1.5, 0.4, best), ei(1.0, 0.4, best)]
    )
    assert scores(built("pi", FULL), posterior) == pytest.approx(
        [norm.sf((best - 1.5) / 0.4), norm.sf((best - 1.0) / 0.4)]
    )
    bound = scores(built("ucb", FULL, deviations=3), posterior)
    assert np.log(bound) == pytest.approx([1.5 + 3 * 0.4, 1.0 + 3 * 0.4])


def test_cherrypick_takes_a_pending_trial_as_measured_where_it_was_expected() -> None:
    wanted = problem(4, maximize="accuracy")
    # 1 and 2 are alike, 3 is by itself; 0 was measured.
    alike = np.eye(4)
    alike[1, 2] = alike[2, 1] = 0.95
    beliefs = {"accuracy": ([0.0, 0.5, 0.5, 0.4], [SURE, 1.0, 1.0, 1.0])}
    strategy = believing(built("cherrypick", wanted), Fixed(beliefs, {"accuracy": alike}))
    known = ran(0, accuracy=0.5)
    assert strategy.suggest(History([known]), 1)[0].config["x"] in (1, 2)
    beside = History([known, ran(1, number=1)])
    assumed = written(wanted, beliefs, beside, {"accuracy": alike}).assuming([({"x": 1}, 1.0)])
    left = sqrt(1 - 0.95**2)
    told = scores(built("cherrypick", wanted), assumed)
    assert told == pytest.approx([ei(0.5, left, LEAST), ei(0.4, 1.0, LEAST)], rel=1e-4)
    assert strategy.suggest(beside, 1)[0].config["x"] == 3


SLICED = problem(2, (0.5, 1.0), maximize="accuracy", subject_to=f"cost <= {CAP}")
# Both configs are as good as known: config 0 is the optimum, whatever is observed.
CERTAIN = ([0.5, 1.0, 0.0, 0.5], [SURE] * 4)


def test_fabolas_is_information_per_cost() -> None:
    cost = ([log(0.01), log(0.02), log(0.04), log(0.08)], [SURE] * 4)
    told = scores(
        built("fabolas_paper", SLICED), written(SLICED, {"accuracy": CERTAIN, "cost": cost})
    )
    # p_opt is (1, 0) after any trial: its divergence from uniform is log 2.
    assert told == pytest.approx(log(2) / np.array([0.01, 0.02, 0.04, 0.08]), rel=1e-4)
    assert told.argmax() == 0


def test_fabolas_adds_an_overhead_of_what_was_spent_and_counts_what_is_gained() -> None:
    history = History([ran(0, 0.5, accuracy=0.6, cost=0.5)])
    # Config 1 is unknown at the full data: to measure it there settles the optimum.
    accuracy = ([0.5, 1.0, 0.0, 1.2], [SURE, SURE, SURE, 1.0])
    cost = ([log(0.01), log(0.1), log(0.01), log(0.1)], [SURE] * 4)
    posterior = written(SLICED, {"accuracy": accuracy, "cost": cost}, history)
    told = scores(built("fabolas", SLICED, roots=1), posterior)
    future = futures(posterior, posterior.open, np.arange(2))
    _, at_targets = future.samples(np.random.default_rng(0))
    now = float(information(optimum_now(at_targets)))
    gained = np.array([1e-12, 1e-12, log(2) - now])
    assert told == pytest.approx(gained / (np.array([0.1, 0.01, 0.1]) + 0.1 * 0.5), rel=1e-3)
    assert told.argmax() == 2


def test_equation_5_is_feasibility_of_the_next_incumbent_times_information_per_cost() -> None:
    # Config 0 is best and probably too dear; what its trials cost says whether it is.
    cost = ([log(0.02), log(0.2), log(0.02), log(0.05)], [0.1, 0.5, 0.1, 0.5])
    posterior = written(SLICED, {"accuracy": CERTAIN, "cost": cost})
    told = scores(built("trimtuner_paper", SLICED, feasible=0.8), posterior)
    kept = norm.cdf((log(CAP) - log(0.05)) / 0.5)
    # Config 0 at the full data stays infeasible; 1 is the incumbent, sure once it was measured.
    feasible = np.array([kept, kept, kept, 1.0])
    spent = np.exp(np.array(cost[0]) + 0.5 * np.array(cost[1]) ** 2)
    assert told == pytest.approx(feasible * log(2) / spent, rel=1e-4)
    blind = log(2) / spent
    assert told.argmax() == blind.argmax() and told[3] / told[1] > blind[3] / blind[1]


def test_equation_5_prefers_what_makes_the_incumbent_safe() -> None:
    # All trials cost the same: without the first factor they would be worth the same.
    cost = ([log(0.09)] * 4, [SURE, 0.5, SURE, 0.1])
    posterior = written(SLICED, {"accuracy": CERTAIN, "cost": cost})
    told = scores(built("trimtuner_paper", SLICED, feasible=0.5), posterior)
    kept = float(norm.cdf((log(CAP) - log(0.09)) / 0.5))
    spent = np.exp(np.array(cost[0]) + 0.5 * np.array(cost[1]) ** 2)
    assert told * spent == pytest.approx(log(2) * np.array([kept, 1.0, kept, kept]), rel=1e-4)
    assert (told * spent).argmax() == 1


@dataclass(frozen=True)
class Worth:
    """An acquisition that says what was written down for each trial."""

    of: Any
    logarithms: bool = False

    def __call__(self, posterior: Any, trials: Any, rng: np.random.Generator) -> Any:
        return self.of[trials]


def test_equation_6_lets_through_what_is_accurate_and_feasible_itself() -> None:
    wanted = problem(4, maximize="accuracy", subject_to=f"cost <= {CAP}")
    accuracy = ([logit(share) for share in (0.9, 0.8, 0.6, 0.5)], [SURE] * 4)
    cost = ([log(1.0), log(0.05), log(0.05), log(0.05)], [SURE] * 4)
    posterior = written(wanted, {"accuracy": accuracy, "cost": cost})
    chosen = built("trimtuner", wanted, filter="cea", share=0.5).parts.filter
    # CEA is 0, 0.8, 0.6 and 0.5: of the two that pass, the acquisition takes the third config.
    worth, rng = Worth(np.array([4.0, 1.0, 2.0, 3.0])), np.random.default_rng(0)
    best, told = chosen.best(posterior, np.arange(4), worth, np.zeros(4), rng, rng)
    assert best == 2 and np.isnan(told).tolist() == [True, False, False, True]


def test_fabulinus_weighs_accuracy_and_feasibility_of_the_next_incumbent() -> None:
    cost = ([log(0.09)] * 4, [SURE, 0.5, SURE, 0.1])
    posterior = written(SLICED, {"accuracy": CERTAIN, "cost": cost})
    told = scores(built("fabulinus", SLICED, feasible=0.5), posterior)
    kept = float(norm.cdf((log(CAP) - log(0.09)) / 0.5))
    spent = np.exp(np.array(cost[0]) + 0.5 * np.array(cost[1]) ** 2)
    cea = expit(1.0) * np.array([kept, 1.0, kept, kept])
    assert told * spent == pytest.approx(log(2) * cea, rel=1e-4)
    assert (told * spent).argmax() == 1


def test_fabulinus_as_published_never_runs_the_full_data_and_lets_through_by_its_own_cea() -> None:
    strategy = built("fabulinus_paper", SLICED, initial=1, samples=1)
    told = [ran(0, 0.5, 0, accuracy=0.6, cost=0.02)]
    assert [s.fraction for s in strategy.suggest(History(told), 3)] == [0.5]
    cost = ([log(0.09)] * 4, [SURE, 0.5, SURE, 0.1])
    posterior = written(SLICED, {"accuracy": CERTAIN, "cost": cost})
    assert strategy.parts.filter.rank is not None
    ranked = strategy.parts.filter.rank(posterior, np.arange(4))
    kept = float(norm.cdf((log(CAP) - log(0.09)) / 0.5))
    # By 0.99 no config is safe yet: the incumbent is the most probably feasible one, config 1.
    safest = float(norm.cdf((log(CAP) - log(0.09)) / 0.1))
    assert ranked == pytest.approx(
        [expit(0.5) * safest, expit(1.0), expit(0.5) * safest, expit(0.5)], rel=1e-4
    )
    assert kept < safest


def test_fabulinus_gamma_is_of_configs_and_weighs_all_slices_of_each() -> None:
    wanted = problem(3, (0.25, 0.5, 1.0), maximize="accuracy", subject_to=f"cost <= {CAP}")
    # Of nine trials the highest ranks are of config 1: it passes with both of its slices.
    ranks = np.array([0.5, 0.5, 0.9, 0.1, 0.8, 0.9, 0.6, 0.6, 0.9])
    slices = np.array([0, 1, 3, 4, 6, 7])
    chosen: ChosenFilter[Any]
    chosen = ChosenFilter("cea", 1 / 3, lambda posterior, trials: ranks[trials], of_configs=True)
    beliefs = {"accuracy": ([0.0] * 9, [1.0] * 9), "cost": ([0.0] * 9, [1.0] * 9)}
    rng, worth = np.random.default_rng(0), Worth(np.where(np.arange(9) == 3, 2.0, 1.0))
    best, told = chosen.best(written(wanted, beliefs), slices, worth, np.zeros(6), rng, rng)
    assert best == 3
    weighed = slices[~np.isnan(told)].tolist()
    assert weighed == [3, 4], "as trials, 4 and one of 6 and 7 would have passed"


def test_trimtuner_is_the_expected_rise_of_the_recommendation_per_cost_and_overhead() -> None:
    wanted = problem(2, (0.5, 1.0), maximize="accuracy")
    history = History([ran(0, 0.5, accuracy=0.5, cost=0.3)])
    accuracy = ([0.0, 1.0, 0.0, 0.5], [SURE, SURE, SURE, 1.0])
    cost = ([log(0.01), log(0.05), log(0.002), log(0.05)], [SURE] * 4)
    posterior = written(wanted, {"accuracy": accuracy, "cost": cost}, history)
    told = scores(built("trimtuner", wanted, roots=3), posterior)
    root = sqrt(3)
    rise = max(expit(0.5 + root), expit(1.0)) / 6 + 2 / 3 * expit(1.0) + expit(1.0) / 6 - expit(1.0)
    overhead = 0.1 * 0.3
    by_hand = [1e-12 / (0.05 + overhead), 1e-12 / (0.002 + overhead), rise / (0.05 + overhead)]
    assert told == pytest.approx(by_hand, rel=1e-3)
    assert told.argmax() == 2


def test_with_money_spent_trimtuners_overhead_makes_small_trials_less_worth_the_bother() -> None:
    wanted = problem(2, (0.5, 1.0), maximize="accuracy")
    # The slice of config 1 teaches half as much as its full run, for a tenth of the money.
    accuracy = ([0.0, 1.0, 0.0, 0.5], [SURE, SURE, 1.0, 1.0])
    cost = ([log(0.01), log(0.05), log(0.005), log(0.05)], [SURE] * 4)
    poor, rich = (
        written(
            wanted,
            {"accuracy": accuracy, "cost": cost},
            History([ran(0, 0.5, accuracy=0.5, cost=usd)]),
            {"accuracy": 0.7},
        )
        for usd in (1e-6, 10.0)
    )
    strategy = built("trimtuner", wanted)
    assert poor.open[scores(strategy, poor).argmax()] == 2
    assert rich.open[scores(strategy, rich).argmax()] == 3


def test_a_lucky_measurement_within_the_limit_is_not_recommended() -> None:
    wanted = problem(2, maximize="accuracy", subject_to=f"cost <= {CAP}")
    history = History([ran(0, accuracy=0.9, cost=0.09)])
    accuracy = ([logit(0.9), logit(0.6)], [0.1, 0.1])

    def recommended(cost_of_0: float) -> int:
        cost = ([log(cost_of_0), log(0.05)], [0.05, 0.05])
        posterior = written(wanted, {"accuracy": accuracy, "cost": cost}, history)
        return int(PredictedBest(0.9)(posterior).config["x"])

    # The model holds config 0 to cost 0.2 USD: that it once cost 0.09 was luck.
    assert recommended(0.2) == 1
    assert recommended(0.09) == 0


# Nephele: the least cost with accuracy at least 0.8, at any fraction.
CHEAPEST = problem(
    2, (0.5, 1.0), minimize="cost", subject_to="accuracy >= 0.8", deploy="any", budget=1.0
)
RAN = History([ran(0, 1.0, accuracy=0.9, cost=0.2)])


def test_nephele_is_constrained_improvement_per_cost() -> None:
    cost = ([log(0.1), log(0.2), log(0.02), log(0.1)], [0.3, SURE, 0.3, 0.3])
    accuracy = ([logit(0.85), logit(0.9), logit(0.7), logit(0.85)], [0.4, SURE, 0.4, 0.4])
    posterior = written(CHEAPEST, {"accuracy": accuracy, "cost": cost}, RAN)
    told = scores(built("nephele", CHEAPEST), posterior)
    open_ = [0, 2, 3]
    kept = [norm.sf((logit(0.8) - accuracy[0][n]) / 0.4) for n in open_]
    gains = [ei(-cost[0][n], 0.3, -log(0.2)) for n in open_]
    usd = [exp(cost[0][n] + 0.5 * 0.3**2) for n in open_]
    assert told == pytest.approx(np.array(kept) * gains / usd, rel=1e-4)
    assert told.argmax() == 1
    assert int(np.argmax(np.array(kept) * gains)) != 1, "without the cost another trial is best"


def test_nepheles_feasible_set_is_by_predicted_means() -> None:
    cost = ([log(0.5), log(0.9), log(0.1), log(0.1)], [2.0] * 4)
    accuracy = ([logit(0.85), logit(0.85), logit(0.79), logit(0.81)], [2.0] * 4)
    posterior = written(CHEAPEST, {"accuracy": accuracy, "cost": cost}, RAN)
    # 0.8 USD are left: trial 1 costs more, trial 2 is not accurate enough.
    assert predicted_feasible(posterior, np.arange(4)).tolist() == [0, 3]


def test_lynceus_risks_only_what_is_paid_for_with_a_probability_of_99_in_100() -> None:
    deviation = log(0.8 / 0.5) / 2.3263478740408408
    cost = ([log(0.5)] * 4, [deviation * 0.99, deviation * 1.01, SURE, 2.0])
    accuracy = ([2.0] * 4, [SURE] * 4)
    posterior = written(CHEAPEST, {"accuracy": accuracy, "cost": cost}, RAN)
    assert surely_paid(posterior, np.arange(4)).tolist() == [0, 2]
    assert built("lynceus_paper", CHEAPEST, initial=2).parts.affordability is surely_paid
    assert built("nephele_paper", CHEAPEST).parts.affordability is predicted_feasible


def test_the_worth_of_an_unsure_share_is_its_expectation_by_the_probit_approximation() -> None:
    wanted = problem(1, maximize="accuracy")
    posterior = written(wanted, {"accuracy": ([1.0], [2.0])})
    assert posterior.worth[0, 0] == pytest.approx(expit(1.0 / sqrt(1 + pi / 8 * 4)))


def test_where_trials_may_be_given_up_money_spent_makes_each_of_them_worth_less() -> None:
    learners = tw.Space(tw.Choice("learner", ["a", "b", "c", "d"]))
    wanted = tw.Problem(
        learners, maximize="accuracy", subject_to="time <= 100", fractions=(0.1, 1.0)
    )
    told = [("a", 0.1, 0.7, 5.0), ("b", 0.1, 0.8, 9.0), ("a", 1.0, 0.75, 60.0)]
    trials = [
        tw.Trial(i, {"learner": name}, s).told(tw.Measurement({"accuracy": y, "time": t}))
        for i, (name, s, y, t) in enumerate(told)
    ]
    posterior = built("trimtuner", wanted).posterior(History(trials))
    assert posterior is not None and posterior.timed

    def worth(overhead: float) -> Any:
        rng = np.random.default_rng(0)
        return KnowledgeGradient(overhead=overhead)(posterior, posterior.open, rng)

    assert (worth(1.0) < 0.9 * worth(0.0)).all()
