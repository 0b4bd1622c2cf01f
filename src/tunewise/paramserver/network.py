"""Networks of PyTorch as models of a parameter server. Needs the extra `tunewise[torch]`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from tunewise.errors import ExecutionError
from tunewise.paramserver.data import Batch
from tunewise.surrogate import Array

Loss = Callable[[Any, Any], Any]


def _labels(outputs: Any, labels: Any) -> Any:
    """Cross entropy of whole-numbered labels."""
    return nn.functional.cross_entropy(outputs, labels.long())


@dataclass(frozen=True, eq=False)
class Network:
    """Any module of PyTorch, trained by servers and workers.

    `Network(lambda: MyModule(), criterion=my_loss)`: the module takes rows of numbers as the
    data has them (an `nn.Unflatten` makes images of them), the loss takes outputs and labels.

    Attributes:
        build: Makes the module; called once in each process, after torch has been seeded.
        criterion: The loss over outputs and labels; cross entropy by default.
        l2: Strength of the regularisation.
    """

    build: Callable[[], Any]
    criterion: Loss = _labels
    l2: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a module in place of what makes one."""
        if isinstance(self.build, nn.Module) or not callable(self.build):
            raise ExecutionError(
                f"build is {_named(self.build)}; expected a function that makes a module, such as"
                " Network(lambda: MyModule()): each process makes its own"
            )

    @cached_property
    def _module(self) -> Any:
        return self._built()

    def _built(self) -> Any:
        made = self.build()
        if not isinstance(made, nn.Module):
            raise ExecutionError(f"build made {_named(made)}; expected a torch.nn.Module")
        return made.float()

    def __getstate__(self) -> dict[str, Any]:
        """Without the module, which every process makes for itself."""
        return {k: v for k, v in self.__dict__.items() if k != "_module"}

    @cached_property
    def size(self) -> int:
        """How many parameters."""
        return sum(each.numel() for each in self._module.parameters())

    def initial(self, seed: int) -> Array:
        """Where the training begins: as PyTorch starts such a module from a seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            fresh = self._built()
        return np.asarray(parameters_to_vector(fresh.parameters()).detach().numpy(), float)

    def work(self, batch: Batch) -> float:
        """Multiplications of one gradient: three for each weight that a row meets."""
        return 3.0 * batch.rows * self._uses

    @cached_property
    def _uses(self) -> float:
        """Multiplications of one row on its way forwards: a convolution meets its weights often."""
        counted = [0.0]

        def count(module: Any, _: Any, output: Any) -> None:
            if isinstance(module, nn.Conv2d):
                counted[0] += prod(output.shape[2:]) * module.weight.numel()
            elif isinstance(module, nn.Linear):
                counted[0] += module.weight.numel()

        hooks = [each.register_forward_hook(count) for each in self._module.modules()]
        try:
            self._module.eval()  # a normalisation over batches cannot train on one row
            with torch.no_grad():
                self._module(torch.zeros(1, self._known_inputs))
        finally:
            self._module.train()
            for hook in hooks:
                hook.remove()
        return counted[0]

    @property
    def inputs(self) -> int | None:
        """Numbers of a row, as the first layer has them; None where none tells."""
        for module in self._module.modules():
            if isinstance(module, nn.Unflatten):
                return int(prod(module.unflattened_size))
            if isinstance(module, nn.Linear):
                return int(module.in_features)
        return None

    @property
    def _known_inputs(self) -> int:
        if (told := self.inputs) is None:
            raise ExecutionError(
                "the module has neither nn.Unflatten nor nn.Linear to tell its inputs by"
            )
        return told

    def gradient(self, values: Array, batch: Batch) -> tuple[float, Array]:
        """Loss over a batch and its gradient."""
        module = self._at(values)
        module.zero_grad(set_to_none=True)
        loss = self._criterion(module, batch)
        loss.backward()
        parts = [
            torch.zeros_like(each) if each.grad is None else each.grad
            for each in module.parameters()
        ]
        gradient = np.asarray(parameters_to_vector(parts).numpy(), float)
        return float(loss.detach()) + self._penalty(values), gradient + self.l2 * values

    def loss(self, values: Array, batch: Batch) -> float:
        """Loss over a batch."""
        module = self._at(values)
        with torch.no_grad():
            return float(self._criterion(module, batch)) + self._penalty(values)

    def named(self, values: Array) -> dict[str, Array]:
        """Values by the names of the module's parameters, in their order and shapes."""
        named = self._at(values).named_parameters()
        return {name: np.array(each.detach().numpy()) for name, each in named}

    def outputs(self, values: Array, batch: Batch) -> Array:
        """What the module says of rows, (b, …)."""
        module = self._at(values).eval()
        with torch.no_grad():
            told = module(torch.from_numpy(np.array(_dense(batch.x), np.float32)))
        module.train()
        return np.asarray(told.numpy(), float)

    def _at(self, values: Array) -> Any:
        vector_to_parameters(
            torch.from_numpy(np.array(values, np.float32)), self._module.parameters()
        )
        return self._module

    def _criterion(self, module: Any, batch: Batch) -> Any:
        """The loss of a batch; whole-numbered labels stay so, as those of classes have to be."""
        x = torch.from_numpy(np.array(_dense(batch.x), np.float32))
        whole = batch.y.dtype.kind in "iu"
        y = torch.from_numpy(np.array(batch.y, np.int64 if whole else np.float32))
        outputs = module(x)
        try:
            return self.criterion(outputs, y)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            named = getattr(self.criterion, "name", "the loss")
            raise ExecutionError(
                f"{named} failed: {error}; it was given outputs {_shown(outputs)} and labels"
                f" {_shown(y)}"
            ) from error

    def _penalty(self, values: Array) -> float:
        return 0.5 * self.l2 * float(values @ values)


def _dense(x: Any) -> Any:
    return x.toarray() if hasattr(x, "toarray") else x


def _shown(tensor: Any) -> str:
    shape = tuple(getattr(tensor, "shape", ()))
    return f"of {shape} {getattr(tensor, 'dtype', type(tensor).__name__)}"


def _named(value: Any) -> str:
    return f"a {type(value).__name__}"


def mlp(widths: Sequence[int], l2: float = 0.0) -> Network:
    """A multi-layer perceptron for classes: numbers of inputs, of each hidden layer, of classes."""
    return Network(_Perceptron(tuple(widths)), l2=l2)


def cnn(side: int, channels: int = 8, classes: int = 10, l2: float = 0.0) -> Network:
    """Two convolutions and a linear layer for square images of one colour."""
    return Network(_Convolutions(side, channels, classes), l2=l2)


def thesis_cnn(l2: float = 0.0) -> Network:
    """The thesis' network for CIFAR-10: pictures of 24 x 24 in three colours, ten classes.

    Two convolutions of 64 kernels of 5 x 5, each normalised by its responses and pooled, then
    layers of 394, 192 and 10: 1,093,268 parameters.
    """
    return Network(_Pictures(), l2=l2)


@dataclass(frozen=True)
class _Pictures:
    def __call__(self) -> Any:
        def convolution(channels: int) -> list[Any]:
            # As pictures of 24 are pooled to 12 and 6; the constants are those of the network that
            # TensorFlow's tutorial trains on the same data.
            return [
                nn.Conv2d(channels, 64, 5, padding=2),
                nn.ReLU(),
                nn.LocalResponseNorm(9, alpha=1e-3, beta=0.75, k=1.0),
                nn.MaxPool2d(3, 2, padding=1),
            ]

        return nn.Sequential(
            nn.Unflatten(1, (3, 24, 24)),
            *convolution(3),
            *convolution(64),
            nn.Flatten(),
            nn.Linear(64 * 6 * 6, 394),
            nn.ReLU(),
            nn.Linear(394, 192),
            nn.ReLU(),
            nn.Linear(192, 10),
        )


@dataclass(frozen=True)
class _Perceptron:
    widths: tuple[int, ...]

    def __call__(self) -> Any:
        layers: list[Any] = []
        for before, after in zip(self.widths, self.widths[1:], strict=False):
            layers += [nn.Linear(before, after), nn.ReLU()]
        return nn.Sequential(*layers[:-1])


@dataclass(frozen=True)
class _Convolutions:
    side: int
    channels: int
    classes: int

    def __call__(self) -> Any:
        left = self.side // 2 // 2
        return nn.Sequential(
            nn.Unflatten(1, (1, self.side, self.side)),
            nn.Conv2d(1, self.channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(self.channels, 2 * self.channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(2 * self.channels * left * left, self.classes),
        )
