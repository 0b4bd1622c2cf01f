"""The one loop that trains all networks, and how it finds its learning rate."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil, cos, pi
from typing import Any

import numpy as np

from tunewise.declarative.models.model import Array
from tunewise.declarative.models.networks.layers import Layer, Weights, flattened, nested
from tunewise.declarative.models.networks.operations import Computed
from tunewise.errors import TaskError, nearest, optional

Loss = Callable[[Any, Any, Any], Any]
"""From outputs, inputs and targets of a batch to one number."""


@dataclass(frozen=True)
class Rate:
    """An optimiser with its learning rate."""

    optimiser: str
    value: float


PAPER = (Rate("sgd", 0.1), Rate("sgd", 0.01), Rate("sgd", 0.001))
"""Each is used for a whole training, and the best training is kept."""

ADAM = (Rate("adam", 0.0001),)

SLICED = (Rate("adam", 0.003), Rate("adam", 0.01), Rate("adam", 0.001), Rate("sgd", 0.1))
"""Tried on slices, and one of them is used for the whole training; the first where none leads."""

LEAD = 0.01
"""The share by which a loss has to be lower to count: networks may begin on a plateau."""

RATES = {"slices": SLICED, "paper": PAPER, "adam": ADAM}

HELD_OUT = 0.15
"""The share of the examples that chooses among rates."""

STEEPEST = 5.0
"""The longest gradient that is followed as it is; longer ones are cut to it."""

TRIED = 25
"""Steps that each rate is tried for; the better half then for twice as many more."""


@dataclass(frozen=True)
class Plan:
    """How long a training is, and how its learning rate is found.

    Attributes:
        epochs: Passes over the examples.
        batch: Examples in a step.
        rates: "slices", "paper" or "adam".
        least: Steps at least, where examples are few.
    """

    epochs: int = 8
    batch: int = 64
    rates: str = "slices"
    least: int = 300

    def __post_init__(self) -> None:
        """Refuse names of rates that are none."""
        if self.rates not in RATES:
            raise TaskError(f"unknown rates {self.rates!r}{nearest(self.rates, RATES)}")

    def halved(self) -> "Plan":
        """For what was trained before."""
        return replace(self, epochs=max(1, self.epochs // 2), least=self.least // 2)

    def steps(self, examples: int) -> int:
        """Of a whole training."""
        return max(self.least, self.epochs * ceil(examples / self.batch))

    def all_steps(self, examples: int) -> int:
        """With those that find the rate."""
        trying = 4 * TRIED if self.rates == "slices" else 0
        whole = len(PAPER) if self.rates == "paper" else 1
        return self.steps(examples) * whole + 2 * trying


@dataclass
class Training:
    """A network under training on arrays of inputs and targets.

    Attributes:
        network: Its layers.
        x: (n, ...), y: whatever the loss takes, (n, ...).
        loss: What is made small.
        plan: How long.
        seed: Of the weights, the batches and what is dropped.
    """

    network: Layer
    x: Array
    y: Array
    loss: Loss
    plan: Plan
    seed: int

    def run(self, start: Weights | None = None) -> Weights:
        """Find a rate and train; weights as arrays come back."""
        torch = optional("torch", extra="torch")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            first = start or self.network.start(self.x.shape[1:], np.random.default_rng(self.seed))
            rates = RATES[self.plan.rates]
            if len(rates) == 1:
                return self._trained(first, rates[0], self._all())
            if self.plan.rates == "paper":
                return self._best_of(first, rates)
            return self._trained(first, self._found(first, rates), self._all())

    def _all(self) -> Array:
        return np.arange(len(self.x))

    def _parts(self) -> tuple[Array, Array]:
        places = np.random.default_rng([self.seed, 1]).permutation(len(self.x))
        cut = max(1, min(500, round(HELD_OUT * len(places))))
        return places[cut:], places[:cut]

    def _best_of(self, first: Weights, rates: tuple[Rate, ...]) -> Weights:
        learning, judging = self._parts()
        made = [self._trained(first, rate, learning) for rate in rates]
        return made[int(np.argmin([self._judged(weights, judging) for weights in made]))]

    def _found(self, first: Weights, rates: tuple[Rate, ...]) -> Rate:
        """Successive halving on a slice: all for some steps, the better half for more.

        They are judged by how well they learn the slice: on a held-out part a network that has
        hardly begun looks better the less it has learned.
        """
        learning = self._parts()[0][: TRIED * self.plan.batch]
        tried = {rate: first for rate in rates}
        steps = min(TRIED, max(3, self.plan.steps(len(self.x)) // 8))
        while len(tried) > 1:
            tried = {r: self._trained(w, r, learning, steps) for r, w in tried.items()}
            losses = {rate: self._judged(weights, learning) for rate, weights in tried.items()}
            near = (1 + LEAD) * min(losses.values())
            order = sorted(losses, key=lambda rate: max(losses[rate], near))
            tried = {rate: tried[rate] for rate in order[: len(tried) // 2]}
            steps *= 2
        return next(iter(tried))

    def _judged(self, weights: Weights, places: Array) -> float:
        torch = optional("torch", extra="torch")
        with torch.no_grad():
            x, y = torch.from_numpy(self.x[places]), torch.from_numpy(self.y[places])
            tensors = _tensors(weights, torch)
            found = self.network.run(Computed(False), tensors, x, tuple(x.shape[1:]))
            loss = float(self.loss(found, x, y))
        return loss if np.isfinite(loss) else float("inf")

    def _trained(
        self, first: Weights, rate: Rate, places: Array, steps: int | None = None
    ) -> Weights:
        """Weights after some steps from the first ones; without a number, a whole training."""
        torch = optional("torch", extra="torch")
        start = flattened(_tensors(first, torch))
        learned = {path: tensor for path, tensor in start.items() if _is_trained(path)}
        vector = torch.cat([tensor.ravel() for tensor in learned.values()]).requires_grad_()
        moving = _sgd if rate.optimiser == "sgd" else adam
        memory = [torch.zeros_like(vector.detach()) for _ in range(2)]
        total, doing = steps or self.plan.steps(len(places)), Computed(True)
        for step, batch in enumerate(self._batches(places, total)):
            weights = nested({**start, **_views(vector, learned)})
            x, y = torch.from_numpy(self.x[batch]), torch.from_numpy(self.y[batch])
            loss = self.loss(self.network.run(doing, weights, x, tuple(x.shape[1:])), x, y)
            (gradient,) = torch.autograd.grad(loss, vector)
            gradient *= min(1.0, STEEPEST / (float(gradient.norm()) + 1e-9))
            with torch.no_grad():
                now = rate.value * (1.0 if steps else _schedule(step, total))
                vector -= now * moving(gradient, memory, step + 1)
        found = {**start, **_views(vector.detach(), learned)}
        return nested({path: tensor.numpy().copy() for path, tensor in found.items()})

    def _batches(self, places: Array, steps: int) -> Iterator[Array]:
        rng = np.random.default_rng([self.seed, 2])
        size = min(self.plan.batch, len(places))
        order = np.empty(0, np.int64)
        for _ in range(steps):
            if len(order) < size:
                order = rng.permutation(places)
            yield order[:size]
            order = order[size:]


def _is_trained(path: str) -> bool:
    return not path.rpartition(".")[2].startswith("_")


def _tensors(weights: Weights, torch: Any) -> Weights:
    """Copies, so that several trainings may start from the same weights."""
    return nested({path: torch.tensor(value) for path, value in flattened(weights).items()})


def _views(vector: Any, like: dict[str, Any]) -> dict[str, Any]:
    """The parts of one vector of all weights, in the shapes that they have by path."""
    parts = vector.split([tensor.numel() for tensor in like.values()])
    return {k: part.view(t.shape) for (k, t), part in zip(like.items(), parts, strict=True)}


def _sgd(gradient: Any, memory: list[Any], step: int) -> Any:
    """The direction of gradient descent with momentum."""
    return memory[0].mul_(0.9).add_(gradient)


def adam(gradient: Any, memory: list[Any], step: int) -> Any:
    """The direction of Adam (Kingma and Ba)."""
    mean = memory[0].mul_(0.9).add_(gradient, alpha=0.1) / (1 - 0.9**step)
    square = memory[1].mul_(0.999).addcmul_(gradient, gradient, value=0.001) / (1 - 0.999**step)
    return mean / (square.sqrt() + 1e-8)


def _schedule(step: int, total: int) -> float:
    """Up in the first tenth of the steps, then down along a cosine."""
    warm = max(1, total // 10)
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + cos(pi * (step - warm) / max(1, total - warm)))
