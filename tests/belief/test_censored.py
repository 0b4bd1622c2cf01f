"""What stopped trials teach."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tunewise as tw
from tunewise.belief.candidates import Candidates
from tunewise.belief.model import Learned, Model
from tunewise.surrogate import Normal
from tunewise.surrogate.registered import SurrogateSpec

SPACE = tw.Space.of([{"x": x} for x in range(12)])
SLOW = Candidates.of(tw.Problem(SPACE, minimize="time"), [{"x": 9}, {"x": 10}])


def learned(problem: tw.Problem, history: tw.History, surrogate: str = "gp") -> Learned:
    return Model(SurrogateSpec(surrogate)).learn(problem, history, several=False, prior=None)


def measured(*stopped: tw.Trial) -> tw.History:
    """Six quick trials, and some that were stopped."""
    quick = [
        tw.Trial(x, {"x": x}).told(tw.Measurement({"time": 10.0 + x, "accuracy": 0.9}))
        for x in range(6)
    ]
    return tw.History([*quick, *stopped])


def stopped(seconds: float, x: int = 9) -> tw.Trial:
    return tw.Trial(x, {"x": x}).told(tw.TimedOut("pruned", {"time": seconds}))


@given(st.floats(-5, 5), st.floats(0, 3), st.floats(-40, 60))
def test_what_is_expected_above_a_bound_is_above_it_and_the_mean(
    mean: float, std: float, bound: float
) -> None:
    expected = float(Normal(mean, std).mean_above(bound))
    assert max(mean, bound) - 1e-9 <= expected <= max(mean, bound) + std + 1e-6


def test_what_is_expected_above_the_mean_is_known_in_closed_form() -> None:
    expected = Normal(np.array([1.0]), np.array([2.0])).mean_above([1.0])
    assert expected == pytest.approx([1.0 + 2.0 * np.sqrt(2 / np.pi)])


@pytest.mark.parametrize("surrogate", ["gp", "trees"])
def test_a_stopped_trial_teaches_that_its_config_is_slow(surrogate: str) -> None:
    problem = tw.Problem(SPACE, minimize="time", subject_to="accuracy >= 0.5")

    def expected(history: tw.History) -> np.ndarray:
        belief = learned(problem, history, surrogate)
        return np.asarray(belief.metrics["time"].natural(SLOW, 1.0).mean)

    before, after = expected(measured()), expected(measured(stopped(200.0)))
    assert (after > 2 * before).all()


def test_a_stopped_trial_is_no_crash_where_its_time_matters() -> None:
    def success(history: tw.History, **limits: str) -> bool:
        problem = tw.Problem(SPACE, maximize="accuracy", **limits)  # type: ignore[arg-type] # a mix of keywords
        return learned(problem, history).success is not None

    crashed = tw.Trial(8, {"x": 8}).told(tw.Failure("out of memory", {"time": 1.0}))
    assert not success(measured(stopped(50.0)), subject_to="time <= 30")
    assert success(measured(stopped(50.0), crashed), subject_to="time <= 30")
    # Where time is neither wanted nor limited, all that is known is that nothing was measured.
    assert success(measured(stopped(50.0)))


def test_bounds_teach_about_each_other_where_nothing_relates_configs() -> None:
    """Three that end within 2 s and three that do not within 50: any other may take long."""
    space = tw.Space(tw.Choice("learner", list("abcdefg")))
    problem = tw.Problem(space, maximize="accuracy", subject_to="time <= 100")
    ended = [
        tw.Trial(i, {"learner": name}).told(
            tw.Measurement({"time": 1.0 + 0.2 * i, "accuracy": 0.8})
        )
        for i, name in enumerate("abc")
    ]
    stopped = [
        tw.Trial(i, {"learner": name}).told(tw.TimedOut("pruned", {"time": 50.0}))
        for i, name in enumerate("def", start=3)
    ]
    other = Candidates.of(problem, [{"learner": "g"}, {"learner": "d"}])
    before = learned(problem, tw.History(ended)).metrics["time"].predict(other, 1.0)
    after = learned(problem, tw.History([*ended, *stopped])).metrics["time"].predict(other, 1.0)
    assert np.asarray(after.std)[0] > 1.2 * np.asarray(before.std)[0]
    assert np.asarray(after.mean)[1] > np.log(50)
    assert np.asarray(after.probability_below(np.log(100)))[1] < 0.5
