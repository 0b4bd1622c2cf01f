"""Fixtures for all tests."""

import gc
import os
import signal

# Small matrices gain nothing from threads, and tests share the cores: set before numpy loads.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Prices that somebody imported on this machine are no part of the tests.
os.environ["TUNEWISE_HOME"] = os.path.join(os.path.dirname(__file__), "no such home")

# A shell that starts us in the background ignores Ctrl-C for us. Who is started by a test does not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from collections.abc import Iterator  # noqa: E402
from itertools import count  # noqa: E402

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from tests.postgres import binaries, private_server  # noqa: E402

_SCHEMAS = count()

# A law holds or does not; how long one example takes says more about what else the machine does.
# Some dozens are enough for each run of the suite; `make test-long` looks at more.
_EXAMPLES = int(os.environ.get("TUNEWISE_EXAMPLES", 30))
settings.register_profile(
    "tunewise",
    settings.default,
    deadline=None,
    max_examples=_EXAMPLES,
    # The suite looks at the same examples each time; the long target looks for new ones.
    derandomize="TUNEWISE_EXAMPLES" not in os.environ,
)
settings.load_profile("tunewise")


def pytest_collection_finish() -> None:
    """Spare what stays until the end, modules and tests, from each look for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL database in which tests may make schemas."""
    if named := os.environ.get("TUNEWISE_TEST_POSTGRES"):
        yield named
        return
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed; or set TUNEWISE_TEST_POSTGRES to a URL")
    with private_server(programs) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty place in a PostgreSQL database."""
    import psycopg

    schema = f"tunewise_test_{os.getpid()}_{next(_SCHEMAS)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        joint = "&" if "?" in postgres_server else "?"
        yield f"{postgres_server}{joint}options=-csearch_path%3D{schema}"
        connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())
