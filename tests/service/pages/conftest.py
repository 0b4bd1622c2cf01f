from collections.abc import Iterator

import pytest

from tunewise.service.context import Context


@pytest.fixture
def here(url: str) -> Iterator[Context]:
    """What a process of the service holds, over a new store."""
    context = Context.open(url)
    yield context
    context.close()
