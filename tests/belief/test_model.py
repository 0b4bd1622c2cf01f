"""Which metrics are learned, by what, and what trials that gave no result teach."""

import numpy as np
import pytest

import tunewise as tw
from tests.belief.tiny import problem, ran
from tunewise.acquisition.modelled import Modelled
from tunewise.belief.candidates import Candidates
from tunewise.belief.model import Learned, Model
from tunewise.history import History, Trial
from tunewise.history.repeats import noisy
from tunewise.surrogate.exchangeable import Exchangeable
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.registered import SurrogateSpec

PLAIN = problem(4, maximize="accuracy", subject_to="time <= 100")
SLICED = problem(4, (0.1, 1.0), maximize="accuracy", subject_to="time <= 100")
NAMED = tw.Problem(
    tw.Space(tw.Choice("model", ["a", "b", "c"])), maximize="accuracy", fractions=(0.1, 0.5, 1.0)
)


def learned(*trials: Trial, model: Model = Model(), wanted: tw.Problem = PLAIN) -> Learned:  # noqa: B008 # a frozen default
    several = len(wanted.fractions) > 1
    return model.learn(wanted, History(trials), several, None)


def done(x: int, number: int = 0, fraction: float = 1.0, **metrics: float) -> Trial:
    return ran(x, fraction, number, **{"accuracy": 0.5 + 0.1 * x, "time": 1.0 + x, **metrics})


def test_what_is_needed_is_learned_and_what_trials_spend() -> None:
    assert list(learned(done(0)).metrics) == ["accuracy", "time"]
    assert learned(done(0)).effort == "time"
    priced = learned(done(0, cost=0.5))
    assert (list(priced.metrics), priced.effort) == (["accuracy", "time", "cost"], "cost")


def test_effort_is_what_every_complete_trial_tells() -> None:
    assert learned(done(0, cost=0.5), done(1, 1)).effort == "time"
    assert learned(done(0, cost=0.0)).effort == "time"
    wanted = problem(2, maximize="accuracy")
    assert learned(ran(0, accuracy=0.5), wanted=wanted).effort is None


def test_only_the_full_data_teaches_where_that_is_asked_for() -> None:
    trials = [done(0, 0, 0.1, accuracy=0.1), done(1, 1, 1.0, accuracy=0.9)]
    belief = learned(*trials, model=Model(full_only=True), wanted=SLICED).metrics["accuracy"]
    assert isinstance(belief.surrogate, GaussianProcess)
    assert len(belief.surrogate._posteriors[0].data.y) == 1
    both = learned(*trials, wanted=SLICED).metrics["accuracy"]
    assert isinstance(both.surrogate, GaussianProcess)
    assert len(both.surrogate._posteriors[0].data.y) == 2


@pytest.mark.parametrize(
    ("basis", "accuracy", "time"),
    [("log", "log", "log"), ("fabolas", "accuracy", "cost"), ("none", "none", "none")],
)
def test_how_metrics_change_with_the_data_is_by_the_basis(
    basis: str, accuracy: str, time: str
) -> None:
    model = Model(basis=basis)  # type: ignore[arg-type] # one of them
    assert model._basis(SLICED.metrics["accuracy"], True) == accuracy
    assert model._basis(SLICED.metrics["time"], True) == time
    assert model._basis(SLICED.metrics["time"], False) == "none"


def test_usual_slopes_are_assumed_where_there_are_slices_unless_told_otherwise() -> None:
    trial = done(0, 0, 0.1)
    here = Candidates.of(SLICED, SLICED.space.configs[:1])

    def ten_times(believed: Learned) -> float:
        offset = believed.metrics["time"].offset
        return float((offset(here, 1.0) - offset(here, 0.1))[0])

    assert ten_times(learned(trial, wanted=SLICED)) == pytest.approx(1.8)
    assert ten_times(learned(trial, model=Model(published=True), wanted=SLICED)) == 0.0
    assert ten_times(learned(done(0))) == 0.0


def test_success_is_doubted_only_once_a_trial_failed() -> None:
    failed = Trial(9, {"x": 3}).told(tw.Failure("out of memory"))
    assert learned(done(0), done(1, 1)).success is None
    belief = learned(done(0), done(1, 1), failed).success
    assert belief is not None
    ends = belief.predict(Candidates.of(PLAIN, PLAIN.space.configs), 1.0)
    assert ends.probability_above(0.5)[0] > 0.8 > 0.5 > ends.probability_above(0.5)[3]


def test_a_trial_that_was_stopped_has_not_failed_where_its_time_matters() -> None:
    stopped = Trial(9, {"x": 3}).told(tw.TimedOut("it took 60 s", {"time": 60.0}))
    assert learned(done(0), stopped).success is None
    free = problem(4, maximize="accuracy")
    assert learned(done(0), stopped, wanted=free).success is not None
    untold = Trial(9, {"x": 3}).told(tw.TimedOut("stopped"))
    assert learned(done(0), untold).success is not None


def test_what_a_stopped_trial_had_spent_is_a_lower_bound() -> None:
    quick = learned(done(0), done(1, 1), done(2, 2))
    stopped = Trial(9, {"x": 3}).told(tw.TimedOut("it took 60 s", {"time": 60.0}))
    slow = learned(done(0), done(1, 1), done(2, 2), stopped)
    here = Candidates.of(PLAIN, [{"x": 3}])
    before, after = (
        float(np.asarray(each.metrics["time"].predict(here, 1.0).mean)[0]) for each in (quick, slow)
    )
    assert after > max(before, np.log(40.0))


def test_configs_of_one_choice_are_unrelated_and_all_others_are_not() -> None:
    assert Model().unrelated(NAMED) and not Model().unrelated(PLAIN)
    two = tw.Space(tw.Choice("model", ["a", "b"]), tw.Choice("vm", ["c", "d"]))
    assert not Model().unrelated(tw.Problem(two, maximize="accuracy"))


@pytest.mark.parametrize("surrogate", ["gp", "trees", {"name": "trees", "trees": 9}])
def test_of_unrelated_configs_processes_and_trees_believe_the_same(surrogate: object) -> None:
    """Trees had carried the slope of all learners on for each of them."""
    told = [
        Trial(i, {"model": name}, s).told(tw.Measurement({"accuracy": 0.5 + gain * (1 + s)}))
        for name, gain in (("a", 0.0), ("b", 0.2))
        for i, s in enumerate((0.1, 0.5))
    ]
    model = Model(SurrogateSpec.of(surrogate))  # type: ignore[arg-type] # a name, or a name with options
    belief = model.learn(NAMED, History(told), True, None).metrics["accuracy"]
    assert model.unrelated(NAMED) and isinstance(belief.surrogate, Exchangeable)
    here = Candidates.of(NAMED, [{"model": "a"}, {"model": "b"}])
    half, full = (np.asarray(belief.predict(here, s).mean) for s in (0.5, 1.0))
    flat, steep = full - half
    assert steep > flat + 0.1


@pytest.mark.parametrize(
    "surrogate", [{"name": "trees", "slope": 0.0}, {"name": "gp", "samples": 2}, "gp_mcmc"]
)
def test_trees_of_papers_and_processes_with_options_are_kept_to(surrogate: object) -> None:
    model = Model(SurrogateSpec.of(surrogate))  # type: ignore[arg-type] # a name, or a name with options
    assert not model.unrelated(NAMED)


def test_assuming_no_trials_changes_nothing() -> None:
    belief = learned(done(0))
    assert belief.assuming(Candidates.of(PLAIN, []), np.empty(0)) is belief


def test_assuming_trials_is_assuming_every_metric_and_success() -> None:
    failed = Trial(9, {"x": 3}).told(tw.Failure("out of memory"))
    belief, here = learned(done(0), failed), Candidates.of(PLAIN, [{"x": 2}])
    after = belief.assuming(here, np.ones(1))
    assert belief.success is not None and after.success is not None
    pairs = [(belief.metrics[n], after.metrics[n]) for n in belief.metrics]
    for one, two in [*pairs, (belief.success, after.success)]:
        narrowed = two.predict(here, 1.0).std, one.predict(here, 1.0).std
        assert np.asarray(narrowed[0])[0] < np.asarray(narrowed[1])[0]
    assert after.effort == belief.effort


def test_repeats_that_differ_or_told_deviations_make_a_problem_noisy() -> None:
    same = [ran(0, 1.0, 0, accuracy=0.5), ran(0, 1.0, 1, accuracy=0.5)]
    other = [ran(0, 1.0, 0, accuracy=0.5), ran(0, 0.1, 1, accuracy=0.6)]
    assert not noisy(SLICED, History(same)) and not noisy(SLICED, History(other))
    assert noisy(SLICED, History([*same, ran(0, 1.0, 2, accuracy=0.6)]))
    told = tw.Measurement({"accuracy": 0.5}, deviations={"accuracy": 0.1})
    assert noisy(SLICED, History([Trial(0, {"x": 0}).told(told)]))
    exact = tw.Measurement({"accuracy": 0.5}, deviations={"accuracy": 0.0})
    assert not noisy(SLICED, History([Trial(0, {"x": 0}).told(exact)]))


@pytest.mark.parametrize(
    ("fractions", "deploy", "expected"),
    [
        ("all", "full", [0.1, 1.0]),
        ("full", "full", [1.0]),
        ("deployable", "full", [1.0]),
        ("deployable", "any", [0.1, 1.0]),
        ("slices", "full", [0.1, 1.0]),
    ],
)
def test_which_fractions_are_weighed(fractions: str, deploy: str, expected: list[float]) -> None:
    wanted = problem(2, (0.1, 1.0), maximize="accuracy", deploy=deploy)
    part = Modelled(fractions=fractions)  # type: ignore[arg-type] # one of them
    assert part.grid(wanted, History(), 0).fractions.tolist() == expected


def test_where_only_slices_are_run_the_full_data_is_not_open() -> None:
    history = History([done(0, 0, 0.1)])
    part = Modelled(fractions="slices").posterior(SLICED, history, 0, None)
    every = Modelled().posterior(SLICED, history, 0, None)
    assert part is not None and every is not None
    assert part.grid.fraction(part.open).tolist() == [0.1, 0.1, 0.1]
    assert len(every.open) == 7


def test_there_is_no_belief_before_a_trial_that_may_teach() -> None:
    assert Modelled().posterior(SLICED, History(), 0, None) is None
    on_slice = History([done(0, 0, 0.1)])
    assert Modelled().posterior(SLICED, on_slice, 0, None) is not None
    assert Modelled(Model(full_only=True)).posterior(SLICED, on_slice, 0, None) is None
