"""When a trial is worth giving up: caps on what it spends, and what each is expected to cost."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran, written
from tunewise.acquisition import knowledge_gradient as kg
from tunewise.acquisition.knowledge_gradient import KnowledgeGradient, knowledge_gain
from tunewise.acquisition.lookahead import Lookahead
from tunewise.acquisition.outcomes import ends, middles
from tunewise.acquisition.reward import RewardPerCost
from tunewise.belief.posterior import Posterior
from tunewise.history import History, Trial

RNG = np.random.default_rng(0)


def trials(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.intp)


def timed(
    *told: Trial, seconds: tuple[float, ...] = (10.0, 100.0), std: float = 1.0, **wanted: Any
) -> Posterior:
    """Configs that take so many seconds on the full data, a tenth of that on a tenth of it."""
    asked = problem(len(seconds), (0.1, 1.0), maximize="accuracy", **wanted)
    logs = [math.log(s * part) for s in seconds for part in (0.1, 1.0)]
    beliefs = {
        "accuracy": ([0.0] * len(logs), [1.0] * len(logs)),
        "time": (logs, [std] * len(logs)),
    }
    return written(asked, beliefs, History(told))


def pruned(x: int, fraction: float, seconds: float) -> Trial:
    return Trial(0, {"x": x}, fraction).told(tw.TimedOut("pruned: stopped", {"time": seconds}))


def test_caps_are_where_equal_shares_of_the_outcomes_end_and_the_last_is_none() -> None:
    caps, spending = kg._until(timed(), trials(1, 3), 4)
    assert caps.shape == spending.shape == (2, 4)
    for row, seconds in enumerate((10.0, 100.0)):
        assert caps[row, :3] == pytest.approx(seconds * np.exp(ends(4)[:3]))
        assert caps[row, 3] == math.inf


def test_what_is_spent_until_a_cap_is_the_mean_of_all_outcomes_cut_there() -> None:
    caps, spending = kg._until(timed(), trials(1), 4)
    outcomes = 10.0 * np.exp(middles(4)[0])
    for place in range(3):
        assert spending[0, place] == pytest.approx(np.minimum(outcomes, caps[0, place]).mean())
    assert spending[0, 3] == pytest.approx(10.0 * math.exp(0.5))
    assert (np.diff(spending[0]) > 0).all()


def test_what_was_given_up_takes_at_least_as_long_as_then() -> None:
    belief = timed(pruned(0, 1.0, 50.0))
    caps, spending = kg._until(belief, trials(1), 4)
    assert caps[0, :3] == pytest.approx(10.0 * np.exp(ends(4)[:3]))
    assert spending[0, 3] == pytest.approx(50.0)
    assert spending[0, 2] == pytest.approx(float(caps[0, 2]))


def test_of_what_takes_for_ever_nothing_spends_more_than_the_whole_trial() -> None:
    _, spending = kg._until(timed(seconds=(math.exp(100.0),), std=0.1), trials(1), 4)
    # Beyond exp(60) nothing is told apart, whether a trial is given up or runs to its end.
    assert spending[0] == pytest.approx(np.full(4, math.exp(60.0)))


def test_a_trial_has_at_least_its_part_of_a_limit() -> None:
    belief = timed(subject_to=["time <= 40", "time <= 60"])
    assert kg._soonest(belief, trials(0, 1)) == pytest.approx([4.0, 40.0])


def test_what_was_given_up_runs_again_only_for_twice_as_long() -> None:
    belief = timed(pruned(0, 0.1, 30.0), subject_to="time <= 40")
    assert kg._soonest(belief, trials(0, 1, 2)) == pytest.approx([60.0, 60.0, 4.0])


def test_without_a_limit_a_trial_may_be_pruned_soon_but_not_as_soon_as_before() -> None:
    assert kg._soonest(timed(std=0.6), trials(0, 1)).tolist() == [0.0, 0.0]
    again = timed(pruned(0, 1.0, 50.0), std=0.8)
    assert kg._soonest(again, trials(1)) == pytest.approx([100.0])


def test_a_limit_from_below_says_nothing_of_how_long_a_trial_may_run() -> None:
    belief = timed(subject_to="time >= 5", std=0.6)
    assert kg._soonest(belief, trials(0)).tolist() == [0.0]


def test_where_configs_tell_of_each_other_a_trial_runs_to_its_end() -> None:
    belief = timed(subject_to="time <= 40")
    assert KnowledgeGradient().most(belief, 1) == math.inf
    worth, caps = KnowledgeGradient()._scored(belief, trials(0, 1))
    assert worth.shape == caps.shape == (2, 1) and np.isinf(caps).all()


def unrelated(belief: Posterior) -> Posterior:
    """The same, of configs that tell nothing of each other: their trials may be given up."""
    return replace(belief, learned=replace(belief.learned, related=False))


def test_a_trial_that_may_be_stopped_is_worth_the_best_time_to_stop_it() -> None:
    belief = unrelated(timed(seconds=(10.0, 10.0), std=2.0, subject_to="time <= 40"))
    worth, caps = KnowledgeGradient(roots=2)._scored(belief, trials(1, 3))
    assert worth.shape == (2, 5)
    soon = caps < 40.0
    assert (worth[soon] == 0.0).all() and (worth[~soon] > 0.0).all()
    score = KnowledgeGradient(roots=2)(belief, trials(1, 3), RNG)
    assert score == pytest.approx(worth.max(1))
    most = KnowledgeGradient(roots=2).most(belief, 1)
    assert most == pytest.approx(float(caps[0, int(worth[0].argmax())]))


def test_stopping_may_be_switched_off() -> None:
    belief = unrelated(timed(std=2.0, subject_to="time <= 40"))
    assert KnowledgeGradient(stops=False).most(belief, 1) == math.inf


def test_where_nothing_can_change_the_cheaper_and_the_whole_trial_is_preferred() -> None:
    certain = problem(2, maximize="accuracy")
    beliefs = {"accuracy": ([0.0, 0.0], [0.0, 0.0]), "cost": ([0.0, 1.0], [0.0, 0.0])}
    score = KnowledgeGradient()(written(certain, beliefs), trials(0, 1), RNG)
    assert score[0] > score[1] > 0
    assert score[0] / score[1] == pytest.approx(math.e)


def test_overhead_is_paid_by_every_trial() -> None:
    wanted = problem(2, maximize="accuracy")
    beliefs = {"accuracy": ([0.0, 0.0], [1.0, 1.0]), "cost": ([0.0, 1.0], [0.0, 0.0])}
    belief = written(wanted, beliefs, History([ran(0, accuracy=0.5, cost=10.0)]))
    free, dear = (KnowledgeGradient(overhead=share)(belief, trials(1), RNG) for share in (0.0, 0.5))
    assert free[0] / dear[0] == pytest.approx((math.e + 5.0) / math.e)


def test_the_gain_of_knowledge_is_in_the_unit_of_the_objective() -> None:
    wanted = problem(2, maximize="accuracy")
    sure = written(wanted, {"accuracy": ([0.0, -5.0], [0.0, 0.01])})
    assert knowledge_gain(sure, {"x": 0}) == pytest.approx(0.0, abs=1e-9)
    open_ = written(wanted, {"accuracy": ([0.0, 0.0], [0.0, 3.0])})
    assert 0.05 < knowledge_gain(open_, {"x": 0}) < 0.5
    told = History([ran(0, accuracy=0.5), ran(1, number=1, accuracy=0.5)])
    ended = written(wanted, {"accuracy": ([0.0, 0.0], [1.0, 1.0])}, told)
    assert knowledge_gain(ended, {"x": 0}) == 0.0


def test_only_configs_that_may_become_the_recommendation_add_to_the_gain() -> None:
    wanted = problem(3, maximize="accuracy")
    every = written(wanted, {"accuracy": ([0.5, 0.0, 0.4], [0.0, 3.0, 0.5])})
    third = replace(every, open=trials(2))
    # The most hopeful config is 1 and the best now is 0: one target more and 2 may win as well.
    assert knowledge_gain(third, {"x": 0}, targets=1) == pytest.approx(0.0, abs=1e-9)
    assert knowledge_gain(third, {"x": 0}, targets=2) > 0.01


def cheapest() -> Posterior:
    wanted = problem(5, minimize="cost")
    beliefs = {"cost": ([2.0, 1.0, 0.0, 3.0, 2.5], [0.5] * 5)}
    return written(wanted, beliefs, History([ran(0, cost=math.exp(2.0))]))


def test_paths_lead_only_through_the_best_trials_by_themselves() -> None:
    belief = cheapest()
    every = RewardPerCost(Lookahead(1, 2, 1, 0.9), paths=2000)(belief, belief.open, RNG)
    few = RewardPerCost(Lookahead(1, 2, 1, 0.9), paths=2)(belief, belief.open, RNG)
    alone = RewardPerCost(Lookahead(0, 2, 1, 0.9))(belief, belief.open, RNG)
    assert np.isfinite(every).all()
    assert np.flatnonzero(np.isfinite(few)).tolist() == sorted(np.argsort(alone)[-2:].tolist())
    assert int(few.argmax()) == int(alone.argmax())


def test_a_path_may_lead_through_a_trial_that_may_not_be_run_first() -> None:
    belief = cheapest()
    first = trials(3, 4)
    score = RewardPerCost(Lookahead(1, 2, 1, 0.9))(belief, first, RNG)
    assert score.shape == (2,) and np.isfinite(score).all()
    alone = RewardPerCost(Lookahead(0, 2, 1, 0.9))(belief, first, RNG)
    # What follows, the cheap config, makes a dear first step worth more than by itself.
    assert (score > alone).all()
