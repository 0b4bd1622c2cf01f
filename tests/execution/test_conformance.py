"""Every executor keeps the same promises."""

import pytest

from tunewise.execution import ProcessExecutor, ReplayExecutor
from tunewise.history import Trial
from tunewise.testing.executors import ExecutorConformance, MakeExecutor


class TestProcessExecutor(ExecutorConformance):
    @pytest.fixture
    def make_executor(self) -> MakeExecutor:
        return lambda workers: ProcessExecutor(workers, grace=1.0)


class TestReplayExecutor(ExecutorConformance):
    @pytest.fixture
    def make_executor(self) -> MakeExecutor:
        return ReplayExecutor

    @staticmethod
    def take(trial: Trial) -> dict[str, float]:
        return {"accuracy": 0.5, "time": trial.config["seconds"]}
