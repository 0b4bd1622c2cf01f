"""Tunewise inside an Optuna study: any of our strategies as a sampler."""

import secrets
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

from tunewise.errors import StrategyError, TunewiseWarning, nearest
from tunewise.history import History
from tunewise.history.prior import Prior
from tunewise.integrations.optuna.distributions import Translation, shared
from tunewise.integrations.optuna.trials import ASKED, SUGGESTED, Limit, Wanted, checked_limits
from tunewise.problem import Constraint
from tunewise.strategy.spec import StrategySpec, default_strategy
from tunewise.strategy.strategy import Recommendation, Strategy

FRACTIONS = (1 / 64, 1 / 16, 1 / 4, 1.0)
"""The fractions tried where the objective lets any be chosen: a factor of four is one step of
successive halving as its authors advise."""


class TunewiseSampler(BaseSampler):
    """Suggests what one of Tunewise's strategies would try next.

    An objective that suggests a param called `fraction` is tried on slices of its data first:
    `trial.suggest_categorical("fraction", [1/16, 1/4, 1])`. One that chooses its slices by itself
    tells them as the user attribute `fraction`. `recommend` then says which params are best at the
    full data; `study.best_trial` knows nothing of slices.

    Constraints are those that Optuna knows (`trial.set_constraint`, `constraints_func`), and limits
    such as `subject_to=["time <= 60", "memory <= 4"]` on user attributes, on `time` (seconds; by
    the clock where no attribute tells it) and on `cost`. Trials that run elsewhere at the same time
    are taken into account.
    """

    def __init__(
        self,
        strategy: str | StrategySpec | Mapping[str, Any] | None = None,
        *,
        seed: int | None = None,
        subject_to: Limit | Iterable[Limit] = (),
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        fraction: str = "fraction",
        warm_start: History | Iterable[History] = (),
        independent_sampler: BaseSampler | None = None,
    ) -> None:
        """Choose what decides.

        Args:
            strategy: A name, or `tunewise.strategy(name, **options)`; by default "trimtuner" for an
                objective with a fraction and "cherrypick" for one without.
            seed: With the study's trials determines every suggestion; drawn when None.
            subject_to: Limits such as "time <= 60".
            constraints_func: As Optuna's own samplers take it: feasible where no value is above 0.
            fraction: The name of the param, or user attribute, that is the share of the data.
            warm_start: Histories to learn from, such as `load_history` of another study.
            independent_sampler: Draws the first trial, params that no complete trial has, and those
                that come and go while no other param says when.
        """
        self._spec = None if strategy is None else StrategySpec.of(strategy)
        self._seed = secrets.randbelow(2**31) if seed is None else _checked_seed(seed)
        self._limits: tuple[Constraint, ...] = checked_limits(subject_to)
        self._constraints_func = constraints_func
        self._fraction = fraction
        # A history is itself iterable: one alone stands for a list of one.
        self._warm_start: list[History] = (
            [warm_start] if isinstance(warm_start, History) else list(warm_start)
        )
        self._independent = independent_sampler or RandomSampler(seed=self._seed)
        self._one_at_a_time = threading.Lock()
        self._warned = False

    def __getstate__(self) -> dict[str, Any]:
        """Without the lock, so that a sampler can be pickled as Optuna's own can."""
        return {k: v for k, v in self.__dict__.items() if k != "_one_at_a_time"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """With a lock of its own."""
        self.__dict__.update(state, _one_at_a_time=threading.Lock())

    def reseed_rng(self) -> None:
        """What parallel workers draw by themselves differs; what is decided does not."""
        self._independent.reseed_rng()

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The params of complete trials that all have, or that have a condition."""
        found = {n: d for n, d in shared(_complete(study)).items() if not d.single()}
        kept = {*Translation(found, _params(study)).space.names, self._fraction}
        return {name: distribution for name, distribution in found.items() if name in kept}

    def sample_relative(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """What the strategy would try next; drawn at random once everything has been tried."""
        if not search_space:
            return {}
        # Two threads that ask at once would be told the same: the second sees what the first got.
        began = time.monotonic()
        with self._one_at_a_time:
            params = self._suggested(study, trial, search_space)
            if params:
                study._storage.set_trial_system_attr(trial._trial_id, SUGGESTED, params)
        # Optuna's clock runs by now, and what a config takes is the objective's time alone.
        asked = time.monotonic() - began
        study._storage.set_trial_system_attr(trial._trial_id, ASKED, asked)
        return params

    def _suggested(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        wanted = self._wanted(study, search_space)
        suggestions = []
        if wanted is not None:
            strategy, history = self._posed(study, wanted, trial.number)
            self._warn_of_untold(study, wanted)
            suggestions = strategy.suggest(history, 1)
        if wanted is None or not suggestions:
            drawn = self.sample_independent
            return {name: drawn(study, trial, name, d) for name, d in search_space.items()}
        params = wanted.translation.params(suggestions[0].config)
        if self._fraction in search_space:
            params[self._fraction] = _told_as(search_space[self._fraction], suggestions[0].fraction)
        return params

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """A value drawn by itself; of a fraction the smallest, for it costs least."""
        if param_name == self._fraction:
            return _told_as(param_distribution, _fractions(param_name, param_distribution)[0])
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Whatever the independent sampler does then."""
        self._independent.before_trial(study, trial)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Keep what `constraints_func` says of the trial."""
        if self._constraints_func is not None and state == TrialState.COMPLETE:
            for number, value in enumerate(self._constraints_func(trial)):
                study._storage.set_trial_system_attr(
                    trial._trial_id, f"constraints:{number}", float(value)
                )
        self._independent.after_trial(study, trial, state, values)

    def recommend(self, study: optuna.Study) -> Recommendation:
        """The params to deploy at the full data, what to expect of them and how sure that is.

        Raises:
            StrategyError: When no trial has been completed, or none has told what is limited.
        """
        wanted = self._wanted(study, shared(_complete(study)))
        if wanted is None:
            raise StrategyError(
                f"study {study.study_name!r} has no complete trial with params to recommend from"
            )
        strategy, history = self._posed(study, wanted, asking=-1)
        untold = self._untold(study, wanted)
        if untold is not None:
            raise StrategyError(untold)
        best = strategy.recommend(history)
        return Recommendation(
            wanted.translation.params(best.config),
            best.fraction,
            best.predicted,
            best.feasible,
            limited=best.limited,
        )

    def _warn_of_untold(self, study: optuna.Study, wanted: Wanted) -> None:
        """Once, as soon as trials have ended: the study goes on."""
        untold = None if self._warned or not self._limits else self._untold(study, wanted)
        if untold is not None:
            self._warned = True
            warnings.warn(untold, TunewiseWarning, stacklevel=2)

    def _untold(self, study: optuna.Study, wanted: Wanted) -> str | None:
        """That there is a limit on what no trial has told: it would never be kept."""
        history = wanted.history(study, study.get_trials(deepcopy=False), asking=-1)
        told = {name for trial in history.complete for name in trial.metrics}
        for limit in self._limits:
            if told and limit.metric not in told:
                return (
                    f"no trial told {limit.metric!r}, which is limited by '{limit}'"
                    f"{nearest(limit.metric, sorted(told))} (the objective tells it by"
                    f" trial.set_user_attr({limit.metric!r}, ...))"
                )
        return None

    def _wanted(
        self, study: optuna.Study, search_space: Mapping[str, BaseDistribution]
    ) -> Wanted | None:
        """The search space in our words; None where nothing but a fraction is to be chosen."""
        others = {name: d for name, d in search_space.items() if name != self._fraction}
        translation = Translation(others, _params(study))
        if not translation.space.parameters:
            return None
        fractions: tuple[float, ...] = (1.0,)
        if self._fraction in search_space:
            fractions = _fractions(self._fraction, search_space[self._fraction])
        return Wanted(translation, fractions, self._fraction, self._limits)

    def _posed(self, study: optuna.Study, wanted: Wanted, asking: int) -> tuple[Strategy, History]:
        """The strategy at work on the study, and what is known by now."""
        trials = study.get_trials(deepcopy=False)
        problem = wanted.problem(study, [t for t in trials if t.state == TrialState.COMPLETE])
        spec = self._spec or default_strategy(problem)
        others = {f"history {n}": history for n, history in enumerate(self._warm_start, 1)}
        prior = Prior.of(problem, others) if others else None
        strategy = spec.build(problem, self._seed, prior)
        return strategy, wanted.history(study, trials, asking).within(problem)


def _complete(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def _params(study: optuna.Study) -> list[dict[str, Any]]:
    """What the complete trials chose."""
    return [trial.params for trial in _complete(study)]


def _fractions(name: str, distribution: BaseDistribution) -> tuple[float, ...]:
    """The shares of the data that a param may be, ascending."""
    if isinstance(distribution, CategoricalDistribution):
        listed = distribution.choices
        numbers = [float(c) for c in listed if isinstance(c, int | float) and 0 < c <= 1]
        if len(numbers) == len(listed) and 1.0 in numbers:
            return tuple(sorted(numbers))
        raise _no_fractions(name, str(list(listed)))
    if isinstance(distribution, FloatDistribution) and distribution.low >= 0:
        inside = tuple(s for s in FRACTIONS if distribution._contains(s))
        if 1.0 in inside:
            return inside
    raise _no_fractions(name, str(distribution))


def _no_fractions(name: str, given: str) -> StrategyError:
    return StrategyError(
        f"param {name!r} is one of {given}; expected shares of the data, above 0 and at most 1,"
        " with 1 (all of the data) among them. If it is another param, tell the sampler what the"
        " share of the data is called: TunewiseSampler(fraction='share')"
    )


def _told_as(distribution: BaseDistribution, fraction: float) -> Any:
    """A fraction as the distribution writes it: a choice may be the whole number 1."""
    if isinstance(distribution, CategoricalDistribution):
        return next(choice for choice in distribution.choices if choice == fraction)
    return fraction


def _checked_seed(seed: Any) -> int:
    whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not whole or not 0 <= seed < 2**32:
        raise StrategyError(f"seed is {seed!r}; expected a whole number from 0 to {2**32 - 1}")
    return int(seed)
