"""The rules and tuned numbers of the search, in groups, each with what makes it neutral.

Those of a group are taken out together first; the core is known to matter.
"""

import math
from typing import Any, NamedTuple

from tunewise.belief.censoring import with_bounds
from tunewise.surrogate.gaussian.own import Own


class Rule(NamedTuple):
    """A rule, and how it is made neutral.

    `where` is "module:attribute", below `tunewise`, and takes the value; or the name of an option
    of `trimtuner`. Rules that only machines know are tried on machines alone.
    """

    name: str
    where: str
    value: Any


def _never(*given: Any, **named: Any) -> None:
    return None


def _once(problem: Any, learned: Any, seen: Any, bounds: Any, rounds: int) -> Any:
    return with_bounds(problem, learned, seen, bounds, 1)


_EVER = 10**9

RULES: dict[str, tuple[Rule, ...]] = {
    "search": (
        Rule("region", "acquisition.search.searched:SIDE", 1.0),
        Rule("few parameters", "acquisition.acquisition:FEW_PARAMETERS", _EVER),
        Rule("neighbours", "acquisition.search.searched:_NEAR", 0.01),
    ),
    "stops": (
        Rule("outclassed", "strategy.loop.outclassed:outclassed", _never),
        Rule("unbounded", "strategy.loop.patience:unbounded", lambda posterior, n: (0.0, math.inf)),
        Rule("rates", "strategy.loop.patience:FEW", _EVER),
        Rule("longer again", "acquisition.knowledge_gradient:LONGER", 1.0),
        Rule("rounds of bounds", "belief.model:with_bounds", _once),
    ),
    "risk": (
        Rule("hopeful", "strategy.loop.affordability:_HOPEFUL", 0.0),
        Rule("hope", "belief.posterior:HOPE", 0.0),
    ),
    "worth": (
        Rule("floor", "belief.posterior:Posterior.floor", 0.0),
        Rule("sure counts", "acquisition.outcomes:_counted", lambda chance, least: chance),
        Rule("repeats", "belief.grid:_REPEATS", 1),
        Rule("penalties", "belief.cliff:without_cliff", lambda losses: losses),
    ),
    "curves": (
        Rule("own", "surrogate.gaussian_process:Own", lambda basis, _: Own(basis, (0.002, 0.002))),
        Rule("curved trend", "surrogate.gaussian_process:_TRENDS", {}),
        Rule("linked", "surrogate.exchangeable:LINKED", 0.0),
        Rule("repeats share noise", "surrogate.exchangeable:OWN", 0.0),
        Rule("repeats agree", "history.repeats:agree", lambda *given: False),
    ),
    "machines": (
        Rule("cliffs", "belief.machines.ensemble:_CLIFF", 0.0),
        Rule("hedge", "belief.machines.pool:_DOUBTED", 1e-9),
        Rule("slopes", "belief.machines.ensemble:SLOPE", 0.0),
        Rule("additive share", "belief.machines.ensemble:_ADDITIVE", (0.5, 0.5)),
        Rule("nearly", "belief.machines.wanted:NEARLY", 1e-6),
        Rule("price doubt", "belief.machines.wanted:SURELY", 0.0),
    ),
    "core": (
        Rule("climbs", "acquisition.search.searched:_ROUNDS", 0),
        Rule("steps along the slope", "acquisition.search.climbing:_LENGTHS", ()),
        Rule("usual growth", "belief.usual.slopes:PER_DECADE", {"share": 0.0, "effort": 0.0}),
        Rule("inside", "inside", False),
        Rule("all stops", "prune", False),
        Rule("before anything", "strategy.loop.patience:before_anything", _never),
        Rule("dear slices", "strategy.loop.patience:_log_spent", lambda *given: math.inf),
        Rule("grace", "strategy.pruner:GRACE", 1.0),
        Rule("bounds", "belief.model:with_bounds", lambda p, learned, seen, b, r: learned(seen)),
        Rule("growth", "growth", None),
        Rule("fear", "strategy.loop.affordability:SURELY", 0.0),
        Rule("overhead", "overhead", 0.0),
        Rule("fine outcomes", "acquisition.outcomes:FINE", 3),
        Rule("look at each", "strategy.loop.initial_design:_EACH", 0.0),
    ),
}
