"""Virtual time keeps the promises of every executor."""

import pytest

from tunewise.benchmark import ReplayExecutor
from tunewise.history import Trial
from tunewise.testing.executors import ExecutorConformance, MakeExecutor


class TestReplayExecutor(ExecutorConformance):
    @pytest.fixture
    def make_executor(self) -> MakeExecutor:
        return ReplayExecutor

    @staticmethod
    def take(trial: Trial) -> dict[str, float]:
        return {"accuracy": 0.5, "time": trial.config["seconds"]}
