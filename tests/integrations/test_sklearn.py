"""TunewiseSearchCV: scikit-learn's own checks, and what it promises beyond them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tunewise as tw
from tests.doubts import unsure
from tests.extras import late, needs
from tunewise.errors import ProblemError, SpaceError, TunewiseWarning

needs("sklearn", "sklearn")
loguniform, norm, randint = late("scipy.stats", "loguniform", "norm", "randint")
make_classification, make_regression = late(
    "sklearn.datasets", "make_classification", "make_regression"
)
LogisticRegression, Ridge = late("sklearn.linear_model", "LogisticRegression", "Ridge")
StratifiedKFold = late("sklearn.model_selection", "StratifiedKFold")
DecisionTreeClassifier = late("sklearn.tree", "DecisionTreeClassifier")
TunewiseSearchCV = late("tunewise.integrations.sklearn", "TunewiseSearchCV")


def of_classifier(**options: Any) -> Any:
    given = {"n_trials": 3, "cv": 2, "random_state": 0, **options}
    return TunewiseSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, **given)


def of_regressor() -> Any:
    space = tw.Space(tw.Real("alpha", 0.1, 1.0, log=True))
    return TunewiseSearchCV(Ridge(), space, n_trials=3, cv=2, random_state=0)


@pytest.mark.filterwarnings("default")  # as the checks run elsewhere: some count warnings
@pytest.mark.parametrize("search", [of_classifier, of_regressor])
def test_it_passes_the_checks_of_scikit_learn(search: Callable[[], Any]) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    ended = check_estimator(search(), on_skip=None)  # it raises what the first check finds
    assert {check["status"] for check in ended} <= {"passed", "skipped"}


@pytest.fixture(scope="module")
def points() -> Any:
    return make_classification(400, 8, n_informative=4, random_state=0)


def test_lists_and_distributions_are_searched_as_the_searches_of_scikit_learn_do(
    points: Any,
) -> None:
    space = {
        "max_depth": randint(1, 8),
        "criterion": ["gini", "entropy"],
        "ccp_alpha": loguniform(1e-5, 1e-1),
    }
    search = TunewiseSearchCV(
        DecisionTreeClassifier(random_state=0), space, n_trials=12, cv=3, random_state=1
    )
    search.fit(*points)
    assert {*search.best_params_} == {*space}
    assert search.best_params_["criterion"] in ("gini", "entropy")
    assert 1 <= search.best_params_["max_depth"] < 8
    assert search.score(*points) > 0.8


def test_most_trials_see_a_slice_and_the_answer_was_measured_at_the_full_data(points: Any) -> None:
    search = of_classifier(n_trials=8, fractions=(1 / 16, 1 / 4, 1))
    search.set_params(space={"C": loguniform(1e-4, 1e4)}).fit(*points)
    fractions = search.cv_results_["fraction"]
    assert min(fractions) < 1
    assert fractions[search.best_index_] == 1.0
    assert search.cv_results_["mean_test_score"][search.best_index_] == search.best_score_
    ranks = search.cv_results_["rank_test_score"]
    assert max(ranks[fractions == 1]) < min(ranks[fractions < 1]) and min(ranks) == 1
    assert search.recommendation_.config == search.best_params_
    assert len(search.history_) == len(fractions)


def test_the_training_parts_are_sliced_and_the_scored_parts_stay_whole(points: Any) -> None:
    from sklearn.base import BaseEstimator, ClassifierMixin

    seen: list[tuple[int, int]] = []

    class Recorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # no types
        def __init__(self, value: int = 0) -> None:
            self.value = value

        def fit(self, x: Any, y: Any) -> "Recorder":
            self.classes_, self.trained_ = np.unique(y), len(y)
            return self

        def predict(self, x: Any) -> Any:
            seen.append((self.trained_, len(x)))
            return np.full(len(x), self.classes_[0])

    TunewiseSearchCV(
        Recorder(),
        {"value": [1, 2, 3]},
        n_trials=6,
        fractions=(1 / 16, 1 / 4, 1),
        cv=2,
        random_state=0,
        refit=False,
    ).fit(*points)
    assert {scored for _, scored in seen} == {200}
    sizes = {trained for trained, _ in seen}
    assert all(min(abs(size - share * 200) for share in (1 / 16, 1 / 4, 1)) <= 1 for size in sizes)
    assert min(sizes) <= 13


def test_the_same_random_state_decides_the_same(points: Any) -> None:
    searches = [of_classifier(n_trials=8).fit(*points) for _ in range(2)]
    first, second = (s.cv_results_["params"] for s in searches)
    assert first == second


@unsure
def test_a_limit_on_another_score_is_kept(points: Any) -> None:
    x, y = points
    weighted = (y == 1) | (np.arange(len(y)) % 6 == 0)  # few of the class 0
    search = TunewiseSearchCV(
        LogisticRegression(),
        {"class_weight": [{0: 1, 1: w} for w in (0.01, 0.1, 1, 10, 100)]},
        n_trials=20,
        fractions=(1.0,),
        subject_to="recall_0 >= 0.9",
        scoring={"balance": "recall", "recall_0": _recall_of_zero},
        refit="balance",
        cv=2,
        random_state=0,
    )
    search.fit(x[weighted], y[weighted])
    chosen = search.best_index_
    results = search.cv_results_
    kept = [i for i, r in enumerate(results["mean_test_recall_0"]) if r >= 0.9]
    assert chosen in kept
    assert results["mean_test_balance"][chosen] == max(
        results["mean_test_balance"][i] for i in kept
    )


def _recall_of_zero(model: Any, x: Any, y: Any) -> float:
    return float(np.mean(model.predict(x)[y == 0] == 0))


def test_a_limit_that_no_fit_keeps_is_warned_of(points: Any) -> None:
    searched = TunewiseSearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, n_trials=3, subject_to="time <= 1e-9", cv=2
    )
    with pytest.warns(TunewiseWarning, match="no config was found that keeps all limits"):
        searched.fit(*points)
    best = searched.recommendation_
    assert best is not None and best.feasible < 0.9
    assert best.config == searched.best_params_


def test_an_answer_that_keeps_its_limit_when_it_is_fitted_is_not_warned_of(points: Any) -> None:
    search = of_classifier(n_trials=2, fractions=(1 / 4, 1), subject_to="time <= 1000 s")
    search.fit(*points)  # warnings are errors
    assert search.recommendation_.feasible > 0.9
    assert search.cv_results_["fraction"][search.best_index_] == 1.0


def test_slices_of_a_small_table_that_tell_nothing_are_left_out() -> None:
    from sklearn.ensemble import HistGradientBoostingRegressor

    x, y = make_regression(800, 6, noise=10, random_state=0)
    search = TunewiseSearchCV(
        HistGradientBoostingRegressor(max_iter=20),  # cannot split 25 rows
        {"learning_rate": loguniform(0.01, 0.5)},
        n_trials=6,
        cv=2,
        random_state=0,
    ).fit(x, y)
    assert {*search.cv_results_["fraction"]} == {1 / 4, 1.0}
    assert search.best_score_ > 0.8


def test_a_config_whose_fits_fail_is_passed_over(points: Any) -> None:
    search = TunewiseSearchCV(
        LogisticRegression(), {"C": [-1.0, 1.0]}, n_trials=6, cv=2, random_state=0
    ).fit(*points)
    assert search.best_params_ == {"C": 1.0}
    assert len(search.history_.failed) >= 1


def test_where_every_config_fails_the_reason_is_told(points: Any) -> None:
    search = TunewiseSearchCV(LogisticRegression(), {"C": [-1.0, -2.0]}, n_trials=3, cv=2)
    with pytest.raises(ValueError, match="All the 2 fits failed"):
        search.fit(*points)


def test_a_space_of_ours_and_a_regression_work_too() -> None:
    x, y = make_regression(200, 6, noise=5.0, random_state=0)
    space = tw.Space(tw.Real("alpha", 1e-3, 1e3, log=True))
    search = TunewiseSearchCV(Ridge(), space, n_trials=8, cv=2, random_state=0).fit(x, y)
    assert search.best_params_["alpha"] < 10
    assert search.predict(x).shape == y.shape


def test_parameters_of_any_kind_may_be_listed(points: Any) -> None:
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    pipeline = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    scalers = [StandardScaler(), MinMaxScaler(), "passthrough"]
    search = TunewiseSearchCV(
        pipeline, {"scale": scalers, "model__C": [0.1, 1.0]}, n_trials=5, cv=2, random_state=0
    ).fit(*points)
    assert any(search.best_params_["scale"] is each for each in scalers)


def test_a_config_may_come_from_one_of_several_dicts(points: Any) -> None:
    space = [
        {"criterion": ["gini"], "max_depth": randint(1, 8)},
        {"criterion": ["entropy"], "ccp_alpha": loguniform(1e-5, 1e-1)},
    ]
    search = TunewiseSearchCV(
        DecisionTreeClassifier(random_state=0), space, n_trials=8, cv=2, random_state=1
    ).fit(*points)
    tried = {frozenset(params) for params in search.cv_results_["params"]}
    assert tried == {frozenset(each) for each in space}
    depth = {params.get("max_depth") for params in search.cv_results_["params"]}
    assert None in depth and len(depth) > 1


def test_small_data_is_not_cut_into_slices_without_a_class(points: Any) -> None:
    x, y = points
    search = of_classifier(cv=StratifiedKFold(2)).fit(x[:16], y[:16])
    assert {*search.cv_results_["fraction"]} == {1.0}


def test_it_can_be_cloned_and_its_parameters_set() -> None:
    from sklearn.base import clone

    search = clone(of_classifier().set_params(n_trials=5))
    assert search.get_params()["n_trials"] == 5


@pytest.mark.parametrize(
    "space, said",
    [
        (
            lambda: {"C": norm(0, 1)},
            "'C' is distributed from -inf to inf; expected bounds at both ends",
        ),
        ({"C": 3}, "'C' is 3; expected a list of values or a distribution"),
        ({}, "space is {}; expected a tunewise.Space"),
        ([], r"space is \[\]; expected a tunewise.Space"),
        ([{"C": [1]}, 5], "or a list of such dicts"),
        ([{"C": [1]}, {"C": 3}], "'C' is 3; expected a list of values or a distribution"),
    ],
)
def test_what_is_no_space_is_refused(space: Any, said: str, points: Any) -> None:
    given = space() if callable(space) else space
    with pytest.raises(SpaceError, match=said):
        of_classifier().set_params(space=given).fit(*points)


def test_a_number_of_trials_that_is_none_is_refused(points: Any) -> None:
    with pytest.raises(ProblemError, match="n_trials is 0; expected a whole number above 0"):
        of_classifier(n_trials=0).fit(*points)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"n_iter": 20}, r"TunewiseSearchCV has no argument 'n_iter'; write n_trials=20"),
        ({"n_candidates": 20}, "write n_trials=20"),
        ({"param_distributions": {"C": [1.0]}}, r"write space=\{'C': \[1.0\]\}"),
        ({"n_trails": 20}, "did you mean 'n_trials'"),
    ],
)
def test_the_arguments_of_other_searches_are_answered_with_the_line_to_write(
    given: dict[str, Any], line: str
) -> None:
    with pytest.raises(ProblemError, match=line):
        TunewiseSearchCV(LogisticRegression(), **given)
