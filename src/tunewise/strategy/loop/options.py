"""Options of strategies: what each may be, whichever strategy takes it."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tunewise.errors import StrategyError
from tunewise.problem.options import FLAG, Option, checked, choice, number, share, whole
from tunewise.strategy.pruner import GRACE

P = ParamSpec("P")
T = TypeVar("T")

ROOTS = whole(1, 32)
"""How many Gauss-Hermite roots make sense."""

OPTIONS: dict[str, Option] = {
    "accuracy_roots": ROOTS,
    "bootstrap": choice(("cheap", "paper")),
    "candidates": whole(),
    "deviations": number(least=0),
    "discount": share(whole=True),
    "eta": whole(2),
    "feasible": share(),
    "first_slice": share(none=True, whole=True),
    "growth": number(above=0, endless=True).or_none(),
    "horizon": whole(0, 3),  # each step takes roots times as long as the one before
    "initial_budget": number(above=0, endless=True),
    "inside": FLAG,
    "iterations": whole(),
    "least": whole(0),
    "overhead": number(least=0),
    "paths": whole(),
    "random": share(none=True, whole=True),
    "roots": ROOTS,
    "runs": number(above=0, endless=True).or_none(),
    "samples": whole(),
    "share": share(whole=True),
    "stop": share().or_none(),
    "stop_hopeless": FLAG,
    "top": number(least=0),
    "trees": whole(),
}

LONGER = Option(
    "True, False, or how many times as long as one that could win a trial may run:"
    " a finite number, 1 or above",
    lambda given: given is None or FLAG.fits(given) or number(least=1).fits(given),
)
"""`stop_hopeless` where it may also be a number."""


def check(**given: Any) -> None:
    """Refuse an option that makes no sense, in a sentence that names it."""
    for name, value in given.items():
        OPTIONS[name].check(name, value, StrategyError)


def takes(**own: Option) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check the options of a strategy when it is built; `own` are those that it knows better."""
    return checked(OPTIONS, StrategyError, **own)


def grace(given: float | bool | None) -> float | None:
    """How many times as long as one that could win a trial may run; None lets all run on."""
    if given is None or given is False:
        return None
    return GRACE if given is True else float(given)


def refuse_given(name: str, given: Any, where: str) -> None:
    """Refuse an option that says nothing there."""
    if given is not None:
        raise StrategyError(f"{name} is {given!r}; expected nothing {where}")
