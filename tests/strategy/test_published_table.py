"""The table of docs/as-published.md is true: each variant is built of what its row says.

Each claim is words of the variant's row, and what must then hold of the strategy that is built.
Every part that the row calls the paper's has a claim.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.belief.tiny import problem
from tunewise.acquisition.density_ratio import WIDER
from tunewise.strategy import STRATEGIES
from tunewise.strategy.loop import initial_design as designs
from tunewise.strategy.loop.affordability import predicted_feasible, surely_paid
from tunewise.strategy.published.incumbent import Incumbent, best_full_run, best_run
from tunewise.strategy.successive_halving.newcomer import ByModel, Densities
from tunewise.surrogate.normal import SAMPLES
from tunewise.surrogate.trees import ExtraTrees

PAGE = Path(__file__).parents[2] / "docs" / "as-published.md"
SLICED = problem(3, (0.25, 0.5, 1.0), maximize="accuracy", subject_to="cost <= 0.1")
Claims = dict[str, Callable[[Any], bool]]


def option(parts: Any, name: str) -> Any:
    """Of the surrogate."""
    return dict(parts.belief.model.surrogate.options).get(name)


def built(name: str, **options: Any) -> Any:
    """The parts of a variant."""
    strategy = tw.strategy(name, **options).build(SLICED, 0)
    return getattr(strategy, "parts", strategy)


def plain(parts: Any) -> bool:
    """Whether the kernel is FABOLAS' own, with its bases."""
    return option(parts, "plain") is True and parts.belief.model.basis == "fabolas"


CLAIMS: dict[str, Claims] = {
    "trimtuner_paper": {
        "its bootstrap": lambda p: (
            (p.design.layout, p.design.amount.configs) == (designs.snapshots, 1)
        ),
        "several starts by a latin hypercube": lambda _: (
            built("trimtuner_paper", initial=4).design.amount.configs == 4
        ),
        "equation 5 with one root": lambda p: p.acquisition.roots == 1,
        "CEA of 10 %": lambda p: (p.filter.name, p.filter.share) == ("cea", 0.1),
        "p_opt over all configs": lambda p: p.acquisition.targets is None,
        "extra-trees": lambda p: option(p, "kind") in (None, "extra"),
        "FABOLAS' kernels (by MCMC, too)": lambda _: all(
            plain(built("trimtuner_paper", surrogate=name)) for name in ("gp", "gp_mcmc")
        ),
        "50 trees": lambda p: option(p, "trees") is None and ExtraTrees().trees == 50,
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
        "M of 3 or 1": lambda p: (
            p.acquisition.ahead.accuracy_roots == 3
            and built("nephele_paper", accuracy_roots=1).acquisition.ahead.accuracy_roots == 1
        ),
        "the best run": lambda p: p.recommender is best_run,
    },
    "cherrypick_paper": {
        "three random configs to begin with": lambda p: (
            (p.design.layout, p.design.amount.configs) == (designs.at_random, 3)
        ),
        "a Matérn 5/2 kernel": lambda p: (
            p.belief.model.surrogate.name == "gp" and option(p, "plain")
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
        "64 samples": lambda _: SAMPLES == 64,
        "bandwidths times 3": lambda _: WIDER == 3.0,
    },
}


def cells(name: str) -> list[str]:
    """Of the row of the first table that names the strategy: the paper's, ours, and when."""
    lines = PAGE.read_text().splitlines()
    row = next(line for line in lines if line.startswith(f"| `{name}` |"))
    return [cell.strip() for cell in row.split("|")[2:-1]]


def listed(cell: str) -> list[str]:
    """What a cell lists: commas between brackets part nothing."""
    parts, depth = [""], 0
    for letter in cell:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def test_every_variant_as_published_has_claims() -> None:
    assert set(CLAIMS) == {name for name in STRATEGIES.names() if name.endswith("_paper")}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_the_table_says_of_a_variant_is_in_its_parts(name: str) -> None:
    parts, said = built(name), " | ".join(cells(name))
    for words, holds in CLAIMS[name].items():
        assert words in said, f"{name}: the table no longer says {words!r}"
        assert holds(parts), f"{name}: {words!r} is not true"


@pytest.mark.parametrize("name", CLAIMS)
def test_nothing_that_the_table_calls_the_papers_is_without_a_claim(name: str) -> None:
    papers = listed(cells(name)[0])
    assert papers == [p for p in papers if any(words in p for words in CLAIMS[name])]


@pytest.mark.parametrize("name", [name for name in CLAIMS if name != "bohb_paper"])
def test_as_published_nothing_is_assumed_beyond_the_surrogate(name: str) -> None:
    strategy = tw.strategy(name).build(SLICED, 0)
    assert getattr(strategy, "parts").belief.model.published  # noqa: B009 - of a generic type
