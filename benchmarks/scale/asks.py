"""One ask of one tool on a problem of one size, with a history of random trials."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tunewise as tw
from tunewise.strategy import StrategySpec
from tunewise.strategy.spec import default_strategy

FRACTIONS = (1 / 16, 1 / 4, 1.0)


class Size(NamedTuple):
    """How large a problem is; the defaults stand where another axis is measured.

    Attributes:
        trials: Known already.
        candidates: Configs that the space lists; 0 for reals, which cannot be listed.
        limits: Each on a metric of its own.
        parameters: Dimensions of the space.
        at_once: Trials asked for together.
    """

    trials: int = 50
    candidates: int = 0
    limits: int = 1
    parameters: int = 8
    at_once: int = 1


AXES: dict[str, tuple[int, ...]] = {
    "trials": (10, 100, 1000, 5000),
    "candidates": (100, 1000, 10_000, 100_000, 1_000_000),
    "limits": (1, 2, 4, 8),
    "parameters": (2, 10, 25, 50),
    "at_once": (1, 4, 16, 64),
}


def problem_of(size: Size) -> tw.Problem:
    """Most accuracy under limits, on slices."""
    if size.candidates:
        digits = round(np.log10(size.candidates))
        space = tw.Space(*(tw.Ordinal(f"x{i}", list(range(10))) for i in range(digits)))
    else:
        space = tw.Space(*(tw.Real(f"x{i}", 0.0, 1.0) for i in range(size.parameters)))
    limits = [(f"m{i}", "<=", 1.0) for i in range(size.limits)]
    names = [f"m{i}" for i in range(size.limits)]
    return tw.Problem(
        space, maximize="accuracy", subject_to=limits, fractions=FRACTIONS, metrics=names
    )


def history_of(problem: tw.Problem, size: Size, seed: int = 0) -> tw.History:
    """Random trials with plausible metrics."""
    rng, trials = np.random.default_rng(seed), list[tw.Trial]()
    few = problem.space.size is not None and problem.space.size < size.trials
    drawn = problem.space.sample(size.trials, rng)
    configs = [drawn[i % len(drawn)] for i in range(size.trials)] if few else drawn
    for number, config in enumerate(configs):
        fraction = float(rng.choice(problem.fractions))
        x = problem.space.encode([config])[0]
        good = 0.9 * np.exp(-((x - 0.4) ** 2).mean()) * fraction**0.05
        metrics = {"accuracy": float(good), "time": 80 * fraction, "cost": 0.1 * fraction}
        metrics |= {f"m{i}": float(0.6 + x[i % len(x)] * fraction) for i in range(size.limits)}
        trials.append(tw.Trial(number, config, fraction).told(tw.Measurement(metrics)))
    return tw.History(trials)


def tunewise(size: Size) -> Callable[[], Any]:
    """Our default strategy."""
    problem = problem_of(size)
    strategy = StrategySpec.of(default_strategy(problem)).build(problem, 0)
    history = history_of(problem, size)
    return lambda: strategy.suggest(history, size.at_once)


def optuna_tpe(size: Size) -> Callable[[], Any]:
    """TPE with limits as constraints."""
    import optuna

    return _optuna(size, optuna.samplers.TPESampler(seed=0))


def optuna_gp(size: Size) -> Callable[[], Any]:
    """Optuna's Gaussian process with limits as constraints."""
    import optuna

    return _optuna(size, optuna.samplers.GPSampler(seed=0))


def _optuna(size: Size, sampler: Any) -> Callable[[], Any]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = problem_of(size)
    axes: dict[str, Any] = {
        p.name: optuna.distributions.FloatDistribution(0.0, 1.0)
        if isinstance(p, tw.Real)
        else optuna.distributions.IntDistribution(0, 9)
        for p in problem.space.parameters
    }
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.add_trials(
        optuna.trial.create_trial(
            value=known.metrics["accuracy"],
            params={name: known.config[name] for name in axes},
            distributions=axes,
            constraints={f"m{i}": known.metrics[f"m{i}"] - 1.0 for i in range(size.limits)},
        )
        for known in history_of(problem, size)
    )
    return lambda: [study.ask(axes) for _ in range(size.at_once)]


def botorch_ei(size: Size) -> Callable[[], Any]:
    """Constrained expected improvement, a Gaussian process for each metric, one by one."""
    import torch
    from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
    from botorch.models import ModelListGP, SingleTaskGP

    from benchmarks.peers.with_botorch import fitted, tensor

    problem = problem_of(size)
    known = list(history_of(problem, size))
    x = tensor(problem.space.encode([t.config for t in known]))
    names = ["accuracy", *(f"m{i}" for i in range(size.limits))]

    def ask() -> None:
        models = [fitted(SingleTaskGP(x, tensor([[t.metrics[n]] for t in known]))) for n in names]
        limits = {i + 1: (None, 1.0) for i in range(size.limits)}
        score = LogConstrainedExpectedImprovement(ModelListGP(*models), 0.5, 0, limits)
        pool = tensor(problem.space.encode(problem.space.pool(2000, np.random.default_rng(0))))
        with torch.no_grad():
            score(pool.unsqueeze(1)).topk(size.at_once)

    return ask


TOOLS: dict[str, Callable[[Size], Callable[[], Any]]] = {
    "tunewise": tunewise,
    "optuna_tpe": optuna_tpe,
    "optuna_gp": optuna_gp,
    "botorch_ei": botorch_ei,
}
