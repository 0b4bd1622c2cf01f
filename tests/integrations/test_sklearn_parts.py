"""What scikit-learn's searches are given, as a space; and slices of training parts."""

from typing import Any

import numpy as np
import pytest

from tests.extras import late, needs
from tunewise.errors import ProblemError, SpaceError
from tunewise.space import Choice, Integer, Ordinal, Real, Space

needs("sklearn", "sklearn")
loguniform, randint, uniform = late("scipy.stats", "loguniform", "randint", "uniform")
DummyClassifier, DummyRegressor = late("sklearn.dummy", "DummyClassifier", "DummyRegressor")
KFold, StratifiedKFold = late("sklearn.model_selection", "KFold", "StratifiedKFold")
SEARCH = "tunewise.integrations.sklearn"
TunewiseSearchCV = late(SEARCH, "TunewiseSearchCV")
Values = late(f"{SEARCH}.distributions", "Values")
count_of_classes = late(f"{SEARCH}.search", "count_of_classes")
SlicedSplitter, large_enough = late(f"{SEARCH}.slices", "SlicedSplitter", "large_enough")


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ([3, 1, 2], Ordinal("p", [1, 2, 3])),
        (np.array([0.5, 0.1]), Ordinal("p", [0.1, 0.5])),
        (["a", "b"], Choice("p", [0, 1])),
        ([True, False], Choice("p", [0, 1])),
        ([1, None], Choice("p", [0, 1])),
        ([1, 2, 1], Choice("p", [0, 1, 2])),
        ([1.0, float("inf")], Choice("p", [0, 1])),
        (lambda: randint(2, 7), Integer("p", 2, 6)),
        (lambda: uniform(1, 3), Real("p", 1.0, 4.0)),
        (lambda: loguniform(0.01, 1), Real("p", 0.01, 1.0, log=True)),
    ],
)
def test_lists_and_distributions_become_parameters(given: Any, parameter: Any) -> None:
    values = given() if callable(given) else given
    assert Values({"p": values}).space.parameters == (parameter,)


def test_listed_values_that_no_space_holds_are_found_by_their_place() -> None:
    first, second = object(), object()
    values = Values({"step": [first, second], "C": [2.0, 1.0]})
    params = values.params({"step": 1, "C": 2.0})
    assert params["step"] is second and params["C"] == 2.0


def test_of_several_dicts_a_config_uses_one_under_the_names_of_its_own() -> None:
    values = Values([{"C": [1.0, 2.0], "kind": ["a", "b"]}, {"C": randint(5, 9)}])
    assert [p.name for p in values.space.parameters] == [
        "which_of_the_dicts", "C__of_0", "kind__of_0", "C__of_1",
    ]  # fmt: skip
    assert values.space.size == 2 * 2 + 4
    first = {"which_of_the_dicts": 0, "C__of_0": 2.0, "kind__of_0": 1}
    assert values.params(first) == {"C": 2.0, "kind": "b"}
    assert values.params({"which_of_the_dicts": 1, "C__of_1": 7}) == {"C": 7}


def test_one_dict_in_a_list_is_that_dict_and_an_empty_one_is_the_defaults() -> None:
    assert Values([{"C": [1, 2]}]).space.names == ("C",)
    both = Values([{"C": [1, 2]}, {}])
    assert both.space.size == 3
    assert both.params({"which_of_the_dicts": 1}) == {}


def test_a_space_is_taken_as_it_is() -> None:
    space = Space(Real("alpha", 0, 1))
    values = Values(space)
    assert values.space.describe() == space.describe()
    assert values.params({"alpha": 0.5}) == {"alpha": 0.5}


@pytest.mark.parametrize("wrong", ["gini", 5, None])
def test_what_is_no_list_is_named_as_it_was_given(wrong: Any) -> None:
    with pytest.raises(SpaceError, match="^'C' is .*expected a list of values"):
        Values([{"a": [1]}, {"C": wrong}])


def test_a_slice_has_its_share_of_each_training_part_and_the_test_part_stays() -> None:
    x, y = np.zeros((40, 1)), np.arange(40) % 2
    whole = list(KFold(4).split(x, y))
    sliced = list(SlicedSplitter(KFold(4), 0.5, stratified=False, seed=0).split(x, y))
    assert [len(train) for train, _ in sliced] == [15] * 4
    for (train, test), (some, same) in zip(whole, sliced, strict=True):
        assert set(some) < set(train)
        assert same.tolist() == test.tolist()


def test_slices_are_nested_and_keep_the_shares_of_classes() -> None:
    x, y = np.zeros((80, 1)), np.repeat([0, 1], [60, 20])
    cut = [
        next(SlicedSplitter(StratifiedKFold(2), s, stratified=True, seed=3).split(x, y))[0]
        for s in (0.2, 0.5, 1.0)
    ]
    assert set(cut[0]) < set(cut[1]) < set(cut[2])
    assert [np.bincount(y[some]).tolist() for some in cut] == [[6, 2], [15, 5], [30, 10]]


@pytest.mark.parametrize(
    ("items", "least", "kept"),
    [
        (64, 4, (1 / 16, 1 / 4, 1.0)),
        (63, 4, (1 / 4, 1.0)),
        (64, 6, (1 / 4, 1.0)),
        (15, 4, (1.0,)),
    ],
)
def test_a_slice_needs_some_items(items: int, least: int, kept: tuple[float, ...]) -> None:
    assert large_enough((1 / 16, 1 / 4, 1.0), items, least) == kept


@pytest.mark.parametrize(
    ("estimator", "y", "classes"),
    [
        (DummyClassifier, [0, 1, 2, 0], 3),
        (DummyClassifier, ["a", "b", "a"], 2),
        (DummyClassifier, [0.0, float("nan")], 0),
        (DummyClassifier, [[0, 1], [1, 1]], 0),
        (DummyClassifier, None, 0),
        (DummyRegressor, [0, 1, 2, 0], 0),
    ],
)
def test_classes_are_counted_where_there_are_some_to_share_out(
    estimator: Any, y: Any, classes: int
) -> None:
    assert count_of_classes(estimator(), y) == classes


def searched(**options: Any) -> Any:
    x, y = np.zeros((40, 1)), np.arange(40) % 2
    space = {"strategy": ["most_frequent", "uniform"]}
    given: Any = {"n_trials": 3, "cv": 2, "random_state": 0, "strategy": "random", **options}
    return TunewiseSearchCV(DummyClassifier(random_state=0), space, **given).fit(x, y)


def test_a_trial_costs_its_share_of_a_full_fit_so_that_a_busy_machine_decides_nothing() -> None:
    found = searched(fractions=(0.5, 1.0))
    assert all(trial.metrics["cost"] == trial.fraction for trial in found.history_)
    assert all("time" not in trial.metrics for trial in found.history_)


def test_seconds_are_told_where_they_are_limited() -> None:
    found = searched(subject_to="time <= 60 s", fractions=(1.0,))
    assert all(trial.metrics["time"] < 60 for trial in found.history_)
    assert all("cost" not in trial.metrics for trial in found.history_)
    assert all(trial.metrics["score_time"] >= 0 for trial in found.history_)


def test_a_limit_on_a_cost_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"'cost'.*not known here.*subject_to='time <= 2 s'"):
        searched(subject_to="cost <= 0.02")


def test_a_function_given_as_refit_decides_alone() -> None:
    found = searched(refit=lambda results: 0)
    assert found.best_index_ == 0


@pytest.mark.parametrize("wrong", [True, 2.5, "3", -1])
def test_a_number_of_trials_is_whole_and_above_nothing(wrong: Any) -> None:
    with pytest.raises(ProblemError, match="expected a whole number above 0"):
        searched(n_trials=wrong)


def test_a_search_ends_when_every_config_was_tried() -> None:
    found = searched(n_trials=50, fractions=(1.0,))
    assert len(found.cv_results_["params"]) == 2


def test_an_error_is_raised_where_the_user_wants_it_so() -> None:
    search = TunewiseSearchCV(
        DummyClassifier(), {"strategy": ["nonsense"]}, n_trials=2, cv=2, error_score="raise"
    )
    with pytest.raises(ValueError, match="nonsense"):
        search.fit(np.zeros((40, 1)), np.arange(40) % 2)
