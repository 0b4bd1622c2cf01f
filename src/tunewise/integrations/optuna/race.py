"""Optuna's search over measured configs, for a race against ours."""

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.trial import TrialState

from tunewise.benchmark.contest import Contest
from tunewise.benchmark.measures.penalty import share_of_optimum
from tunewise.benchmark.race import Run, Step
from tunewise.history import Trial
from tunewise.problem import Metrics, Problem
from tunewise.space import Choice, Config

TRIES = 10
"""How many asks a trial may take: Optuna proposes configs again that it has tried."""


def raced(contest: Contest, seed: int) -> Run:
    """One run of TPE as it comes, with limits as constraints, and Hyperband where there are slices.

    It is favoured where a choice must be made. A config that goes on from a smaller slice pays for
    the rest only, one that comes again pays nothing, and the best measured config is deployed.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    search, steps = _Search(contest, seed), list[Step]()
    began = time.perf_counter()
    budget = contest.problem.budget or math.inf
    for _ in range(TRIES * contest.trials):
        if len(steps) >= contest.trials or search.spent["cost"] >= budget:
            break
        for fraction in search.tried():
            steps.append(search.step(len(steps) + 1, fraction))
    asks = max(search.asks, 1)
    name = "optuna (TPE)" if len(search.fractions) == 1 else "optuna (TPE + Hyperband)"
    return Run(name, seed, tuple(steps), (time.perf_counter() - began) / asks)


class _Search:
    """A study of Optuna's over the configs of a table, and its accounts."""

    def __init__(self, contest: Contest, seed: int) -> None:
        self.problem, self.table = contest.problem, contest.table
        self.fractions = contest.problem.fractions
        self.spent, self.asks = {"cost": 0.0, "time": 0.0}, 0
        self._space = contest.problem.space
        self._encoded = self._space.encode(self.table.configs)
        self._known: dict[tuple[int, float], Metrics] = {}
        best = self.table.best(self.problem)
        assert best is not None, "a contest has one"
        self._optimum = best.objective
        pruner = optuna.pruners.HyperbandPruner(1, self._resource(1.0))
        self._study = optuna.create_study(
            study_name=f"race-{seed}",  # Hyperband draws brackets from it
            direction="maximize" if self.problem.maximize else "minimize",
            sampler=optuna.samplers.TPESampler(seed=seed),
            pruner=pruner if len(self.fractions) > 1 else optuna.pruners.NopPruner(),
        )

    def tried(self) -> Iterator[float]:
        """Run one trial; the fractions at which it measured something new, as it goes."""
        asked, pruned = self._study.ask(self._distributions()), False
        self.asks += 1
        config = self._nearest(asked.params)
        for fraction in self.fractions:
            if (config, fraction) not in self._known:
                self._measure(config, fraction)
                yield fraction
            metrics = self._known[config, fraction]
            asked.report(metrics[self.problem.objective], self._resource(fraction))
            if fraction < 1.0 and (pruned := asked.should_prune()):
                break
        for limit in self.problem.constraints:
            over = metrics[limit.metric] - limit.bound * (fraction if limit.sign == "<=" else 1)
            asked.set_constraint(limit.metric, over if limit.sign == "<=" else -over)
        state = TrialState.PRUNED if pruned else None
        self._study.tell(asked, None if pruned else metrics[self.problem.objective], state)

    def step(self, number: int, fraction: float) -> Step:
        """How it stands now."""
        metrics = self._best()
        share = 0.0 if metrics is None else share_of_optimum(self.problem, metrics, self._optimum)
        kept = metrics is not None and self.problem.feasible(metrics)
        cost, seconds = self.spent["cost"], self.spent["time"]
        return Step(cost, seconds, share, kept, number=number, fraction=fraction)

    def _measure(self, config: int, fraction: float) -> None:
        outcome = self.table(Trial(0, self.table.configs[config], fraction))
        self._known[config, fraction] = outcome.metrics
        before = [self._known.get((config, s), {}) for s in self.fractions if s < fraction]
        for name, spent in self.spent.items():
            paid = max((m.get(name, 0.0) for m in before), default=0.0)
            self.spent[name] = spent + max(outcome.metrics.get(name, 0.0) - paid, 0.0)

    def _best(self) -> Metrics | None:
        """The truth of the best config on the largest slice that any was tried on."""
        largest = max(fraction for _, fraction in self._known)
        there = {
            c: metrics for (c, fraction), metrics in self._known.items() if fraction == largest
        }
        sign = 1 if self.problem.maximize else -1
        best = max(
            there,
            key=lambda c: (
                -_violation(self.problem, there[c], largest),
                sign * there[c][self.problem.objective],
            ),
        )
        return self.table(Trial(0, self.table.configs[best])).metrics

    def _distributions(self) -> dict[str, BaseDistribution]:
        return {
            p.name: CategoricalDistribution(range(p.size))
            if isinstance(p, Choice)
            else IntDistribution(0, p.size - 1)
            for p in self._space.parameters
            if p.size
        }

    def _nearest(self, params: dict[str, Any]) -> int:
        """The measured config at a place, or the one that is nearest to it."""
        config: Config = {
            p.name: list(p.values())[params[p.name]] for p in self._space.parameters if p.size
        }
        place = self._space.encode([self._space.activity.pruned(config)])[0]
        return int(np.abs(self._encoded - place).sum(axis=1).argmin())

    def _resource(self, fraction: float) -> int:
        return max(1, round(fraction / self.fractions[0]))


def _violation(problem: Problem, metrics: Metrics, fraction: float) -> float:
    """By how much limits are broken, each measured against its part for the slice."""
    over = 0.0
    for limit in problem.constraints:
        part = limit.bound * fraction if limit.sign == "<=" else limit.bound
        gap = metrics[limit.metric] - part
        over += max(gap if limit.sign == "<=" else -gap, 0.0) / max(abs(part), 1e-12)
    return over
