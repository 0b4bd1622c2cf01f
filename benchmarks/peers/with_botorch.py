"""BoTorch's Gaussian processes: accuracy and log cost, choices one-hot, every candidate scored."""

# mypy: disable-error-code="import-not-found"
# The tools live in an environment of their own.

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from botorch.acquisition.analytic import LogConstrainedExpectedImprovement
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.max_value_entropy_search import qMultiFidelityMaxValueEntropy
from botorch.fit import fit_gpytorch_mll
from botorch.models import ModelListGP, SingleTaskGP, SingleTaskMultiFidelityGP
from botorch.models.deterministic import GenericDeterministicModel
from gpytorch.mlls import ExactMarginalLogLikelihood

from benchmarks.peers.arena import Arena, Array, Told

INITIAL = 4
SURE = 0.9
OVERHEAD = 0.1
"""What a trial costs besides its own spending, as a share of the cap."""

SMALLEST = 5.0
"""Fractions down to exp(-5) stay in the unit interval, on a logarithmic scale."""

Trials = list[tuple[int, int]]
"""Index of the config and of the fraction of each trial so far."""


def constrained_ei(arena: Arena, seed: int) -> Iterator[Told]:
    """Log constrained expected improvement over all untried configs, at the full data."""
    torch.manual_seed(seed)
    tried: list[int] = []
    for config in arena.latin(INITIAL, seed):
        tried.append(config)
        yield Told(config, arena.full, arena.best_measured(tried))
    every = tensor(arena.encoded)
    while left := sorted(set(range(len(every))).difference(tried)):
        model = ModelListGP(*_models_at_full_data(arena, tried))
        limit = {1: (None, float(np.log(arena.cap)))}
        best = _incumbent(arena, tried)
        score = LogConstrainedExpectedImprovement(model, best, 0, limit)
        with torch.no_grad():
            config = left[int(score(every[left].unsqueeze(1)).argmax())]
        tried.append(config)
        yield Told(config, arena.full, arena.best_measured(tried))


class Belief:
    """Both models over (config, fraction), and what they say of every config at full data."""

    def __init__(self, arena: Arena, trials: Trials) -> None:
        """Fit to the trials so far, of which one at least completed."""
        self.arena, self.grid = arena, _grid(arena)
        complete = [(i, s) for i, s in trials if np.isfinite(arena.accuracy[i, s])]
        self.accuracy = _fidelity_model(self._at(complete), _of(arena.accuracy, complete))
        self.log_cost = fitted(
            SingleTaskGP(_log_last(self._at(trials)), _of(np.log(arena.cost), trials))
        )
        with torch.no_grad():
            self.mean = self.accuracy.posterior(self.full).mean.squeeze(-1)
            cost = self.log_cost.posterior(_log_last(self.full))
        normal = torch.distributions.Normal(cost.mean.squeeze(-1), cost.variance.sqrt().squeeze(-1))
        self.feasible = normal.cdf(torch.tensor(np.log(arena.cap)))

    @property
    def full(self) -> torch.Tensor:
        """Every config at fraction 1, `(n, d + 1)`."""
        return self.grid[:, -1]

    def deployable(self) -> list[int]:
        """Configs that keep the cap surely enough; the surest one where none does."""
        sure = torch.nonzero(self.feasible >= SURE).flatten().tolist()
        return sure or [int(self.feasible.argmax())]

    def best(self) -> int:
        """The deployable config of the highest mean."""
        return max(self.deployable(), key=lambda i: float(self.mean[i]))

    def spending(self, points: torch.Tensor) -> torch.Tensor:
        """What trials are expected to cost, in units of the cap, with the overhead."""
        with torch.no_grad():
            log_cost = self.log_cost.posterior(_log_last(points)).mean
        return log_cost.exp() / self.arena.cap + OVERHEAD

    def _at(self, trials: Trials) -> torch.Tensor:
        return torch.stack([self.grid[i, s] for i, s in trials])


def entropy(arena: Arena, seed: int) -> Iterator[Told]:
    """Multi-fidelity max-value entropy search per USD, weighed by the chance to keep the cap."""
    torch.manual_seed(seed)
    trials: Trials = [(config, 0) for config in arena.latin(INITIAL, seed)]
    # The first of them teaches too little to fit a model.
    yield Told(*trials[0], None)
    for begun in range(2, INITIAL):
        yield Told(*trials[begun - 1], Belief(arena, trials[:begun]).best())
    last = trials[-1]
    while len(trials) < arena.accuracy.size:
        belief = Belief(arena, trials)
        yield Told(*last, belief.best())
        last = _most_worth(arena, trials, _information(belief))
        trials.append(last)


def _most_worth(arena: Arena, trials: Trials, worth: torch.Tensor) -> tuple[int, int]:
    """Config and fraction of the untried trial of most worth."""
    size = len(arena.fractions)
    untried = worth.clone()
    untried[[i * size + s for i, s in trials]] = -torch.inf
    return divmod(int(untried.argmax()), size)


def _information(belief: Belief) -> torch.Tensor:
    """For every config and fraction, what it tells about the best deployable accuracy, `(n·k,)`."""
    points = belief.grid.flatten(0, 1)
    utility = InverseCostWeightedUtility(GenericDeterministicModel(belief.spending))
    score = qMultiFidelityMaxValueEntropy(
        belief.accuracy,
        belief.full[belief.deployable()],
        cost_aware_utility=utility,
        project=_at_full,
    )
    with torch.no_grad():
        gain = torch.cat([score(part.unsqueeze(1)) for part in points.split(256)])
    return gain * belief.feasible.repeat_interleave(belief.grid.shape[1])


def _models_at_full_data(arena: Arena, tried: list[int]) -> list[SingleTaskGP]:
    complete = [i for i in tried if np.isfinite(arena.accuracy[i, -1])]
    accuracy = SingleTaskGP(tensor(arena.encoded[complete]), tensor(arena.accuracy[complete, -1:]))
    cost = SingleTaskGP(tensor(arena.encoded[tried]), tensor(np.log(arena.cost[tried, -1:])))
    return [fitted(accuracy), fitted(cost)]


def _incumbent(arena: Arena, tried: list[int]) -> float:
    """The best accuracy within the cap; the worst of all where none is, so that any improves."""
    feasible = [arena.accuracy[i, -1] for i in tried if arena.cost[i, -1] <= arena.cap]
    return float(np.nanmax(feasible) if feasible else np.nanmin(arena.accuracy[tried, -1]))


def _fidelity_model(points: torch.Tensor, values: torch.Tensor) -> SingleTaskMultiFidelityGP:
    last = points.shape[-1] - 1
    return fitted(SingleTaskMultiFidelityGP(points, values, data_fidelities=[last]))


def fitted(model: Any) -> Any:
    """The model with its hyper-parameters at the maximum of the marginal likelihood."""
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model.eval()


def _grid(arena: Arena) -> torch.Tensor:
    """Every config at every fraction, `(n, k, d + 1)`."""
    n, k = arena.accuracy.shape
    configs = tensor(arena.encoded).unsqueeze(1).expand(n, k, -1)
    fractions = tensor(arena.fractions).reshape(1, k, 1).expand(n, k, 1)
    return torch.cat([configs, fractions], dim=-1)


def _at_full(points: torch.Tensor) -> torch.Tensor:
    return torch.cat([points[..., :-1], torch.ones_like(points[..., -1:])], dim=-1)


def _log_last(points: torch.Tensor) -> torch.Tensor:
    """With the logarithm of the fraction: cost is nearly a power of it."""
    return torch.cat([points[..., :-1], 1 + points[..., -1:].log() / SMALLEST], dim=-1)


def _of(values: Array, trials: Trials) -> torch.Tensor:
    return tensor(np.array([[values[i, s]] for i, s in trials]))


def tensor(values: npt.ArrayLike) -> torch.Tensor:
    """The values in double precision."""
    return torch.as_tensor(np.asarray(values), dtype=torch.float64)
