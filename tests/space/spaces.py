"""Strategies that draw parameters and spaces of every kind, and what refuses wrong ones."""

from collections.abc import Callable

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from tunewise.errors import SpaceError
from tunewise.space import Choice, Cluster, Integer, Ordinal, Parameter, Real, Space

scalars = st.one_of(
    st.text(max_size=6),
    st.integers(-(10**6), 10**6),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.booleans(),
    st.none(),
)


def choices(name: str) -> st.SearchStrategy[Choice]:
    """Choices over mixed scalars."""
    values = st.lists(scalars, min_size=1, max_size=6, unique=True)
    return values.map(lambda v: Choice(name, v))


def ordinals(name: str) -> st.SearchStrategy[Ordinal]:
    """Ordinals over rising numbers, narrow and wide."""
    values = st.lists(
        st.one_of(st.integers(-1000, 10**6), st.floats(1e-9, 1e9)),
        min_size=1,
        max_size=8,
        unique=True,
    )
    return values.map(lambda v: Ordinal(name, sorted(v)))


@st.composite
def integers(draw: st.DrawFn, name: str) -> Integer:
    """Integers, small and huge, on both scales."""
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(10**12), 10**12))
    return Integer(name, low, draw(st.integers(low, 10**12)), log=log)


@st.composite
def reals(draw: st.DrawFn, name: str) -> Real:
    """Reals with bounds near and far, on both scales."""
    log = draw(st.booleans())
    bound = st.floats(1e-100 if log else -1e100, 1e100)
    everyday = st.floats(1e-6, 1e3)
    a, b = draw(st.tuples(bound, bound) | st.tuples(everyday, everyday))
    assume(a == b or abs(a - b) > 1e-10 * min(abs(a), abs(b)))  # closer ones are refused
    return Real(name, min(a, b), max(a, b), log=log)


def clusters(name: str) -> st.SearchStrategy[Cluster]:
    """Clusters out of the shipped catalogue."""
    types = st.lists(
        st.sampled_from(["local", "t2.small", "t2.2xlarge", "c4.large", "r4.xlarge"]),
        min_size=1,
        unique=True,
    )
    counts = st.lists(st.integers(1, 200), min_size=1, max_size=6, unique=True)
    return st.builds(lambda t, c: Cluster(name, t, c, helpers=["same"]), types, counts)


def parameters(name: str = "p") -> st.SearchStrategy[Parameter]:
    """A parameter of any kind."""
    return st.one_of(choices(name), ordinals(name), integers(name), reals(name), clusters(name))


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """A space of up to four parameters of any kind."""
    count = draw(st.integers(1, 4))
    return Space(*(draw(parameters(f"p{i}")) for i in range(count)))


unit = st.floats(0, 1, exclude_max=True)


def refused(build: Callable[[], object], says: str) -> None:
    """Expect what is built to be refused with these words."""
    with pytest.raises(SpaceError) as error:
        build()
    assert says in str(error.value)
