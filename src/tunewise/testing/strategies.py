"""What every strategy must do, as tests to inherit from.

```python
class TestMine(StrategyConformance):
    spec = tunewise.strategy("mine")
```
"""

import math
from collections.abc import Iterable

import numpy as np
import pytest

from tunewise.errors import StrategyError
from tunewise.history import Failure, History, Measurement, Preempted, TimedOut, Trial, TrialState
from tunewise.problem import Problem
from tunewise.space import Choice, Integer, Ordinal, Real, Space
from tunewise.strategy import StrategySpec
from tunewise.strategy.strategy import Strategy, Suggestion

FRACTIONS = (0.1, 0.5, 1.0)


def measured(trial: Trial | Suggestion) -> Measurement:
    """A made-up training: a hill in the space, learning curves, a cost that grows with vms."""
    config = trial.config
    size = float(config.get("vms", 2))
    x = float(config.get("x", 0.5)) + (0.1 if config.get("vm") == "small" else 0.0)
    at_full = 0.95 - 0.6 * (x - 0.4) ** 2 - 0.01 * abs(size - 4)

    def metrics(s: float) -> dict[str, float]:
        seconds = 5 + 100 * s / math.sqrt(size)
        return {
            "accuracy": at_full * (1 - 0.3 * (1 - s) ** 2),
            "time": seconds,
            "cost": seconds * size * 0.001,
        }

    return Measurement(
        metrics(trial.fraction), {s: metrics(s) for s in trial.snapshots if s < trial.fraction}
    )


def problem(finite: bool = True, **wanted: object) -> Problem:
    """A small problem over a listed or a continuous space."""
    x = Ordinal("x", [0.1, 0.3, 0.5, 0.7]) if finite else Real("x", 0.01, 1.0, log=True)
    vms = Ordinal("vms", [1, 2, 4]) if finite else Integer("vms", 1, 8)
    space = Space(Choice("vm", ["small", "large"]), vms, x)
    arguments: dict[str, object] = {
        "maximize": "accuracy",
        "subject_to": ["cost <= 0.3"],
        "fractions": FRACTIONS,
        **wanted,
    }
    if "minimize" in wanted:
        arguments.pop("maximize")
    return Problem(space, **arguments)  # type: ignore[arg-type] # a mix of keywords


def played(strategy: Strategy, trials: int, history: History | None = None) -> History:
    """The history after so many trials, one after the other."""
    told = list(history or ())
    for _ in range(trials):
        suggested = strategy.suggest(History(told), 1)
        if not suggested:
            break
        trial = _trial(len(told), suggested[0])
        told.append(trial.told(measured(trial)))
    return History(told)


def drawn(problem: Problem, trials: int) -> History:
    """The history of so many trials that nobody chose, on each of the fractions in turn."""
    configs = problem.space.sample(trials, np.random.default_rng(0))
    fractions = problem.fractions
    asked = [Trial(n, c, fractions[-1 - n % len(fractions)]) for n, c in enumerate(configs)]
    return History(trial.told(measured(trial)) for trial in asked)


def _trial(number: int, suggestion: Suggestion) -> Trial:
    return Trial(number, suggestion.config, suggestion.fraction, suggestion.snapshots)


def _different(trials: Iterable[Trial]) -> int:
    return len({(tuple(t.config.values()), t.fraction) for t in trials})


class StrategyConformance:
    """Inherit, set `spec`, and pytest finds the rest."""

    spec: StrategySpec
    fewest: tuple[float, ...] = (1.0,)
    """The fewest fractions that the strategy works with."""

    def build(self, problem: Problem, seed: int = 0) -> Strategy:
        """The strategy under test."""
        return self.spec.build(problem, seed)

    @pytest.mark.parametrize("finite", [True, False])
    def test_suggestions_are_valid_configs_at_fractions_of_the_problem(self, finite: bool) -> None:
        """Whatever the space."""
        wanted = problem(finite)
        for trial in played(self.build(wanted), 10):
            assert trial.config == wanted.space.check(trial.config)
            assert trial.fraction in wanted.fractions
            assert all(s in wanted.fractions and s < trial.fraction for s in trial.snapshots)

    @pytest.mark.parametrize("finite", [True, False])
    def test_the_same_history_gives_the_same_answers_to_a_new_strategy(self, finite: bool) -> None:
        """No state but (problem, history, seed), and no global random numbers."""
        wanted = problem(finite)
        history = played(self.build(wanted), 8)
        np.random.seed(1)  # noqa: NPY002 - to show that nobody looks at the global state
        again = self.build(wanted)
        for n in range(len(history)):
            asked = again.suggest(history[:n], 1)[0]
            assert (asked.config, asked.fraction) == (history[n].config, history[n].fraction)
        fresh = self.build(wanted)
        assert fresh.suggest(history, 2) == again.suggest(history, 2)
        one, other = fresh.recommend(history), again.recommend(history)
        assert (one.config, one.fraction) == (other.config, other.fraction)
        assert one.feasible == pytest.approx(other.feasible)
        assert one.predicted.keys() == other.predicted.keys()
        for name, believed in one.predicted.items():
            assert believed.mean == pytest.approx(other.predicted[name].mean)
            assert believed.std == pytest.approx(other.predicted[name].std)

    def test_other_seeds_begin_elsewhere(self) -> None:
        """A seed is not ignored."""
        begins = {
            str([t.config for t in played(self.build(problem(), seed), 3)]) for seed in range(5)
        }
        assert len(begins) > 1

    @pytest.mark.parametrize("told", [0, 6])
    def test_trials_of_one_batch_differ(self, told: int) -> None:
        """From themselves and from pending ones."""
        strategy = self.build(problem())
        history = played(strategy, told)
        first = strategy.suggest(history, 3)
        pending = [_trial(told + i, s) for i, s in enumerate(first)]
        second = strategy.suggest(History([*history, *pending]), 3)
        asked = [(tuple(s.config.values()), s.fraction) for s in (*first, *second)]
        assert len(first) == len(second) == 3
        assert len(set(asked)) == 6

    def test_a_used_up_space_gives_no_suggestion_instead_of_a_repeated_one(self) -> None:
        """And never an error."""
        strategy = self.build(problem(fractions=self.fewest))
        history = played(strategy, 24 * len(self.fewest) + 6)
        assert 24 <= len(history) == _different(history) <= 24 * len(self.fewest)
        assert len({tuple(t.config.values()) for t in history}) == 24
        assert strategy.suggest(history, 2) == []

    def test_nothing_is_recommended_before_anything_was_measured(self) -> None:
        """A sentence instead."""
        strategy = self.build(problem())
        pending = [_trial(0, strategy.suggest(History(), 1)[0])]
        for history in (History(), History(pending)):
            with pytest.raises(StrategyError):
                strategy.recommend(history)

    @pytest.mark.parametrize(
        "wanted",
        [
            {},
            {"minimize": "cost", "subject_to": ["accuracy >= 0.8"]},
            {"subject_to": []},
            {"subject_to": ["cost <= 0.3", "time <= 80"]},
            {"subject_to": ["cost <= 0.001"]},
            {"price": lambda config: 3.6 * config["vms"]},
        ],
    )
    def test_a_recommendation_says_what_to_expect(self, wanted: dict[str, object]) -> None:
        """For any objective and constraints, also those that cannot hold."""
        asked = problem(True, **wanted)
        strategy = self.build(asked)
        recommended = strategy.recommend(played(strategy, 3, drawn(asked, 9)))
        assert recommended.config == asked.space.check(recommended.config)
        assert recommended.fraction == 1.0
        assert 0.0 <= recommended.feasible <= 1.0
        assert set(asked.needed) <= set(recommended.predicted)
        for belief in recommended.predicted.values():
            assert math.isfinite(float(belief.mean)) and float(belief.std) >= 0

    def test_conditional_parameters_are_asked_for_only_where_they_apply(self) -> None:
        """And no config twice: what does not apply makes no difference."""
        space = Space(
            Choice("vm", ["small", "large"]),
            Ordinal("x", [0.1, 0.3, 0.5], when={"vm": "small"}),
            Real("rate", 0.1, 1.0, when={"vm": "large"}),
        )
        asked = Problem(space, maximize="accuracy", fractions=self.fewest)
        strategy = self.build(asked)
        history = played(strategy, 8)
        assert all(space.check(trial.config) == trial.config for trial in history)
        assert len({(space.key(t.config), t.fraction) for t in history}) == len(history)
        recommended = strategy.recommend(history).config
        assert space.check(recommended) == recommended

    def test_failed_stopped_and_preempted_trials_do_not_stop_it(self) -> None:
        """A failed config is not asked for again; a preempted one is pending."""
        strategy = self.build(problem(fractions=self.fewest))
        told: list[Trial] = []
        for n in range(12):
            trial = _trial(n, strategy.suggest(History(told), 1)[0])
            failed: Failure = Failure("out of memory", {"time": 1.0})
            if n % 3 == 2:
                failed = TimedOut("pruned", {"time": 9.0, "cost": 0.1})
            outcome = failed if n % 3 else measured(trial)
            told.append(trial.told(Preempted("gone") if n == 4 else outcome))
        assert told[4].state == TrialState.PREEMPTED
        assert _different(told) == 12

    def test_all_trials_failed_is_survived(self) -> None:
        """It goes on asking."""
        strategy = self.build(problem(fractions=self.fewest))
        told: list[Trial] = []
        for n in range(8):
            trial = _trial(n, strategy.suggest(History(told), 1)[0])
            told.append(trial.told(Failure("crash")))
        assert _different(told) == 8
