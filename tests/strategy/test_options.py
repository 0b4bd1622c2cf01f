"""Options of every registered strategy: wrong ones are named, right ones reach their part."""

import inspect

import pytest

import tunewise as tw
from tests.belief.tiny import problem
from tunewise.acquisition.entropy_search import EntropySearch
from tunewise.acquisition.modelled import Modelled
from tunewise.errors import StrategyError
from tunewise.strategy import STRATEGIES
from tunewise.strategy.loop.initial_design import Amount
from tunewise.strategy.loop.model_based import ModelBased
from tunewise.strategy.loop.recommender import PredictedBest
from tunewise.strategy.published.incumbent import Incumbent

WANTED = problem(3, (0.25, 0.5, 1.0), maximize="accuracy", subject_to="cost <= 0.1")
CHEAPEST = problem(3, minimize="cost", subject_to="time <= 100")
"""What `machines` alone is for."""
WRONG: dict[str, object] = {
    **{"accuracy_roots": 0, "candidates": 0, "eta": 1, "horizon": 9, "iterations": 0, "least": -1},
    **{"paths": 0, "roots": 0, "samples": 0, "trees": 0},
    **{"deviations": -1.0, "discount": 2.0, "feasible": 1.0, "growth": 0.0, "overhead": -1.0},
    **{"initial": 0, "initial_budget": 0.0, "share": 0.0, "stop": 2.0, "top": -1.0},
    **{"acquisition": "none such", "bootstrap": "none such", "surrogate": "none such"},
}


def options(name: str) -> list[str]:
    parameters = inspect.signature(STRATEGIES.load(name)).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_an_option_that_makes_no_sense_is_named(name: str) -> None:
    for option in options(name):
        if option in WRONG:
            value = WRONG[option]
            sentence = rf"^(unknown )?{option} (is )?{value!r}"
            with pytest.raises(StrategyError, match=sentence):
                tw.strategy(name, **{option: value}).build(WANTED, 0)


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_so_many_roots_that_no_sum_would_end_are_refused(name: str) -> None:
    for option in ("roots", "accuracy_roots", "horizon"):
        if option in options(name):
            with pytest.raises(StrategyError, match=rf"{option} is 1000"):
                tw.strategy(name, **{option: 1000}).build(WANTED, 0)


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_all_trials_may_pass_a_filter(name: str) -> None:
    if "share" in options(name):
        strategy = tw.strategy(name, share=1.0).build(WANTED, 0)
        assert isinstance(strategy, ModelBased)
        assert strategy.parts.filter.share == 1.0


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_an_option_that_nobody_knows_is_named(name: str) -> None:
    with pytest.raises(StrategyError, match=f"strategy '{name}' has no option 'colour'"):
        tw.strategy(name, colour="red")


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_options_and_seed_reach_the_parts(name: str) -> None:
    right: dict[str, object] = {"candidates": 7, "initial": 2, "feasible": 0.75}
    known = {option: right[option] for option in options(name) if option in right}
    wanted = CHEAPEST if name == "machines" else WANTED
    strategy = tw.strategy(name, **known).build(wanted, 5)
    assert (strategy.problem, strategy.seed) == (wanted, 5)
    if not isinstance(strategy, ModelBased):
        return
    if isinstance(strategy.parts.belief, Modelled):
        assert strategy.parts.belief.candidates == 7
    if "initial" in known:
        assert strategy.parts.design.amount == Amount(2)
    if "feasible" in known:
        recommender = Incumbent if name.endswith("_paper") else PredictedBest
        assert strategy.parts.recommender == recommender(0.75)
    if "feasible" in known and isinstance(strategy.parts.acquisition, EntropySearch):
        assert strategy.parts.acquisition.least == pytest.approx(0.75)


def test_trimtuners_entropy_is_equation_5_of_what_is_gained_with_an_overhead() -> None:
    strategy = tw.strategy("trimtuner", acquisition="entropy").build(WANTED, 0)
    assert isinstance(strategy, ModelBased)
    assert strategy.parts.acquisition == EntropySearch(
        factor="feasibility", gained=True, roots=3, overhead=0.1, least=0.9
    )
