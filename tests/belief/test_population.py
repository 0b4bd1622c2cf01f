"""What other studies say about configs that nothing relates."""

import numpy as np
import pytest

import tunewise as tw
from tunewise.belief.population import habits
from tunewise.history import History, Measurement, Trial
from tunewise.history.prior import Prior
from tunewise.strategy import StrategySpec

LEARNERS = ["fast", "middling", "slow", "steep", "other"]
SECONDS = {"fast": 0.1, "middling": 1.0, "slow": 50.0, "steep": 1.0}
FRACTIONS = (0.01, 0.1, 1.0)


@pytest.fixture
def problem() -> tw.Problem:
    space = tw.Space(tw.Choice("learner", LEARNERS))
    limits = ["time <= 3"]
    return tw.Problem(space, maximize="accuracy", subject_to=limits, fractions=FRACTIONS)


def study(size: float) -> History:
    """All but one learner on a data set that takes so many times as long."""
    places = [(learner, s) for learner in SECONDS for s in FRACTIONS]
    trials = []
    for number, (learner, s) in enumerate(places):
        power = 2.0 if learner == "steep" else 1.0
        told = Measurement({"accuracy": 0.6, "time": size * SECONDS[learner] * s**power})
        trials.append(Trial(number, {"learner": learner}, s).told(told))
    return History(trials)


def test_habits_are_relative_to_what_a_study_is_like(problem: tw.Problem) -> None:
    studies = {str(size): study(size) for size in (1, 10, 100, 1000)}
    known = habits(problem, "time", studies, np.log(10))
    assert known is not None
    rows, usual = known
    place = {learner: i for i, learner in enumerate(SECONDS)}
    order = [int(np.flatnonzero((rows == row).all(1))[0]) for row in
             problem.space.encode([{"learner": learner} for learner in SECONDS])]  # fmt: skip
    level = dict(zip(place, usual.mean[order, 0], strict=True))
    slope = dict(zip(place, usual.mean[order, 1], strict=True))
    assert level["fast"] < level["middling"] < level["slow"]
    assert slope["steep"] > max(slope[name] for name in ("fast", "middling", "slow")) + 1
    assert (usual.mean[-1] == 0).all()  # any other config
    assert (usual.ratio[:-1, 0] < usual.ratio[-1, 0]).all()


def test_without_studies_there_are_no_habits(problem: tw.Problem) -> None:
    assert habits(problem, "time", {}, 0.0) is None


def test_a_warm_start_knows_who_is_slow_before_trying_it(problem: tw.Problem) -> None:
    prior = Prior.of(problem, {str(size): study(size) for size in (1, 10, 100, 1000)})
    first = Trial(0, {"learner": "middling"}, 0.01).told(
        Measurement({"accuracy": 0.6, "time": 0.01})
    )
    cold, warm = (
        StrategySpec("trimtuner").build(problem, 0, told).posterior(History([first]))  # type: ignore[attr-defined] # it is model-based
        for told in (None, prior)
    )
    slow = LEARNERS.index("slow")
    assert warm.feasible()[slow, -1] < 0.35 < cold.feasible()[slow, -1]
    assert warm.feasible()[LEARNERS.index("fast"), -1] > 0.85
