"""The table of docs/as-published.md is true: each variant is built of what its row says.

Each claim is words of the variant's row, and what must then hold of the strategy that is built.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.belief.tiny import problem
from tunewise.strategy import STRATEGIES
from tunewise.strategy.loop import initial_design as designs
from tunewise.strategy.loop.affordability import predicted_feasible, surely_paid
from tunewise.strategy.published.incumbent import Incumbent, best_full_run, best_run
from tunewise.strategy.successive_halving.newcomer import ByModel, Densities

PAGE = Path(__file__).parents[2] / "docs" / "as-published.md"
SLICED = problem(3, (0.25, 0.5, 1.0), maximize="accuracy", subject_to="cost <= 0.1")
Claims = dict[str, Callable[[Any], bool]]


def option(parts: Any, name: str) -> Any:
    """Of the surrogate."""
    return dict(parts.belief.model.surrogate.options).get(name)


def plain(parts: Any) -> bool:
    """Whether the kernel is FABOLAS' own, with its bases."""
    return option(parts, "plain") is True and parts.belief.model.basis == "fabolas"


CLAIMS: dict[str, Claims] = {
    "trimtuner_paper": {
        "its bootstrap": lambda p: p.design.layout is designs.snapshots,
        "equation 5 with one root": lambda p: p.acquisition.roots == 1,
        "CEA of 10 %": lambda p: (p.filter.name, p.filter.share) == ("cea", 0.1),
        "p_opt over all configs": lambda p: p.acquisition.targets is None,
        "extra-trees": lambda p: option(p, "kind") in (None, "extra"),
        "the incumbent of line 20": lambda p: p.recommender == Incumbent(0.9),
        "44 iterations": lambda p: p.iterations == 44,
    },
    "fabolas_paper": {
        "MCMC": lambda p: p.belief.model.surrogate.name == "gp_mcmc",
        "the kernels with the bases (1, (1 − s)²) and (1, s)": plain,
        "all of the information": lambda p: not p.acquisition.gained,
        "the incumbent among tested configs": lambda p: p.recommender == Incumbent(None, True),
        "every first config on all slices": lambda p: p.design.layout is designs.on_all_slices,
        "computing time, which a repeatable strategy cannot know: 0": (
            lambda p: p.acquisition.overhead == 0
        ),
    },
    "fabulinus_paper": {
        "3 % of the space on all slices": lambda p: (
            (p.design.layout, p.design.amount.share) == (designs.on_all_slices, 0.03)
        ),
        "all slices of the configs at the top of its own CEA": lambda p: p.filter.of_configs,
        "MCMC": lambda p: p.belief.model.surrogate.name == "gp_mcmc" and plain(p),
        "logarithms": lambda p: p.belief.model.published,
        "never the full data": lambda p: p.belief.fractions == "slices",
        "the incumbent of line 12": lambda p: p.recommender == Incumbent(0.99),
        "100 iterations": lambda p: p.iterations == 100,
        "a CEA of 10 %": lambda p: p.filter.share == 0.1,
        "an overhead of 0": lambda p: p.acquisition.overhead == 0,
    },
    "lynceus_paper": {
        "ten of Weka's random trees": lambda p: (
            (option(p, "trees"), option(p, "kind")) == (10, "random")
        ),
        "paths of three trials": lambda p: p.acquisition.ahead.horizon == 2,
        "the budget with probability 0.99": lambda p: p.affordability is surely_paid,
        "a start of 3 % of the space": lambda p: p.design.amount.share == 0.03,
        "the best run": lambda p: p.recommender is best_full_run,
    },
    "nephele_paper": {
        "five of Weka's random trees": lambda p: (
            (option(p, "trees"), option(p, "kind")) == (5, "random")
        ),
        "5 USD to begin with": lambda p: p.design.amount.usd == 5.0,
        "the feasible set by predicted means": lambda p: p.affordability is predicted_feasible,
        "also on paths": lambda p: p.acquisition.ahead.by_means,
        "M of 3 or 1": lambda p: p.acquisition.ahead.accuracy_roots == 3,
        "the best run": lambda p: p.recommender is best_run,
    },
    "cherrypick_paper": {
        "three random configs to begin with": lambda p: (
            (p.design.layout, p.design.amount.configs) == (designs.at_random, 3)
        ),
        "improvement on what was measured": lambda p: p.acquisition.measured,
        "known prices": lambda p: p.belief.model.known_price,
        "ends below a gain of 10 %": lambda p: p.stop.amount == 0.1 and p.stop.relative,
        "the best run": lambda p: p.recommender is best_full_run,
    },
    "bohb_paper": {
        "kernel densities of the best 15 %": (
            lambda p: p._newcomer == ByModel(1 / 3, 2000, Densities(0.15))
        ),
    },
}


def row(name: str) -> str:
    """Of the first table that names the strategy."""
    lines = PAGE.read_text().splitlines()
    return next(line for line in lines if line.startswith(f"| `{name}` |"))


def test_every_variant_as_published_has_claims() -> None:
    assert set(CLAIMS) == {name for name in STRATEGIES.names() if name.endswith("_paper")}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_the_table_says_of_a_variant_is_in_its_parts(name: str) -> None:
    strategy = tw.strategy(name).build(SLICED, 0)
    parts = getattr(strategy, "parts", strategy)
    for words, holds in CLAIMS[name].items():
        assert words in row(name), f"{name}: the table no longer says {words!r}"
        assert holds(parts), f"{name}: {words!r} is not true"


@pytest.mark.parametrize("name", [name for name in CLAIMS if name != "bohb_paper"])
def test_as_published_nothing_is_assumed_beyond_the_surrogate(name: str) -> None:
    strategy = tw.strategy(name).build(SLICED, 0)
    assert getattr(strategy, "parts").belief.model.published  # noqa: B009 - of a generic type
