"""An entrant of a race has a name that tells it from its variants."""

from tunewise.execution.entrant import bootstrap, label, settings
from tunewise.strategy import StrategySpec


def test_variants_of_a_strategy_have_names_of_their_own() -> None:
    assert label(StrategySpec("random")) == "random"
    given = {"surrogate": "trees", "growth": None}
    assert label(StrategySpec("trimtuner", given)) == "trimtuner(surrogate=trees,growth=null)"


def test_settings_are_what_was_given_over_the_defaults() -> None:
    own = settings(StrategySpec("cherrypick", {"initial": 6}))
    assert own["initial"] == 6
    assert own["surrogate"] == "gp"
    assert settings(StrategySpec("random")) == {}


def test_the_bootstrap_is_as_long_as_the_strategy_was_told() -> None:
    assert bootstrap(StrategySpec("cherrypick", {"initial": 6})) == 6
    assert bootstrap(StrategySpec("cherrypick")) == 4
    assert bootstrap(StrategySpec("random")) == 0
