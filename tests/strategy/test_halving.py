import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunewise.strategy.successive_halving.halving import brackets_of, rungs_of

fractions = st.lists(st.floats(0.001, 0.99), min_size=1, max_size=8, unique=True).map(
    lambda smaller: (*sorted(smaller), 1.0)
)
etas = st.integers(2, 5)


@given(fractions, etas)
def test_rungs_are_fractions_of_the_problem_from_the_smallest_to_the_full_data(
    declared: tuple[float, ...], eta: int
) -> None:
    rungs = rungs_of(declared, eta)
    assert set(rungs) <= set(declared)
    assert rungs == tuple(sorted(rungs))
    assert (rungs[0], rungs[-1]) == (declared[0], 1.0)


@given(fractions, etas)
def test_at_most_one_in_eta_climbs_and_somebody_always_reaches_the_full_data(
    declared: tuple[float, ...], eta: int
) -> None:
    rungs = rungs_of(declared, eta)
    brackets = brackets_of(rungs, eta)
    assert [b.rungs for b in brackets] == [rungs[k:] for k in range(len(rungs))]
    for bracket in brackets:
        assert len(bracket.sizes) == len(bracket.rungs)
        assert bracket.sizes[-1] >= 1
        assert bracket.trials == sum(bracket.sizes)
        for size, above in zip(bracket.sizes, bracket.sizes[1:], strict=False):
            assert above * eta <= size


@pytest.mark.parametrize("eta", [2, 3, 4])
def test_the_powers_of_eta_give_the_brackets_of_the_paper(eta: int) -> None:
    rungs = tuple(eta**-k for k in (3, 2, 1, 0))
    assert rungs_of(rungs, eta) == rungs
    first, *_, last = brackets_of(rungs, eta)
    assert first.sizes == (eta**3, eta**2, eta, 1)
    assert last.sizes == (4,)


def test_slices_that_are_no_power_of_eta_are_taken_when_they_are_nearest() -> None:
    declared = (1 / 60, 1 / 10, 1 / 4, 1 / 2, 1.0)
    assert rungs_of(declared, 3) == (1 / 60, 1 / 10, 1 / 4, 1.0)
    assert [b.sizes for b in brackets_of(rungs_of(declared, 3), 3)] == [
        (27, 9, 3, 1),
        (12, 4, 1),
        (6, 2),
        (4,),
    ]
