"""Search over an estimator's parameters: a drop-in for scikit-learn's own searches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import type_of_target

from tunewise.errors import ProblemError, answering
from tunewise.history import Failure, History, Measurement, Outcome, Trial, TrialState
from tunewise.integrations.sklearn.distributions import Values
from tunewise.integrations.sklearn.slices import FRACTIONS, TELLING, SlicedSplitter, large_enough
from tunewise.problem import Constraint, Metrics, Problem
from tunewise.space import Space
from tunewise.strategy.loop.tried import best_tried
from tunewise.strategy.spec import StrategySpec, default_strategy
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion
from tunewise.study.doubts import warned

Evaluate = Callable[..., Mapping[str, Any]]

_INSTEAD = {
    **dict.fromkeys(("n_iter", "n_candidates"), "n_trials={}"),
    **dict.fromkeys(("param_distributions", "param_grid"), "space={}"),
    **dict.fromkeys(
        ("resource", "factor", "max_resources", "min_resources", "aggressive_elimination"),
        "fractions=(1/16, 1/4, 1), the shares of the data that trials may use",
    ),
}


_ANSWERS = 3
"""Recommended configs that are fitted at the full data in the end: one that disappoints there gives
way to the next. Not tuned."""


class TunewiseSearchCV(BaseSearchCV):  # type: ignore[misc] # scikit-learn ships no types
    """Finds the parameters of an estimator that score best, learning from slices of the data.

    Takes the place of `HalvingRandomSearchCV` or `RandomizedSearchCV`: the same lists and
    distributions (or a `tunewise.Space`), the same attributes after `fit`. Its trials cost as much
    as `n_trials` fits at the full data at most, mostly far less, because most of them see a slice.

    `subject_to` limits the config that is chosen, at the full data: on `time` (seconds of one fit),
    on `score_time`, and on any of several scorers by its name, such as `"recall >= 0.8"`.

    Attributes:
        recommendation_: The chosen config, what to expect of it and how sure that is.
        history_: All trials, with their fractions.
        cv_results_: As everywhere in scikit-learn, and with a column `fraction`; fits on slices are
            ranked after those at the full data.
    """

    @answering("TunewiseSearchCV", ProblemError, _INSTEAD)
    def __init__(
        self,
        estimator: Any,
        space: Space | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        n_trials: int = 40,
        fractions: Sequence[float] | None = None,
        subject_to: "str | Constraint | Iterable[str | Sequence[Any] | Constraint]" = (),
        strategy: str | StrategySpec | Mapping[str, Any] | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        """Choose what is searched, and how; everything is checked by `fit`.

        Args:
            estimator: What is fitted.
            space: Lists or distributions of `scipy.stats` by parameter, a list of such dicts, of
                which a config uses one, or a `tunewise.Space`.
            n_trials: How many configs are cross-validated, on slices or at the full data.
            fractions: Shares of each training part to learn from; must include 1. By default
                1/16, 1/4 and 1, without slices of fewer than 100 items.
            subject_to: Limits such as "time <= 2 s".
            strategy: By default "trimtuner" with slices and "cherrypick" without.
            scoring: As in `GridSearchCV`.
            n_jobs: Folds that are fitted at once.
            refit: As in `GridSearchCV`.
            cv: As in `GridSearchCV`.
            verbose: As in `GridSearchCV`.
            pre_dispatch: As in `GridSearchCV`.
            random_state: With the data determines every decision.
            error_score: As in `GridSearchCV`; a config whose fits fail is avoided from then on.
            return_train_score: As in `GridSearchCV`.
        """
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.space = space
        self.n_trials = n_trials
        self.fractions = fractions
        self.subject_to = subject_to
        self.strategy = strategy
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **params: Any) -> "TunewiseSearchCV":  # noqa: N803 - scikit-learn's name
        """Search, and fit the best config at the full data.

        Args:
            X: The data.
            y: What is to be predicted.
            **params: As in `GridSearchCV`.
        """
        if isinstance(self.n_trials, bool) or not isinstance(self.n_trials, int | np.integer):
            raise ProblemError(f"n_trials is {self.n_trials!r}; expected a whole number above 0")
        if self.n_trials < 1:
            raise ProblemError(f"n_trials is {self.n_trials}; expected a whole number above 0")
        shape = () if y is None else np.asarray(y).shape
        if len(shape) == 2 and shape[1] == 1:
            y = column_or_1d(y, warn=True)  # a column is meant as a list, as scikit-learn says too
        self._classes = count_of_classes(self.estimator, y)
        super().fit(X, y, **params)
        for name in [each for each in self.cv_results_ if each.startswith("rank_test_")]:
            self.cv_results_[name] = _ranked(self.cv_results_[name], self.cv_results_["fraction"])
        return self

    def _check_input_parameters(self, X: Any, y: Any, split_params: Any) -> None:  # noqa: N803
        """See how large the training parts are before anything is fitted."""
        super_check = getattr(super(), "_check_input_parameters", None)
        if super_check is not None:
            super_check(X=X, y=y, split_params=split_params)
        splits = self._checked_cv_orig.split(X, y, **split_params)
        self._train_size = min(len(train) for train, _ in splits)

    def _run_search(self, evaluate_candidates: Evaluate, **_: Any) -> None:
        """Ask, cross-validate and tell, trial after trial."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        search = _Search(self, evaluate_candidates, seed)
        for _trial in range(self.n_trials):
            if not search.step():
                break
        self.recommendation_, self._chosen = search.chosen()
        self.history_ = search.history

    def _select_best_index(self, refit: Any, refit_metric: str, results: Any) -> int:
        """The recommended config at the full data; a function given as `refit` decides alone."""
        if callable(refit):
            return int(BaseSearchCV._select_best_index(refit, refit_metric, results))
        return self._chosen


def _ranked(ranks: Any, fractions: Any) -> Any:
    """Ranks with all fits at the full data first: a score on a slice is of another kind."""
    sliced = np.asarray(fractions, float) < 1.0
    order = np.asarray(ranks) + sliced * len(ranks)
    return np.array([1 + int((order < each).sum()) for each in order], dtype=np.int32)


def count_of_classes(estimator: Any, y: Any) -> int:
    """How many classes there are to share out fairly; 0 where there are none.

    Targets that no estimator takes are left for it to refuse.
    """
    if y is None or not is_classifier(estimator):
        return 0
    labels = np.asarray(y)
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        return 0
    known = type_of_target(labels) in ("binary", "multiclass")
    return len(np.unique(labels)) if known else 0


class _Search:
    """One search as it goes on: what was asked, and what came of it."""

    def __init__(self, owner: TunewiseSearchCV, evaluate: Evaluate, seed: int) -> None:
        self._owner, self._evaluate, self._seed = owner, evaluate, seed
        self._values = Values(owner.space)
        self._metric = "score" if owner.refit in (True, False) else str(owner.refit)
        self._rows: dict[int, int] = {}
        self._last_error: Exception | None = None
        self.history = History()
        self._problem: Problem | None = None
        self._strategy: Strategy | None = None

    def step(self) -> bool:
        """Run one more trial, unless there is none left to run."""
        suggestions = self._posed().suggest(self.history, 1)
        if suggestions:
            self._run(suggestions[0])
        return bool(suggestions)

    def chosen(self) -> tuple[Recommendation | None, int]:
        """The recommendation, and the row of its scores at the full data."""
        if not len(self.history.complete):
            # Where some folds failed of every config, the fit at the full data says best why.
            if self._rows or self._last_error is None:
                return None, 0
            raise self._last_error
        best = self._posed().recommend(self.history)
        for _ in range(_ANSWERS):
            if self._row_of(best) is not None:
                break
            self._run(Suggestion(best.config))
            best = self._posed().recommend(self.history)
        row = self._row_of(best)
        if row is None:  # it fails at the full data, or others disappoint: the best that was fitted
            if not len(self.history.full.complete):
                raise self._last_error or ProblemError("no config could be fitted at the full data")
            best = best_tried(self._wanted(), self.history)
            row = self._row_of(best)
        assert row is not None, "what is recommended was fitted"
        return warned(best), row

    def _row_of(self, best: Recommendation) -> int | None:
        rows = [
            self._rows[t.number]
            for t in self.history.complete
            if t.fraction == 1.0 and t.config == best.config
        ]
        return rows[-1] if rows else None

    def _wanted(self) -> Problem:
        if self._problem is None:
            owner = self._owner
            metrics = ["score", "score_time"]
            scoring = owner.scoring
            metrics += [str(n) for n in scoring] if isinstance(scoring, Mapping | list) else []
            metrics += list(scoring) if isinstance(scoring, tuple | set) else []
            every = Problem(
                self._values.space,
                maximize=self._metric,
                subject_to=owner.subject_to,
                fractions=FRACTIONS if owner.fractions is None else owner.fractions,
                metrics=metrics,
            )
            if any(c.metric == "cost" for c in every.constraints):
                raise ProblemError(
                    "subject_to limits 'cost', and what a fit costs in USD is not known here; limit"
                    " the seconds of a fit, such as subject_to='time <= 2 s'"
                )
            least = 2 * max(owner._classes, 2)
            if owner.fractions is None:
                least = max(least, TELLING)
            usable = large_enough(every.fractions, owner._train_size, least)
            self._problem = Problem(
                every.space,
                maximize=self._metric,
                subject_to=every.constraints,
                fractions=usable,
                metrics=metrics,
            )
        return self._problem

    def _posed(self) -> Strategy:
        if self._strategy is None:
            problem = self._wanted()
            given = self._owner.strategy
            spec = default_strategy(problem) if given is None else StrategySpec.of(given)
            self._strategy = spec.build(problem, self._seed)
        return self._strategy

    def _run(self, asked: Suggestion) -> None:
        owner = self._owner
        cv = SlicedSplitter(owner._checked_cv_orig, asked.fraction, owner._classes > 0, self._seed)
        try:
            results = self._evaluate(
                [self._values.params(asked.config)],
                cv=cv,
                more_results={"fraction": [asked.fraction]},
            )
        except ValueError as error:  # every fold has failed: scikit-learn keeps no row of that
            if owner.error_score == "raise":
                raise
            self._last_error = error
            self._tell(asked, Failure("every fit failed", self._spent(asked, {})))
            return
        row = len(results["params"]) - 1
        self._rows[len(self.history)] = row
        self._tell(asked, self._outcome(asked, results, row))

    def _tell(self, asked: Suggestion, outcome: Outcome) -> None:
        trial = Trial(len(self.history), asked.config, asked.fraction, state=TrialState.RUNNING)
        self.history = History([*self.history, trial.told(outcome)])

    def _outcome(self, asked: Suggestion, results: Mapping[str, Any], row: int) -> Outcome:
        prefix = "mean_test_"
        told = {
            name.removeprefix(prefix): float(column[row])
            for name, column in results.items()
            if name.startswith(prefix)
        }
        told["score_time"] = float(results["mean_score_time"][row])
        spent = self._spent(asked, {"time": float(results["mean_fit_time"][row])})
        if not all(np.isfinite(list(told.values()))):
            return Failure("a fit failed, or its score was not finite", spent)
        return Measurement({**told, **spent})

    def _spent(self, asked: Suggestion, timed: Metrics) -> Metrics:
        """A trial costs its share of a full fit, unless seconds are limited.

        So the same `random_state` decides the same, however busy the machine is.
        """
        limited = {c.metric for c in self._wanted().constraints}
        return timed if "time" in limited else {"cost": asked.fraction}
