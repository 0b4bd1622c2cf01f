"""A critic for networks that put out tensors: it learns beside them."""

from dataclasses import replace
from typing import Any

import numpy as np

from tunewise.declarative.models.networks.layers import (
    Conv,
    Each,
    chain,
    flattened,
    nested,
)
from tunewise.declarative.models.networks.network import Targets
from tunewise.declarative.models.networks.operations import Computed
from tunewise.declarative.models.networks.training import Loss, adam
from tunewise.errors import optional

SHARE = 0.005
"""Of the critic in the loss; most is the squared error, which the quality is measured by."""

RATE = 0.001
"""The critic's learning rate."""


def criticised(targets: Targets, paired: bool) -> Targets:
    """The same targets; the loss has a critic, that may see the inputs, too."""
    return replace(targets, loss=Critic(paired, targets.loss))


class Critic:
    """Says of each patch whether it is real; a loss that learns at each step."""

    def __init__(self, paired: bool, plain: Loss) -> None:
        """Say whether it sees input and output together, and the loss that it is added to."""
        relu = Each("Relu")
        self.paired, self._plain = paired, plain
        self._layers = chain(Conv(16, stride=2), relu, Conv(32, stride=2), relu, Conv(1, 1))
        self._weights: dict[str, Any] = {}
        self._memory: dict[str, list[Any]] = {}
        self._step = 0

    def __call__(self, found: Any, x: Any, y: Any) -> Any:
        """The plain loss, and while it is trained how well the critic is deceived."""
        if not found.requires_grad:
            return self._plain(found, x, y)
        self._learn(found.detach(), x, y)
        functional = optional("torch.nn.functional", extra="torch")
        frozen = {path: weight.detach() for path, weight in self._weights.items()}
        deceived = functional.softplus(-self._says(frozen, found, x)).mean()
        return self._plain(found, x, y) + SHARE * deceived

    def _seen(self, shown: Any, x: Any) -> Any:
        torch = optional("torch", extra="torch")
        return torch.cat([x, shown], dim=1) if self.paired else shown

    def _says(self, weights: dict[str, Any], shown: Any, x: Any) -> Any:
        seen = self._seen(shown, x)
        return self._layers.run(Computed(True), nested(weights), seen, tuple(seen.shape[1:]))

    def _learn(self, made: Any, x: Any, y: Any) -> None:
        """One step towards telling real from made."""
        torch = optional("torch", extra="torch")
        if not self._weights:
            shape = tuple(self._seen(y, x).shape[1:])
            first = flattened(self._layers.start(shape, np.random.default_rng(0)))
            self._weights = {k: torch.tensor(v).requires_grad_() for k, v in first.items()}
            self._memory = {
                k: [torch.zeros_like(w.detach()) for _ in range(2)]
                for k, w in self._weights.items()
            }
        self._step += 1
        real, fake = (self._says(self._weights, shown, x) for shown in (y, made))
        softplus = optional("torch.nn.functional", extra="torch").softplus
        loss = softplus(-real).mean() + softplus(fake).mean()
        gradients = torch.autograd.grad(loss, list(self._weights.values()))
        with torch.no_grad():
            for (path, weight), gradient in zip(self._weights.items(), gradients, strict=True):
                weight -= RATE * adam(gradient, self._memory[path], self._step)
