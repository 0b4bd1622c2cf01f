"""Optuna's distributions and trials in our words, one by one and by hand."""

from datetime import datetime, timedelta
from typing import Any

import pytest

optuna = pytest.importorskip("optuna", reason="needs optuna: pip install 'tunewise[optuna]'")

from optuna.distributions import (  # noqa: E402 - optuna may be absent
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import TrialState, create_trial  # noqa: E402

from tunewise.errors import StrategyError, StudyError  # noqa: E402
from tunewise.history import Failure, Measurement, TimedOut  # noqa: E402
from tunewise.integrations.optuna import TunewiseSampler, history_of  # noqa: E402
from tunewise.integrations.optuna.distributions import Translation, dimension  # noqa: E402
from tunewise.integrations.optuna.trials import (  # noqa: E402
    ASKED,
    SUGGESTED,
    Wanted,
    checked_limits,
    measured,
    objectives,
)
from tunewise.space import Choice, Integer, Real  # noqa: E402

X: dict[str, Any] = {"x": FloatDistribution(0.0, 10.0)}


@pytest.mark.parametrize(
    ("distribution", "parameter", "pairs"),
    [
        (IntDistribution(2, 9), Integer("p", 2, 9), [(2, 2), (9, 9)]),
        (IntDistribution(1, 64, log=True), Integer("p", 1, 64, log=True), [(8, 8)]),
        (IntDistribution(3, 11, step=4), Integer("p", 0, 2), [(3, 0), (7, 1), (11, 2)]),
        (FloatDistribution(0.5, 2.0), Real("p", 0.5, 2.0), [(0.5, 0.5), (1.25, 1.25)]),
        (FloatDistribution(1e-3, 1.0, log=True), Real("p", 1e-3, 1.0, log=True), [(0.1, 0.1)]),
        (FloatDistribution(0.1, 0.5, step=0.2), Integer("p", 0, 2), [(0.1, 0), (0.3, 1), (0.5, 2)]),
        (CategoricalDistribution([None, True, 1]), Choice("p", [0, 1, 2]), [(None, 0), (True, 1)]),
    ],
)
def test_a_distribution_is_a_dimension_whose_values_go_both_ways(
    distribution: Any, parameter: Any, pairs: list[tuple[Any, Any]]
) -> None:
    found = dimension("p", distribution)
    assert found is not None and found.parameter == parameter
    for theirs, ours in pairs:
        assert found.ours(theirs) == pytest.approx(ours)
        assert found.theirs(ours) == pytest.approx(theirs)


def test_a_value_that_was_rounded_to_a_bound_stays_within_it() -> None:
    real = dimension("p", FloatDistribution(0.0, 1 / 3))
    stepped = dimension("p", FloatDistribution(0.0, 0.3, step=0.1))
    assert real is not None and stepped is not None
    assert real.theirs(0.3333333333333334) == 1 / 3
    assert real.theirs(-1e-18) == 0.0
    assert stepped.theirs(3) == 0.3  # and not 0.30000000000000004


def test_bounds_beyond_a_space_are_left_to_optuna() -> None:
    assert dimension("p", IntDistribution(0, 10**13)) is None
    assert dimension("p", FloatDistribution(0.0, 1e200)) is None
    assert dimension("not a name", FloatDistribution(0.0, 1.0)) is None


def test_params_become_a_config_where_all_are_there_and_within() -> None:
    known = Translation(
        {**X, "n": IntDistribution(0, 8, step=2), "c": CategoricalDistribution("ab")}
    )
    assert known.config({"x": 1.5, "n": 6, "c": "b", "else": 1}) == {"x": 1.5, "n": 3, "c": 1}
    assert known.params({"x": 1.5, "n": 3, "c": 1}) == {"x": 1.5, "n": 6, "c": "b"}
    for wrong in ({"x": 1.5, "n": 6}, {"x": 11.0, "n": 6, "c": "b"}, {"x": 1.5, "n": 6, "c": "z"}):
        assert known.config(wrong) is None
    assert known.config({"x": "much", "n": 6, "c": "b"}) is None


def ended(value: float | None = 0.5, **options: Any) -> Any:
    """A trial of Optuna's that took nine seconds by the clock."""
    trial = create_trial(value=value, **{"params": {"x": 1.0}, "distributions": X, **options})
    trial.datetime_start = datetime(2024, 1, 1)
    if trial.state.is_finished():
        trial.datetime_complete = trial.datetime_start + timedelta(seconds=9)
    return trial


def test_a_complete_trial_tells_its_value_its_numbers_and_its_seconds() -> None:
    told = {"memory": 3, "name": "a", "flag": True, "bad": float("nan")}
    outcome = measured(ended(user_attrs=told), ["accuracy"])
    assert outcome == Measurement({"memory": 3.0, "time": 9.0, "accuracy": 0.5})


def test_seconds_and_money_that_are_told_count_before_the_clock() -> None:
    outcome = measured(ended(user_attrs={"time": 2.5, "cost": 0.1}), ["value"])
    assert outcome == Measurement({"time": 2.5, "cost": 0.1, "value": 0.5})
    odd = measured(ended(state=TrialState.FAIL, value=None, user_attrs={"time": -1.0}), ["value"])
    assert odd == Failure("the objective failed", {"time": 9.0})


def test_the_seconds_that_a_suggestion_took_are_not_the_trials() -> None:
    began = datetime(2026, 1, 1)
    trial = create_trial(value=0.5, params={"x": 1.0}, distributions=X, system_attrs={ASKED: 2.5})
    trial.datetime_start, trial.datetime_complete = began, began + timedelta(seconds=3)
    told = measured(trial, ["value"])
    assert told is not None and told.metrics["time"] == pytest.approx(0.5)


def test_a_failed_trial_keeps_what_it_spent_and_so_does_a_pruned_one() -> None:
    failed = ended(state=TrialState.FAIL, value=None, user_attrs={"cost": 0.2})
    assert measured(failed, ["value"]) == Failure(
        "the objective failed", {"cost": 0.2, "time": 9.0}
    )
    pruned = measured(ended(state=TrialState.PRUNED, value=None), ["value"])
    assert pruned == TimedOut("pruned: the training was pruned", {"time": 9.0})
    assert measured(ended(state=TrialState.WAITING, value=None), ["value"]) is None


def test_a_value_that_is_not_finite_is_a_failure() -> None:
    assert measured(ended(float("inf")), ["value"]) == Failure(
        "a value was not finite", {"time": 9.0}
    )


def test_constraints_are_metrics_of_their_own() -> None:
    outcome = measured(ended(system_attrs={"constraints:far": 0.25}), ["value"])
    assert outcome is not None and outcome.metrics["constraint_far"] == 0.25


def studied(*trials: Any, **options: Any) -> Any:
    study = optuna.create_study(**options)
    for trial in trials:
        study.add_trial(trial)
    return study


def wanted(**options: Any) -> Wanted:
    return Wanted(Translation(X), **{"fractions": (0.25, 1.0), "fraction": "share", **options})


def test_directions_become_goals_and_told_constraints_limits() -> None:
    study = studied(directions=["minimize", "maximize"])
    assert objectives(study) == ["value_0", "value_1"]
    problem = wanted(subject_to=checked_limits("memory <= 4")).problem(
        study,
        [ended(system_attrs={"constraints:b": 1.0}), ended(system_attrs={"constraints:a": 1.0})],
    )
    told = [(limit.metric, limit.bound) for limit in problem.constraints]
    assert told == [("memory", 4.0), ("constraint_a", 0.0), ("constraint_b", 0.0)]
    single = wanted().problem(studied(direction="maximize"), [])
    assert [str(goal) for goal in single.objectives] == ["maximise value"]
    assert single.fractions == (0.25, 1.0)


def test_the_history_has_what_ended_and_what_runs_but_not_who_asks() -> None:
    running = ended(state=TrialState.RUNNING, value=None, params={}, distributions={})
    running.system_attrs = {SUGGESTED: {"x": 4.0}}
    pruned = ended(state=TrialState.PRUNED, value=None)
    asking = ended(state=TrialState.RUNNING, value=None)
    study = studied(ended(0.25), running, pruned, asking)
    history = wanted().history(study, study.get_trials(), asking=3)
    known = [(0, {"x": 1.0}), (1, {"x": 4.0}), (2, {"x": 1.0})]
    assert [(t.number, t.config) for t in history] == known
    assert [t.status for t in history] == ["complete", "running", "pruned"]
    assert [t.number for t in history.pending] == [1]
    assert history[0].metrics["value"] == 0.25


def reported(steps: dict[int, float], value: float | None = None) -> Any:
    state = TrialState.PRUNED if value is None else TrialState.COMPLETE
    return ended(value, state=state, intermediate_values=steps)


@pytest.mark.parametrize(("first", "shares"), [(0, [0.3, 0.5, 0.3]), (1, [0.2, 0.4, 0.2])])
def test_a_pruned_trial_tells_what_it_reported_last_beside_what_others_had_by_then(
    first: int, shares: list[float]
) -> None:
    way = range(first, 10 + first)
    whole = reported({step: step / 10 for step in way}, 1.0)
    two, four = (reported({k: 0.1 for k in way if k <= last}) for last in (2, 4))
    study = studied(whole, two, two, four)
    history = wanted().history(study, study.get_trials(), asking=-1)
    assert history[0].measurement is not None
    assert history[0].measurement.snapshots == {shares[0]: {"value": 0.2}}
    assert [t.reported for t in history][1:] == [
        {shares[2]: {"value": 0.1}},
        {shares[2]: {"value": 0.1}},
        {shares[1]: {"value": 0.1}},
    ]


def test_what_is_not_finite_was_not_reported_and_the_last_step_is_no_value() -> None:
    whole = reported({1: 0.2, 2: 0.4}, 0.4)
    odd, late = reported({1: float("nan")}), reported({1: 0.1, 2: 0.2})
    study = studied(whole, odd, late)
    history = wanted().history(study, study.get_trials(), asking=-1)
    assert history[1].reported == {} and history[2].reported == {0.999: {"value": 0.2}}


@pytest.mark.parametrize(
    ("said", "taken"),
    [(1.0, 1.0), (0.25, 0.25), (0.3, 0.25), (0.6, 1.0), (0.45, 0.25), (1, 1.0), (1e-9, 0.25)],
)
def test_a_share_counts_as_the_nearest_by_its_logarithm(said: float, taken: float) -> None:
    study = studied(ended(user_attrs={"share": said}))
    [trial] = wanted().history(study, study.get_trials(), asking=-1)
    assert trial.fraction == taken


@pytest.mark.parametrize("said", ["half", 0.0, -0.5, 1.5, True])
def test_a_trial_whose_share_is_none_is_left_out(said: Any) -> None:
    study = studied(ended(user_attrs={"share": said}))
    assert len(wanted().history(study, study.get_trials(), asking=-1)) == 0


@pytest.mark.parametrize(
    ("given", "metrics"),
    [
        ("time <= 60", ["time"]),
        (["memory <= 4", "cost <= 1"], ["memory", "cost"]),
        (("recall", ">=", 0.8), ["recall"]),
        ([("recall", ">=", 0.8), "a.b-c <= 1"], ["recall", "a.b-c"]),
        ((), []),
    ],
)
def test_limits_are_read_in_every_form(given: Any, metrics: list[str]) -> None:
    found = checked_limits(given)
    assert [limit.metric for limit in found] == metrics
    assert checked_limits(found) == found


def test_an_imported_history_numbers_what_counts_and_names_its_values() -> None:
    fraction = {"fraction": CategoricalDistribution([0.5, 1])}
    sliced = ended(0.75, params={"x": 2.0, "fraction": 0.5}, distributions={**X, **fraction})
    study = studied(ended(state=TrialState.PRUNED, value=None), ended(), sliced)
    history = history_of(study, metrics="accuracy")
    assert [(t.number, t.config, t.fraction) for t in history] == [
        (0, {"x": 1.0}, 1.0),
        (1, {"x": 2.0}, 0.5),
    ]
    assert [t.metrics["accuracy"] for t in history] == [0.5, 0.75]
    whole = history_of(study, fraction="share")
    assert whole[1].config == {"x": 2.0, "fraction": 0.5} and whole[1].fraction == 1.0


@pytest.mark.parametrize("said", ["half", 0.0, 1.5, True])
def test_an_imported_share_that_is_none_is_named(said: Any) -> None:
    study = studied(ended(), ended(user_attrs={"fraction": said}), study_name="old")
    with pytest.raises(
        StudyError, match=r"trial 1 of study 'old' has 'fraction'.*fraction='share'"
    ):
        history_of(study)
    assert len(history_of(study, fraction="share")) == 2


def test_several_values_are_named_one_by_one() -> None:
    study = studied(directions=["minimize", "maximize"])
    study.add_trial(create_trial(values=[1.0, 2.0], params={"x": 1.0}, distributions=X))
    [trial] = history_of(study, metrics=["error", "speed"])
    assert (trial.metrics["error"], trial.metrics["speed"]) == (1.0, 2.0)
    with pytest.raises(StudyError, match=r"has 2 values a trial.*got \['value'\]"):
        history_of(study)


@pytest.mark.parametrize(
    "distribution",
    [IntDistribution(0, 1), FloatDistribution(-0.5, 1.0), FloatDistribution(0.1, 0.9)],
)
def test_a_range_without_all_of_the_data_is_no_fraction(distribution: Any) -> None:
    sampler = TunewiseSampler(seed=0)
    with pytest.raises(StrategyError, match="expected shares of the data, above 0 and at most 1"):
        sampler.sample_independent(studied(), ended(), "fraction", distribution)


def test_the_first_trial_takes_the_smallest_share_in_the_words_of_its_distribution() -> None:
    sampler, study = TunewiseSampler(seed=0), studied()
    listed = CategoricalDistribution([1, 0.5])
    assert sampler.sample_independent(study, ended(), "fraction", listed) == 0.5
    only = sampler.sample_independent(study, ended(), "fraction", CategoricalDistribution([1]))
    assert only == 1 and type(only) is int
    ranged = FloatDistribution(0.05, 1.0)
    assert sampler.sample_independent(study, ended(), "fraction", ranged) == pytest.approx(1 / 16)


@pytest.mark.parametrize("wrong", [True, 1.0, 2**32, None])
def test_a_seed_is_a_whole_number_of_32_bits(wrong: Any) -> None:
    if wrong is None:
        assert TunewiseSampler(seed=None)._seed != TunewiseSampler(seed=None)._seed
        return
    with pytest.raises(StrategyError, match=f"expected a whole number from 0 to {2**32 - 1}"):
        TunewiseSampler(seed=wrong)
