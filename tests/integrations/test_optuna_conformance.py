"""Optuna's own tests of samplers, run on ours."""

from collections.abc import Callable, Iterator

import pytest

optuna = pytest.importorskip("optuna", reason="needs optuna: pip install 'tunewise[optuna]'")

from optuna.testing.pytest_samplers import (  # noqa: E402 - optuna may be absent
    BasicSamplerTestCase,
    MultiObjectiveSamplerTestCase,
    RelativeSamplerTestCase,
)

from tunewise.integrations.optuna import TunewiseSampler  # noqa: E402 - the same


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield


class TestTunewiseSampler(
    BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase
):
    @pytest.fixture
    def sampler(self) -> Callable[[], TunewiseSampler]:
        return lambda: TunewiseSampler(seed=0)

    # A third of all the time: the cases of the other tests have numbers, too.
    test_sample_relative_numerical = pytest.mark.long(
        RelativeSamplerTestCase.test_sample_relative_numerical
    )
