"""Strategies can be named with options, so that variants race each other."""

import pytest

from tunewise.benchmark.entrants import bootstrap, check, entrants, label, settings
from tunewise.errors import StrategyError
from tunewise.problem import Problem
from tunewise.space import Space
from tunewise.strategy import StrategySpec


def test_commas_in_parentheses_do_not_split() -> None:
    named = entrants("trimtuner(filter=cea, share=0.1), eic ,random,")
    assert [spec.describe() for spec in named] == [
        {"name": "trimtuner", "filter": "cea", "share": 0.1}, {"name": "eic"}, {"name": "random"}
    ]  # fmt: skip


def test_values_are_numbers_words_or_nothing() -> None:
    [spec] = entrants("trimtuner(initial=3,growth=null,share=1e-2,filter=none,surrogate=trees)")
    assert spec.options == {
        "initial": 3, "growth": None, "share": 0.01, "filter": "none", "surrogate": "trees"
    }  # fmt: skip


def test_labels_are_read_back() -> None:
    text = "random,cherrypick(initial=6),cherrypick"
    assert [label(s) for s in entrants(text)] == text.split(",")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("trimtunr(share=0.1)", "unknown strategy 'trimtunr'; did you mean 'trimtuner'"),
        ("trimtuner(shar=0.1)", "has no option 'shar'; did you mean 'share'"),
        ("trimtuner(share=0.1", "'trimtuner(share=0.1' cannot be read"),
        ("trimtuner)", "'trimtuner)' cannot be read"),
        ("trimtuner(share)", "option 'share' of 'trimtuner(share)' has no name or value"),
        ("random(x=1)", "'random' has no option 'x'; Valid: prune"),
        (" , ", "no strategy was named"),
        ("random,eic, random", "random is named twice"),
        ("eic(initial=3),eic(initial=3)", "eic(initial=3) is named twice"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(StrategyError) as refused:
        entrants(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("trimtuner(acquisition=literl)", "did you mean 'literal'"),
        ("cherrypick(initial=many)", "cherrypick(initial=many) cannot be raced"),
    ],
)
def test_wrong_values_are_refused_before_the_race(text: str, sentence: str) -> None:
    problem = Problem(Space.of([{"x": 1}, {"x": 2}]), maximize="accuracy")
    with pytest.raises(StrategyError) as refused:
        check(entrants(text), problem)
    assert sentence in str(refused.value)


def test_variants_of_a_strategy_have_names_of_their_own() -> None:
    assert label(StrategySpec("random")) == "random"
    given = {"surrogate": "trees", "growth": None}
    assert label(StrategySpec("trimtuner", given)) == "trimtuner(surrogate=trees,growth=null)"


def test_settings_are_what_was_given_over_the_defaults() -> None:
    own = settings(StrategySpec("cherrypick", {"initial": 6}))
    assert own["initial"] == 6
    assert own["surrogate"] == "gp"
    assert settings(StrategySpec("random")) == {"prune": True}


def test_the_bootstrap_is_as_long_as_the_strategy_was_told() -> None:
    assert bootstrap(StrategySpec("cherrypick", {"initial": 6})) == 6
    assert bootstrap(StrategySpec("cherrypick")) == 4
    assert bootstrap(StrategySpec("random")) == 0
