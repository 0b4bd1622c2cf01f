"""The questions that a posterior answers."""

from math import log, sqrt

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import made_noisy, problem, ran, written
from tests.extras import late
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.candidates import Candidates
from tunewise.belief.future import futures
from tunewise.belief.grid import Grid
from tunewise.belief.model import Model
from tunewise.belief.posterior import Doubt, Posterior
from tunewise.history import History
from tunewise.history.repeats import noisy
from tunewise.testing.strategies import measured as made_up
from tunewise.testing.strategies import problem as small

norm = late("scipy.stats", "norm")

SLICED = problem(3, (0.5, 1.0), maximize="accuracy", subject_to="cost <= 0.1")
BELIEFS = {
    "accuracy": ([0.0, 1.0, 0.5, 1.5, -1.0, 0.0], [0.5] * 6),
    "cost": ([log(0.02), log(0.05), log(0.04), log(0.1), log(0.1), log(0.4)], [0.3] * 6),
}


def learned(count: int = 8, **wanted: object) -> Posterior:
    """After so many random trials of the made-up training."""
    asked = small(True, **wanted)
    rng = np.random.default_rng(0)
    trials = []
    for number, place in enumerate(rng.permutation(48)[:count]):
        trial = tw.Trial(number, asked.space.configs[place // 2], (0.1, 1.0)[place % 2])
        trials.append(trial.told(made_up(trial)))
    posterior = Modelled().posterior(asked, History(trials), 0, None)
    assert posterior is not None
    return posterior


def test_feasibility_is_the_probability_that_each_limit_holds() -> None:
    feasible = written(SLICED, BELIEFS).feasible()
    expected = norm.cdf((log(0.1) - np.array(BELIEFS["cost"][0])) / 0.3).reshape(3, 2)
    assert feasible == pytest.approx(expected)


def test_a_trial_that_fails_keeps_no_limit() -> None:
    told = {**BELIEFS, "success": ([1.0, 1.0, 0.5, 0.5, 0.0, 0.0], [0.25] * 6)}
    posterior = written(SLICED, told)
    assert posterior.success() == pytest.approx(
        norm.sf((0.5 - np.array([[1, 1], [0.5, 0.5], [0, 0]])) / 0.25)
    )
    assert posterior.feasible() == pytest.approx(
        written(SLICED, BELIEFS).feasible() * posterior.success()
    )


def test_spending_is_the_expectation_of_a_log_normal() -> None:
    posterior = written(SLICED, BELIEFS)
    expected = np.exp(np.array(BELIEFS["cost"][0]) + 0.5 * 0.3**2).reshape(3, 2)
    assert posterior.spending() == pytest.approx(expected)
    assert posterior.expected_usd(3) == pytest.approx(expected[1, 1])
    unlucky = np.exp(np.array(BELIEFS["cost"][0]) + 2 * 0.3).reshape(3, 2)
    assert posterior.spending_at_most(2.0) == pytest.approx(unlucky)


def test_without_cost_or_time_every_trial_spends_one() -> None:
    wanted = problem(2, maximize="accuracy")
    posterior = written(wanted, {"accuracy": ([0.0, 0.0], [1.0, 1.0])})
    assert posterior.effort is None and posterior.expected_usd(0) is None
    assert posterior.spending().tolist() == [[1.0], [1.0]]


def test_where_repeats_agree_what_was_measured_on_the_full_data_is_known() -> None:
    history = History([ran(1, 1.0, accuracy=0.9, cost=0.08)])
    posterior = written(SLICED, BELIEFS, history)
    assert posterior.predict("cost", Doubt.MEASUREMENT)[1, 1].std == pytest.approx(0.3)
    posterior = written(SLICED, BELIEFS, history, exact=True)
    believed = posterior.predict("cost", Doubt.MEASUREMENT)
    assert believed[1, 1].mean == pytest.approx(log(0.08)) and believed[1, 1].std == 0.0
    assert believed[1, 0].std == pytest.approx(0.3) and believed[0, 1].std == pytest.approx(0.3)
    assert posterior.feasible(Doubt.MEASUREMENT)[1, 1] == 1.0
    assert posterior.describe({"x": 1}, 1.0).feasible == 1.0


def test_noise_belongs_to_a_measurement_and_not_to_the_metric() -> None:
    posterior = learned()
    noise = posterior.believed("accuracy").surrogate.noise_
    metric, seen = posterior.predict("accuracy"), posterior.predict("accuracy", Doubt.MEASUREMENT)
    assert noise > 0
    assert seen.std == pytest.approx(np.hypot(metric.std, noise))


def test_open_is_what_neither_ran_nor_is_waited_for() -> None:
    history = History([ran(0, 0.5, accuracy=0.5, cost=0.02)])
    posterior = written(SLICED, BELIEFS, history)
    assert posterior.open.tolist() == [1, 2, 3, 4, 5]
    assumed = posterior.assuming([({"x": 1}, 1.0), ({"x": 2}, 0.5)])
    assert assumed.open.tolist() == [1, 2, 5]
    assert posterior.assuming([]) is posterior


def test_assuming_trials_keeps_means_and_narrows_their_like() -> None:
    posterior = written(SLICED, BELIEFS, together={"accuracy": 0.8})
    assumed = posterior.assuming([({"x": 1}, 1.0)])
    before, after = posterior.predict("accuracy"), assumed.predict("accuracy")
    assert after.mean == pytest.approx(before.mean)
    assert after[0, 0].std == pytest.approx(0.5 * sqrt(1 - 0.8**2), rel=1e-4)


def test_a_future_is_what_conditioning_would_give() -> None:
    posterior = learned()
    trials, targets = posterior.open[[0, 5, 9]], np.arange(len(posterior.grid.candidates))
    future = futures(posterior, trials, targets)
    metric = posterior.believed("accuracy")
    x, s = posterior.grid.points(trials)
    for row in range(len(trials)):
        seen = future.objective.fantasy.mean[row] + future.objective.fantasy.std[row]
        told = metric.surrogate.condition(x[row], s[row], [seen]).predict(
            posterior.grid.candidates.x, 1.0
        )
        unknown = np.isnan(posterior.known("accuracy"))
        if s[row] == 1.0:
            unknown[posterior.grid.config(trials[[row]])] = False
        after = np.asarray(future.objective.after(1.0).mean)
        assert after[row][unknown] == pytest.approx(np.asarray(told.mean)[unknown], abs=1e-6)


def test_plausible_configs_include_the_best_and_leave_out_the_hopeless() -> None:
    posterior = written(SLICED, BELIEFS)
    assert posterior.plausible(None).tolist() == [0, 1, 2] == posterior.plausible(3).tolist()
    assert int(posterior.rewards.argmax()) in posterior.plausible(1)
    assert 2 not in posterior.plausible(2)
    # Without an eye on the limit the best objective counts, however dear.
    assert posterior.plausible(1, limited=False).tolist() == [1]


def test_a_belief_that_says_nothing_is_noted() -> None:
    told = written(SLICED, BELIEFS).describe({"x": 0}, 1.0)
    assert told.note == "" and told.predicted["accuracy"].mean == pytest.approx(0.72, abs=0.01)
    vague = {**BELIEFS, "cost": (BELIEFS["cost"][0], [3.0] * 6)}
    note = written(SLICED, vague).describe({"x": 0}, 1.0).note
    assert note == "no trial supports a prediction of cost there yet"


REALS = tw.Problem(tw.Space(tw.Real("a", 0.0, 1.0), tw.Real("b", 0.0, 1.0)), maximize="accuracy")


def points(*values: tuple[float, float, float], **more: object) -> History:
    return History(
        tw.Trial(n, {"a": a, "b": b}).told(tw.Measurement({"accuracy": y}, **more))  # type: ignore[arg-type] # deviations
        for n, (a, b, y) in enumerate(values)
    )


def test_a_config_that_is_another_to_three_digits_is_not_tried_again() -> None:
    tried = points((0.5, 0.5, 0.8), (0.2, 0.7, 0.6))
    near = [{"a": 0.5002, "b": 0.4998}, {"a": 0.51, "b": 0.5}]
    grid = Grid(Candidates.of(REALS, near), np.ones(1))
    assert Modelled()._open(REALS, tried, grid).tolist() == [1]


def test_where_measurements_are_noisy_it_may_be_tried_again() -> None:
    repeated = points((0.5, 0.5, 0.8), (0.5, 0.5, 0.7))
    near = Grid(Candidates.of(REALS, [{"a": 0.5002, "b": 0.5}]), np.ones(1))
    assert noisy(REALS, repeated) and not noisy(REALS, points((0.5, 0.5, 0.8)))
    assert noisy(REALS, points((0.5, 0.5, 0.8), deviations={"accuracy": 0.01}))
    assert Modelled()._open(REALS, repeated, near).tolist() == [0]


def test_where_all_are_near_a_tried_one_the_pool_stays_as_it_is() -> None:
    tried = points((0.5, 0.5, 0.8))
    near = Grid(Candidates.of(REALS, [{"a": 0.5002, "b": 0.5}]), np.ones(1))
    assert Modelled()._open(REALS, tried, near).tolist() == [0]


@pytest.mark.parametrize(
    ("fractions", "deploy", "expected"),
    [
        ("all", "full", [0.1, 0.5, 1.0]),
        ("full", "any", [1.0]),
        ("deployable", "full", [1.0]),
        ("deployable", "any", [0.1, 0.5, 1.0]),
    ],
)
def test_the_grid_has_the_fractions_that_are_asked_for(
    fractions: str, deploy: str, expected: list[float]
) -> None:
    wanted = small(True, minimize="cost", subject_to=["accuracy >= 0.5"], deploy=deploy)
    grid = Modelled(fractions=fractions).grid(wanted, History(), 0)  # type: ignore[arg-type] # a word
    assert grid.fractions.tolist() == expected


def test_slices_keep_the_full_data_in_sight_but_do_not_run_it() -> None:
    wanted = small()
    trial = tw.Trial(0, wanted.space.configs[0], 0.1)
    history = History([trial.told(made_up(trial))])
    posterior = Modelled(fractions="slices").posterior(wanted, history, 0, None)
    assert posterior is not None
    assert 1.0 in posterior.grid.fractions
    assert (posterior.grid.fraction(posterior.open) < 1).all()


def test_where_only_the_full_data_teaches_slices_say_nothing() -> None:
    wanted = small()
    trial = tw.Trial(0, wanted.space.configs[0], 0.1)
    history = History([trial.told(made_up(trial))])
    only = Modelled(Model(full_only=True), "full")
    assert only.posterior(wanted, history, 0, None) is None
    assert only.posterior(wanted, History(), 0, None) is None


def test_what_would_be_measured_keeps_a_limit_less_surely_than_the_metric_itself() -> None:
    wanted = problem(1, maximize="accuracy", subject_to="cost <= 1")
    posterior = written(wanted, {"accuracy": ([0.0], [0.1]), "cost": ([-0.4], [0.4])})
    made_noisy(posterior, "cost")
    assert posterior.feasible()[0, 0] == pytest.approx(0.8413, abs=1e-4)  # one deviation below
    new = posterior.describe({"x": 0}, 1.0).feasible
    assert new == pytest.approx(0.7881, abs=1e-4)  # 0.4 / hypot(0.4, 0.3) = 0.8 of one
    assert posterior.feasible(Doubt.MEASUREMENT)[0, 0] == pytest.approx(new)


def test_a_config_measured_on_a_slice_is_said_to_be_where_the_rest_is_a_guess() -> None:
    wanted = problem(2, (0.25, 1.0), minimize="cost")
    vague = {"cost": ([0.0, 0.0, 0.0, 0.0], [0.1, 3.0, 0.1, 3.0])}
    posterior = written(wanted, vague, History([ran(0, 0.25, cost=1.0)]))
    assert "measured on 1/4 of the data only" in posterior.describe({"x": 0}, 1.0).note
    assert "no trial supports" in posterior.describe({"x": 1}, 1.0).note


def test_a_guess_of_what_nobody_asked_for_is_left_unsaid() -> None:
    wanted = problem(1, maximize="accuracy")
    for deviation, said in ((0.2, True), (2.0, False)):
        beliefs = {"accuracy": ([0.0], [0.1]), "time": ([0.0], [deviation])}
        told = written(wanted, beliefs).describe({"x": 0}, 1.0)
        assert ("time" in told.predicted) == said and not told.note
