"""Every registered surrogate passes the suite that third parties are held to."""

from pathlib import Path

import numpy as np
import pytest

from tunewise.errors import MeasurementError, StrategyError
from tunewise.surrogate import Surrogate
from tunewise.surrogate.gaussian_process import GaussianProcess
from tunewise.surrogate.registered import SURROGATES
from tunewise.testing import SurrogateConformance
from tunewise.testing.surrogates import is_sane, measured, places


class Named(SurrogateConformance):
    name: str

    def build(self, **options: object) -> Surrogate:
        built = SURROGATES.load(self.name)(**options)
        assert isinstance(built, Surrogate)
        return built


class TestGaussianProcess(Named):
    name = "gp"


class TestMcmc(Named):
    name = "gp_mcmc"

    @pytest.mark.parametrize("n", [1, 2, 5, 40])
    def test_fantasies_equal_conditioning(self, n: int) -> None:
        """Nearly: the average of several beliefs is looked ahead as if it were one."""
        surrogate = self.build().fit(*measured(n, seed=n))
        (x, s), targets = places(4), places(6, seed=2)
        fantasy = surrogate.fantasize((x, s), targets)
        y = fantasy.mean + fantasy.std * np.array([0.0, 0.3, -1.0, 1.0])
        after = fantasy.after(y)
        for i in range(4):
            known = surrogate.condition(x[i : i + 1], s[i : i + 1], y[i : i + 1]).predict(*targets)
            assert np.all(np.abs(after[i].mean - known.mean) < 0.2 * known.std)
            assert np.allclose(after[i].std, known.std, rtol=0.2)

    def test_it_averages_over_several_hyper_parameters(self) -> None:
        fitted = self.build().fit(*measured(12))
        assert isinstance(fitted, GaussianProcess)
        assert len(np.unique(fitted.hyper_parameters_, axis=0)) > 1


class TestTrees(Named):
    name = "trees"


@pytest.mark.parametrize("name", SURROGATES.names())
def test_each_that_ships_passes_the_suite_here_or_in_a_file_of_its_own(name: str) -> None:
    folder = Path(__file__).parent
    here = {TestGaussianProcess.name, TestMcmc.name, TestTrees.name}
    own = folder / f"test_{name}.py"
    assert name in here or "SurrogateConformance" in own.read_text(encoding="utf-8")


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(StrategyError, match="unknown surrogate 'tree'; did you mean 'trees'"):
        SURROGATES.load("tree")


@pytest.mark.parametrize("name", ["gp", "trees"])
def test_targets_too_large_to_be_squared_are_predicted_but_not_looked_ahead_from(name: str) -> None:
    x, s, y = measured(10)
    surrogate = SURROGATES.load(name)().fit(x, s, 1e200 * y)
    assert is_sane(surrogate.predict(x, s))
    with pytest.raises(MeasurementError, match=r"differ by about 8.2e\+199, too much to look"):
        surrogate.fantasize(places(4), places(3))
