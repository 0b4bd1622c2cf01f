import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.data import coverage, covering_iterations
from tunewise.errors import DataError


def test_the_rule_of_the_thesis() -> None:
    # Equation 5 of appendix A with S = 60000, b = 256 and 0.9.
    expected = math.log(0.1) / (256 * math.log(59999 / 60000))
    assert covering_iterations(60000, 256) == math.ceil(expected) == 540


@given(st.integers(2, 10**6), st.integers(1, 512), st.floats(0.01, 0.999), st.integers(1, 16))
def test_it_is_the_first_iteration_that_covers_the_share(
    items: int, batch: int, share: float, workers: int
) -> None:
    needed = covering_iterations(items, batch, share, workers)
    assert coverage(items, needed * batch * workers) >= share * (1 - 1e-9)
    if needed > 1:
        assert coverage(items, (needed - 1) * batch * workers) <= share * (1 + 1e-9)


def test_draws_really_cover_so_much() -> None:
    random = np.random.default_rng(0)
    drawn = random.integers(0, 5000, size=covering_iterations(5000, 50) * 50)
    assert len(np.unique(drawn)) / 5000 == pytest.approx(0.9, abs=0.02)


def test_a_tenth_of_the_data_needs_a_tenth_of_the_iterations() -> None:
    assert covering_iterations(6000, 16) == pytest.approx(
        covering_iterations(60000, 16) / 10, rel=0.01
    )


def test_one_item_is_seen_at_once() -> None:
    assert covering_iterations(1, 16) == 1
    assert coverage(1, 1) == 1.0


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="batch is 0"):
        covering_iterations(100, 0)
    with pytest.raises(DataError, match="share is 1"):
        covering_iterations(100, 10, 1.0)
    with pytest.raises(DataError, match="draws"):
        coverage(0, 5)


def test_what_is_no_number_is_refused_and_numpys_are_taken() -> None:
    with pytest.raises(DataError, match="share is 'a'; expected a number above 0"):
        covering_iterations(100, 10, share="a")  # type: ignore[arg-type] # that is the mistake
    with pytest.raises(DataError, match="'a' draws of 100 items"):
        coverage(100, "a")  # type: ignore[arg-type] # that is the mistake
    assert covering_iterations(np.int64(100), np.int32(10)) == covering_iterations(100, 10)  # type: ignore[arg-type] # numpy's own
