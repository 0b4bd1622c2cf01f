"""The laws look at the whole source, parsed once."""

from collections.abc import Iterator

import pytest

from tests.laws.source import forget


@pytest.fixture(scope="package", autouse=True)
def parsed() -> Iterator[None]:
    yield
    forget()
