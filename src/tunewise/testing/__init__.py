"""Conformance suites for third parties: inherit from them and let pytest run them.

What ships with Tunewise passes the same suites. Nothing else imports this room, since it needs
pytest.
"""

import pytest

# Before the suites are imported: their asserts then say what was compared, as in a test file.
pytest.register_assert_rewrite(
    "tunewise.testing.executors",
    "tunewise.testing.models",
    "tunewise.testing.schedulers",
    "tunewise.testing.stores",
    "tunewise.testing.strategies",
    "tunewise.testing.surrogates",
)

from tunewise.testing.executors import ExecutorConformance  # noqa: E402 - see above
from tunewise.testing.models import ModelConformance  # noqa: E402 - see above
from tunewise.testing.schedulers import SchedulerConformance  # noqa: E402 - see above
from tunewise.testing.stores import StoreConformance  # noqa: E402 - see above
from tunewise.testing.strategies import StrategyConformance  # noqa: E402 - see above
from tunewise.testing.surrogates import SurrogateConformance  # noqa: E402 - see above

__all__ = [
    "ExecutorConformance",
    "ModelConformance",
    "SchedulerConformance",
    "StoreConformance",
    "StrategyConformance",
    "SurrogateConformance",
]
