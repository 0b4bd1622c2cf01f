"""The Ray executor keeps the contract of executors."""

from collections.abc import Iterator

import pytest

from tunewise.execution.ray import RayExecutor
from tunewise.study.executor import TrialExecutor
from tunewise.testing.executors import ExecutorConformance, MakeExecutor

ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'tunewise[ray]'")

PATIENT = {
    "health_check_initial_delay_ms": 60_000,
    "health_check_timeout_ms": 60_000,
    "health_check_failure_threshold": 20,
    "worker_register_timeout_seconds": 300,
    "worker_niceness": 0,
}
"""On a busy machine a node is slow to answer, and not dead."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One Ray for all tests: starting it takes longer than most of them."""
    ray.init(
        address="local",  # and not another one that runs on this machine
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _system_config=PATIENT,
    )
    yield
    ray.shutdown()


@pytest.mark.usefixtures("cluster")
class TestRayExecutor(ExecutorConformance):
    @pytest.fixture
    def make_executor(self) -> MakeExecutor:
        def make(workers: int) -> TrialExecutor:
            return RayExecutor(workers, grace=1.0)

        return make
