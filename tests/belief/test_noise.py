"""What repeated trials tell about noise, and what follows from it."""

import numpy as np

import tunewise as tw
from tests.belief.tiny import problem, ran
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.history import History, Trial
from tunewise.history.repeats import noisy

WANTED = problem(4, maximize="accuracy", subject_to="time <= 100")
VALUES = (0.5, 0.9, 0.55, 0.85)


def history(*again: float) -> History:
    told = [*enumerate(VALUES), *((0, value) for value in again)]
    return History(ran(x, 1.0, n, accuracy=y, time=1.0) for n, (x, y) in enumerate(told))


def posterior(told: History) -> Posterior:
    made = Modelled().posterior(WANTED, told, 0, None)
    assert made is not None
    return made


def test_each_metric_is_noisy_by_itself() -> None:
    told = history(0.6)
    assert noisy(WANTED, told) and not noisy(WANTED, told, "time")


def test_a_measurement_is_doubted_until_repeats_agree() -> None:
    for again in ((), (VALUES[0],)):
        made = posterior(history(*again))
        for metric in ("accuracy", "time"):
            assert (np.asarray(made.predict(metric, Doubt.MEASUREMENT).std) > 0).all()


def test_where_repeats_agree_one_measurement_is_the_truth_and_is_not_run_again() -> None:
    made = posterior(history(VALUES[0], VALUES[0]))
    full = made.predict("accuracy", Doubt.MEASUREMENT)
    assert np.asarray(full.std).ravel().tolist() == [0.0] * 4
    assert not len(made.open)


def test_where_repeats_differ_every_measurement_is_doubted_and_may_be_repeated() -> None:
    made = posterior(history(0.6, VALUES[0]))
    full = made.predict("accuracy", Doubt.MEASUREMENT)
    assert (np.asarray(full.std) > 0).all()
    assert made.open.tolist() == [0, 1, 2, 3]
    assert np.asarray(made.predict("time", Doubt.MEASUREMENT).std).ravel().tolist() == [0.0] * 4


def test_a_lucky_measurement_is_not_taken_for_the_best_config() -> None:
    """Ten neighbours say that one of them was lucky: another one is recommended."""
    space = tw.Space(tw.Integer("x", 0, 19))
    wanted = tw.Problem(space, maximize="accuracy")
    rng = np.random.default_rng(0)
    true = {x: 0.9 - 0.3 * abs(x - 14) / 14 for x in range(20)}
    rows = [(x, true[x] + 0.01 * float(rng.standard_normal())) for x in range(20)] * 2
    rows[3] = (3, 0.97)
    told = History(
        Trial(n, {"x": x}).told(tw.Measurement({"accuracy": y})) for n, (x, y) in enumerate(rows)
    )
    strategy = tw.strategy("trimtuner").build(wanted, 0)
    assert abs(strategy.recommend(told).config["x"] - 14) <= 3
