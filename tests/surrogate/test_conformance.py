"""Every registered surrogate passes the suite that third parties are held to."""

import pytest

from tunewise.errors import StrategyError
from tunewise.surrogate import Surrogate
from tunewise.surrogate.registered import SURROGATES
from tunewise.testing import SurrogateConformance


class Named(SurrogateConformance):
    name: str

    def build(self, **options: object) -> Surrogate:
        built = SURROGATES.load(self.name)(**options)
        assert isinstance(built, Surrogate)
        return built


class TestGaussianProcess(Named):
    name = "gp"


class TestTrees(Named):
    name = "trees"


def test_all_that_ship_are_tested() -> None:
    assert {TestGaussianProcess.name, TestTrees.name} == set(SURROGATES.names())


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(StrategyError, match="unknown surrogate 'tree'; did you mean 'trees'"):
        SURROGATES.load("tree")
