"""How a metric may change with the fraction: values that were computed by hand."""

import numpy as np
import pytest

from tunewise.errors import StrategyError
from tunewise.surrogate.gaussian.basis import BASES, Basis, basis_named
from tunewise.surrogate.gaussian.finite_rank import FiniteRank, Product, Trend
from tunewise.surrogate.gaussian.matern import Matern52
from tunewise.surrogate.gaussian.own import Own
from tunewise.surrogate.surrogate import Points

HALF = np.array([0.01, 0.5, 1.0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none", [[1], [1], [1]]),
        ("accuracy", [[1, 0.9801], [1, 0.25], [1, 0]]),
        ("cost", [[1, 0.01], [1, 0.5], [1, 1]]),
        ("log", [[1, 2], [1, 0.30103], [1, 0]]),
        ("curved", [[1, 2, 0], [1, 0.30103, -0.102288], [1, 0, 0]]),
    ],
)
def test_a_basis_has_these_values(name: str, expected: list[list[float]]) -> None:
    basis = BASES[name]
    assert basis(HALF) == pytest.approx(np.array(expected, float), abs=1e-5)
    assert basis.size == len(expected[0])


def test_a_basis_is_found_by_name_or_is_itself() -> None:
    own = Basis("mine", (lambda s: s**2,))
    assert basis_named(own) is own
    assert basis_named("log") is BASES["log"]
    with pytest.raises(StrategyError, match="unknown basis 'lg'.*log"):
        basis_named("lg")


def test_weights_of_functions_make_the_covariance_over_fractions() -> None:
    # L = [[2, 0], [3, e]]: k(s, s') = (2 + 3 p)(2 + 3 p') + e^2 p p' with p = -log10 s.
    kernel = FiniteRank(BASES["log"])
    theta = np.array([np.log(2.0), 3.0, 1.0])
    at = Points(np.zeros((3, 1)), np.array([0.1, 0.01, 1.0]))
    p = np.array([1.0, 2.0, 0.0])
    expected = np.outer(2 + 3 * p, 2 + 3 * p) + np.e**2 * np.outer(p, p)
    assert kernel.between(theta, at, at) == pytest.approx(expected)
    assert kernel.diagonal(theta, at) == pytest.approx(np.diag(expected))


def test_a_trend_is_as_vague_as_stated() -> None:
    at = Points(np.zeros((2, 1)), np.array([0.1, 1.0]))
    found = Trend(BASES["log"], std=2.0).between(np.empty(0), at, at)
    assert found == pytest.approx(4 * np.array([[2.0, 1.0], [1.0, 1.0]]))


def test_what_a_config_has_of_its_own_is_a_level_and_a_growth() -> None:
    kernel, theta = Own(BASES["log"], (0.4, 0.3)), np.log([0.5, 2.0])
    x = np.array([[0.2, 0.7], [0.7, 0.2], [0.2, 0.7]])
    points = Points(x, np.array([0.1, 0.1, 1.0]))
    expected = np.array([[0.25 + 4, 0, 0.25], [0, 0.25 + 4, 0], [0.25, 0, 0.25]])
    assert kernel.between(theta, points, points) == pytest.approx(expected)
    assert kernel.diagonal(theta, points) == pytest.approx(np.diag(expected))
    assert np.exp(kernel.prior(2).mean) == pytest.approx([0.4, 0.3])
    at = kernel.over_fractions(theta, points, x[:1], np.array([0.01, 1.0]))
    assert at[0][:, 0] == pytest.approx([0.25 + 8, 0, 0.25])
    assert at[1][:, 0] == pytest.approx([0.25, 0, 0.25])


def test_a_product_computes_the_same_fraction_by_fraction() -> None:
    kernel = Product(Matern52(), FiniteRank(BASES["log"]))
    rng = np.random.default_rng(0)
    points = Points(rng.random((4, 2)), np.array([0.1, 0.5, 1.0, 0.1]))
    theta = kernel.prior(2).mean + 0.1
    x, fractions = rng.random((3, 2)), np.array([0.1, 0.25, 1.0])
    by_fraction = kernel.over_fractions(theta, points, x, fractions)
    for s, found in zip(fractions, by_fraction, strict=True):
        assert found == pytest.approx(kernel.between(theta, points, Points(x, np.full(3, s))))
