"""Surrogates by name, with options."""

import pytest

import tunewise as tw
from tunewise.acquisition.modelled import Modelled
from tunewise.errors import StrategyError
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.registered import SurrogateSpec
from tunewise.surrogate.trees import ExtraTrees
from tunewise.testing.strategies import problem


def test_a_name_makes_the_surrogate_of_that_name() -> None:
    made = SurrogateSpec.of("trees").make(spread=0.5)
    assert isinstance(made, ExtraTrees) and made.spread == 0.5


def test_options_reach_the_surrogate() -> None:
    made = SurrogateSpec.of({"name": "trees", "trees": 7, "slope": 0.0}).make()
    assert isinstance(made, ExtraTrees) and (made.trees, made.slope) == (7, 0.0)
    averaged = SurrogateSpec.of({"name": "gp_mcmc", "samples": 3}).make("log")
    assert isinstance(averaged, GaussianProcess) and averaged.samples == 3


def test_a_spec_is_itself() -> None:
    spec = SurrogateSpec("gp")
    assert SurrogateSpec.of(spec) is spec


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("tree", "unknown surrogate 'tree'; did you mean 'trees'"),
        ({"name": "trees", "tres": 5}, "surrogate 'trees' has no option 'tres'; did you mean"),
        ({"name": "trees", "spread": 1.0}, "surrogate 'trees' has no option 'spread'"),
        ({"trees": 5}, "surrogate is {'trees': 5}; expected a name"),
        (3, "surrogate is 3; expected a name"),
        ({"name": "trees", "trees": "x"}, "least 2 or more, not 'x' and 2"),
        ({"name": "trees", "trees": 2.5}, "least 2 or more, not 2.5 and 2"),
        ({"name": "trees", "slope": "x"}, "surrogate 'trees' cannot take slope='x'"),
        ({"name": "gp", "samples": 0}, "samples must be 1 or more, not 0"),
    ],
)
def test_what_is_no_surrogate_gets_a_sentence(given: object, sentence: str) -> None:
    with pytest.raises(StrategyError, match=sentence):
        SurrogateSpec.of(given)  # type: ignore[arg-type] # what a user may write


@pytest.mark.parametrize("name", ["trimtuner", "fabolas", "fabulinus", "eic", "nephele", "lynceus"])
def test_every_strategy_takes_a_surrogate_with_options(name: str) -> None:
    built = tw.strategy(name, surrogate={"name": "trees", "trees": 9}).build(problem(), 0)
    assert isinstance(built, ModelBased) and isinstance(built.parts.belief, Modelled)
    assert built.parts.belief.model.surrogate == SurrogateSpec("trees", (("trees", 9),))
