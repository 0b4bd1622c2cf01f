from dataclasses import replace
from itertools import product

import pytest

from tunewise.paramserver.costs import fitted, seconds_simulated
from tunewise.paramserver.data import dense
from tunewise.paramserver.linear import Logistic
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.training import Training

TRAINING = Training(Logistic(20), dense(200, 20, seed=0), rate=0.1)
ONE_MACHINE = Machines(
    nodes=8, cores=2, shared_cores=2, bandwidth=1e12, latency=0.0, jitter=0.0, stragglers=0.0
)


def test_costs_that_explain_some_trainings_foretell_others() -> None:
    truth = replace(
        ONE_MACHINE, per_operation=4e-9, per_message=1.5e-3, per_iteration=4e-4,
        per_request=8e-4, per_wait=3e-3,
    )  # fmt: skip
    seen = [Setting(*each, batch_size=20) for each in product((1, 3), (1, 4), ("bsp", "asp"))]
    seconds = [seconds_simulated(TRAINING, each, truth, 12) for each in seen]
    found = fitted(TRAINING, ONE_MACHINE, seen, seconds)
    for each in product((1, 2), (2, 3), ("bsp", "asp", "ssp:1")):
        other = Setting(*each, batch_size=50)
        expected = seconds_simulated(TRAINING, other, truth, 30)
        assert seconds_simulated(TRAINING, other, found, 30) == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("consistency", ["bsp", "ssp:1"])
def test_only_who_may_not_run_ahead_waits_for_leave(consistency: str) -> None:
    slow = replace(ONE_MACHINE, per_wait=0.01)
    free, bound = Setting(1, 1, "asp", 20), Setting(1, 1, consistency, 20)
    before = [seconds_simulated(TRAINING, each, ONE_MACHINE, 9) for each in (free, bound)]
    after = [seconds_simulated(TRAINING, each, slow, 9) for each in (free, bound)]
    assert after[0] == pytest.approx(before[0])
    assert after[1] == pytest.approx(before[1] + 0.01)


def test_each_server_that_a_worker_asks_costs_it_time() -> None:
    slow = replace(ONE_MACHINE, per_request=0.01)
    for servers in (1, 3):
        setting = Setting(servers, 1, "asp", 20)
        before = seconds_simulated(TRAINING, setting, ONE_MACHINE, 9)
        assert seconds_simulated(TRAINING, setting, slow, 9) == pytest.approx(
            before + 0.01 * servers
        )
