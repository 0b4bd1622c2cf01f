import pytest

import tunewise as tw
from tunewise.errors import StrategyError
from tunewise.strategy import STRATEGIES
from tunewise.testing.strategies import StrategyConformance


class TestRandom(StrategyConformance):
    spec = tw.strategy("random")


class TestCherryPick(StrategyConformance):
    spec = tw.strategy("cherrypick")


def test_every_registered_strategy_is_under_test() -> None:
    tested = {c.spec.name for c in StrategyConformance.__subclasses__()}
    assert tested == set(STRATEGIES.names())


def test_an_unknown_strategy_or_option_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(StrategyError, match="did you mean 'cherrypick'"):
        tw.strategy("cherypick")
    with pytest.raises(StrategyError, match="no option 'initail'; did you mean 'initial'"):
        tw.strategy("cherrypick", initail=3)
