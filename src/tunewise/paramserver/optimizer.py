"""How a server applies an update, and how fast the loss then falls.

A server keeps one column of state a parameter: its value in row 0, what the optimiser remembers of
it below. An update is what a worker adds, already times minus the learning rate.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tunewise.errors import ExecutionError, nearest
from tunewise.surrogate import Array


@dataclass(frozen=True)
class Optimizer:
    """A rule that servers follow.

    Attributes:
        name: As it is chosen.
        rows: How many numbers it keeps for a parameter.
        apply: Takes the state (rows, n) of some parameters and their update (n,), and returns
            their new state.
        rate: Which curve the loss follows, for estimates of the iterations left: "sublinear"
            for SGD (equation 3.3), "linear" for variance-reduced SGD.
        variance_reduced: Whether workers correct their gradients by those at a snapshot.
    """

    name: str
    rows: int
    apply: Callable[[Array, Array], Array]
    rate: str = "sublinear"
    variance_reduced: bool = False


_MOMENTUM = 0.9
"""The share of the last step that momentum keeps: the value of nearly all published trainings."""


def _add(state: Array, update: Array) -> Array:
    return state + update


def _roll(state: Array, update: Array) -> Array:
    rolled = state.copy()
    rolled[1] = _MOMENTUM * state[1] + (1 - _MOMENTUM) * update
    rolled[0] += rolled[1]
    return rolled


OPTIMIZERS = {
    optimizer.name: optimizer
    for optimizer in (
        Optimizer("sgd", 1, _add),
        Optimizer("momentum", 2, _roll),
        Optimizer("svrg", 1, _add, rate="linear", variance_reduced=True),
    )
}


def optimizer(name: str) -> Optimizer:
    """The optimiser of that name."""
    if name not in OPTIMIZERS:
        raise ExecutionError(f"unknown optimizer {name!r}{nearest(name, OPTIMIZERS)}")
    return OPTIMIZERS[name]
