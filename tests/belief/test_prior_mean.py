"""Other studies as prior means: what each predicts, what it believes best, how it is weighed."""

from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran
from tunewise.belief.prior_mean import PriorMeans
from tunewise.history import History
from tunewise.history.prior import Prior

COUNT = 8


def study(accuracy: list[float], cost: list[float], fraction: float = 1.0) -> History:
    pairs = enumerate(zip(accuracy, cost, strict=True))
    return History(ran(x, fraction, x, accuracy=a, cost=c) for x, (a, c) in pairs)


RISING = [0.2 + 0.08 * x for x in range(COUNT)]
DEAR = [0.1 * 2.0**x for x in range(COUNT)]


def means(*studies: History, **wanted: Any) -> PriorMeans:
    said = wanted if "minimize" in wanted else {"maximize": "accuracy", **wanted}
    asked = problem(COUNT, **said)
    return PriorMeans(asked, Prior.of(asked, {f"s{n}": each for n, each in enumerate(studies)}))


def begun(priors: PriorMeans, *design: int) -> list[int]:
    return [config["x"] for config in priors.begun([{"x": x} for x in design])]


def test_the_best_config_of_another_study_comes_first() -> None:
    assert begun(means(study(RISING, DEAR)), 0, 1, 2, 3) == [7, 0, 1, 2]
    assert begun(means(study(RISING[::-1], DEAR)), 4, 5, 6, 3) == [0, 4, 5, 6]


def test_of_what_is_minimised_the_least_is_best() -> None:
    cheapest = means(study(RISING, DEAR[::-1]), minimize="cost")
    assert begun(cheapest, 0, 1, 2) == [7, 0, 1]


def test_limits_count_before_the_objective() -> None:
    # Of what costs 0.8 at most, config 3 is the most accurate.
    limited = means(study(RISING, DEAR), subject_to="cost <= 0.85")
    assert begun(limited, 0, 1, 2, 4) == [3, 0, 1, 2]
    hopeless = means(study(RISING, DEAR), subject_to="cost <= 0.01")
    assert begun(hopeless, 5, 6, 7, 4)[0] == 0


def test_up_to_half_of_a_design_is_replaced_and_none_comes_twice() -> None:
    both = means(study(RISING, DEAR), study(RISING[::-1], DEAR))
    assert begun(both, 3, 4, 5, 6) == [7, 0, 3, 4]
    assert begun(both, 3, 4) == [7, 3]
    assert begun(both, 3) == [7]
    assert begun(both, 7, 3, 0, 4) == [7, 0, 3, 4]


def test_a_metric_that_was_measured_too_seldom_teaches_nothing() -> None:
    few = study(RISING, DEAR)
    asked = problem(COUNT, maximize="accuracy")
    priors = PriorMeans(asked, Prior({"s": History(list(few)[:4])}, ()))
    assert priors.of("accuracy") is None
    assert begun(priors, 3, 4) == [3, 4]
    enough = PriorMeans(asked, Prior({"s": History(list(few)[:5])}, ()))
    assert enough.of("accuracy") is not None


def test_each_study_predicts_on_the_modelled_scale_and_is_fitted_once() -> None:
    priors = means(study(RISING, DEAR), study(RISING[::-1], DEAR))
    mean = priors.of("accuracy")
    assert mean is not None and priors.of("accuracy") is mean
    asked = problem(COUNT, maximize="accuracy")
    x = asked.space.encode(asked.space.configs)
    told = mean.each(x, 1.0)
    assert told.shape == (COUNT, 2)
    logits = np.log(np.array(RISING) / (1 - np.array(RISING)))
    assert told[:, 0] == pytest.approx(logits, abs=0.3)
    assert told[:, 1] == pytest.approx(logits[::-1], abs=0.3)
    assert mean.each(x, 1.0) is told


def test_only_a_few_predictions_are_kept() -> None:
    mean = means(study(RISING, DEAR)).of("accuracy")
    assert mean is not None
    for place in range(40):
        mean.each(np.array([[place / 40]]), 1.0)
    assert len(mean._known) == 16


def test_many_configs_are_predicted_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0, 1, 7)[:, None]
    whole = means(study(RISING, DEAR)).of("accuracy")
    monkeypatch.setattr("tunewise.belief.prior_mean.ROWS", 3)
    parts = means(study(RISING, DEAR)).of("accuracy")
    assert whole is not None and parts is not None
    assert parts.each(x, 1.0) == pytest.approx(whole.each(x, 1.0))


def weights(*studies: History, seen: list[int], values: list[float]) -> np.ndarray:
    priors = means(*studies)
    mean = priors.of("accuracy")
    assert mean is not None
    asked = problem(COUNT, maximize="accuracy")
    x = asked.space.encode([{"x": place} for place in seen])
    logits = np.log(np.array(values) / (1 - np.array(values)))
    return mean.weights(x, np.ones(len(seen)), logits, 1.0)


def test_before_much_is_measured_a_study_is_hardly_believed() -> None:
    assert weights(study(RISING, DEAR), seen=[3], values=[RISING[3]])[0] < 0.3


def test_a_study_that_is_right_wins_over_one_that_is_turned_round() -> None:
    right, turned = study(RISING, DEAR), study(RISING[::-1], DEAR)
    found = weights(right, turned, seen=list(range(COUNT)), values=RISING)
    assert found[0] > 0.3 > 0.05 > found[1]
    assert ((found >= 0) & (found <= 1)).all()
    turned_first = weights(turned, right, seen=list(range(COUNT)), values=RISING)
    assert turned_first == pytest.approx(found[::-1], abs=1e-6)


def test_another_level_does_not_make_a_study_wrong() -> None:
    lower = [value - 0.15 for value in RISING]
    found = weights(study(RISING, DEAR), seen=list(range(COUNT)), values=lower)
    assert found[0] > 0.5


def test_a_config_counts_once_however_many_fractions_it_was_measured_at() -> None:
    mean = means(study(RISING, DEAR)).of("accuracy")
    assert mean is not None
    asked = problem(COUNT, maximize="accuracy")
    x = asked.space.encode([{"x": place} for place in (1, 3, 5, 7)])
    y = mean.each(x, 1.0)[:, 0]
    once = mean.weights(x, np.ones(4), y, 1.0)[0]
    repeated = np.repeat(x, 4, axis=0)
    fractions = np.tile([0.1, 0.25, 0.5, 1.0], 4)
    four = mean.weights(repeated, fractions, np.repeat(y, 4), 1.0)[0]
    others = asked.space.encode([{"x": place} for place in range(COUNT)])
    more = mean.weights(others, np.ones(COUNT), mean.each(others, 1.0)[:, 0], 1.0)[0]
    assert once <= four < more + 0.05


def test_notes_say_what_could_not_be_used() -> None:
    asked = problem(4, maximize="accuracy")
    prior = Prior.of(asked, {"old": study(RISING, DEAR), "new": study(RISING[:4], DEAR[:4])})
    assert list(prior.studies) == []
    assert len(prior.notes) == 2 and all("teaches nothing" in note for note in prior.notes)
    whole = Prior.of(problem(COUNT, maximize="accuracy"), {"old": study(RISING, DEAR)})
    assert list(whole.studies) == ["old"] and whole.notes == ()


def test_a_prior_comes_back_as_it_was_described() -> None:
    told = tw.Measurement({"accuracy": 0.5}, {0.5: {"accuracy": 0.4}}, {"accuracy": 0.1})
    history = History(tw.Trial(n, {"x": n}).told(told) for n in range(COUNT))
    prior = Prior.of(problem(COUNT, maximize="accuracy"), {"s": history})
    again = Prior.from_description(prior.describe())
    assert again.studies == prior.studies and again.notes == prior.notes
    first = again.studies["s"][0].measurement
    assert first is not None and first.deviations == {"accuracy": 0.1}
    assert first.snapshots == {0.5: {"accuracy": 0.4}}
