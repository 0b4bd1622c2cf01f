"""Every executor keeps the same promises."""

import pytest

from tunewise.execution import ProcessExecutor
from tunewise.testing.executors import ExecutorConformance, MakeExecutor


class TestProcessExecutor(ExecutorConformance):
    @pytest.fixture
    def make_executor(self) -> MakeExecutor:
        return lambda workers: ProcessExecutor(workers, grace=1.0)
