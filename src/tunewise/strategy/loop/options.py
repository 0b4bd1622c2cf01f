"""Options of strategies: what each may be, whichever strategy takes it."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tunewise.errors import StrategyError
from tunewise.problem.options import FLAG, Option, checked, choice, number, share, whole
from tunewise.strategy.pruner import GRACE

P = ParamSpec("P")
T = TypeVar("T")

OPTIONS: dict[str, Option] = {
    # How many roots the metrics beside the objective take on the way ahead; 1 for their means.
    "accuracy_roots": whole(1, 32),
    # "cheap" begins on the smallest fraction; "paper" as the published system does.
    "bootstrap": choice(("cheap", "paper")),
    # How many configs are weighed where the space has more than that.
    "candidates": whole(),
    # Standard deviations above the mean.
    "deviations": number(least=0),
    # The weight of each step ahead relative to the one before.
    "discount": share(whole=True),
    # One in so many configs goes on to the next rung.
    "eta": whole(2),
    # A recommended config is feasible with this probability or more.
    "feasible": share(),
    # No trial may spend more than this times all spent before, even if beliefs err.
    "growth": number(above=0, endless=True).or_none(),
    # Steps to look ahead; each takes roots times as long as the one before.
    "horizon": whole(0, 3),
    # USD that a latin hypercube over configs and fractions begins with.
    "initial_budget": number(above=0, endless=True),
    # Whether the best is expected inside of ranges rather than at their ends.
    "inside": FLAG,
    # After so many trials behind the initial design the search ends.
    "iterations": whole(),
    # Trials that have ended before the search may end by itself.
    "least": whole(0),
    # What a trial costs besides, as a share of all spent so far: small ones lose their worth.
    "overhead": number(least=0),
    # How many trials, the best ones by themselves, exploration paths lead through.
    "paths": whole(),
    # Whether trials are stopped that can no longer become the answer.
    "prune": FLAG,
    # The same, or how much longer a trial may run than one that could win.
    "prune_after": Option(
        "True, False, or how many times as long as one that could win a trial may run:"
        " a finite number, 1 or above",
        lambda given: given is None or FLAG.fits(given) or number(least=1).fits(given),
    ),
    # The share of new configs that is drawn by chance.
    "random": share(none=True, whole=True),
    # Gauss-Hermite roots of the outcomes of a trial.
    "roots": whole(1, 32),
    # How often the deployed config will run: the search ends once no trial is expected to save in
    # so many runs what it costs; None to go on.
    "runs": number(above=0, endless=True).or_none(),
    # Hyper-parameters that MCMC averages over.
    "samples": whole(),
    # How many trials a filter lets through, as a share of all.
    "share": share(whole=True),
    # A run ends once one more trial is expected to better the best objective by less than this
    # share of it; None to go on.
    "stop": share().or_none(),
    # The share of the measured configs that counts as good.
    "top": number(least=0),
    # Trees of each ensemble.
    "trees": whole(),
}
"""Of two more, `initial` is checked where a design is made (4 configs, "3%" of the space or
"5 USD"), and `surrogate` where a model is: a name, or one with options."""


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
