"""What a setting may be, and what a change of it moves."""

from typing import Any

import numpy as np
import pytest

from tunewise.errors import ExecutionError
from tunewise.paramserver.data import dense
from tunewise.paramserver.linear import Logistic
from tunewise.paramserver.setting import Setting, check_count
from tunewise.paramserver.training import Training


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({}, set()),
        ({"servers": 2}, {"I-b"}),
        ({"partition": "hash"}, {"I-b"}),
        ({"workers": 8}, {"I-a"}),
        ({"group": 2}, {"I-a"}),
        ({"data_partition": "hash"}, {"I-a"}),
        ({"consistency": "asp"}, {"II"}),
        ({"batch_size": 7}, {"II"}),
        ({"threads": 2}, {"II"}),
        ({"compression": "fp16"}, {"II"}),
        ({"servers": 2, "workers": 8, "threads": 2}, {"I-a", "I-b", "II"}),
    ],
)
def test_the_kind_of_a_change_says_what_moves(change: dict[str, Any], kinds: set[str]) -> None:
    assert Setting(workers=4).changes_to(Setting(**{"workers": 4, **change})) == kinds


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"servers": 0}, "servers is 0; expected a whole number, 1 or above"),
        ({"threads": True}, "threads is True"),
        ({"batch_size": 2.5}, "batch_size is 2.5"),
        ({"workers": 6, "group": 4}, "6 workers cannot be in groups of 4"),
        ({"consistency": "bps"}, "consistency is 'bps'"),
        ({"compression": "top"}, "did you mean 'topk'"),
        ({"partition": "hsah"}, "unknown partition 'hsah'; did you mean 'hash'"),
        ({"data_partition": "rnge"}, "unknown data_partition 'rnge'; did you mean 'range'"),
        ({"worker": 2}, "unknown setting 'worker'; did you mean 'workers'"),
    ],
)
def test_a_setting_that_cannot_be_gets_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ExecutionError, match=said):
        Setting.of(wrong)


def test_groups_share_a_replica() -> None:
    assert Setting(workers=6, group=3).replicas == 2
    assert Setting.of({"workers": 6}) == Setting(workers=6)


@pytest.mark.parametrize("wrong", [-1, 1.0, True, None])
def test_a_number_of_iterations_is_whole(wrong: object) -> None:
    with pytest.raises(ExecutionError, match="expected a whole number, 0 or above"):
        check_count(wrong)
    check_count(0)


def trained(**options: Any) -> Training:
    return Training(Logistic(3), dense(20, 3), **{"rate": 0.1, **options})


@pytest.mark.parametrize(
    ("scaling", "consistency", "rate"),
    [
        ("none", "bsp", 0.1),
        ("linear", "bsp", 0.2),
        ("linear", "asp", 0.1),
        ("linear", "ssp:0", 0.1),
    ],
)
def test_only_a_scaled_barrier_takes_larger_steps(
    scaling: str, consistency: str, rate: float
) -> None:
    setting = Setting(workers=4, group=2, consistency=consistency)
    assert trained(scaling=scaling).rate_under(setting) == pytest.approx(rate)


def test_the_loss_is_evaluated_on_the_same_rows_all_the_time() -> None:
    few, again, other = (trained(evaluation=5, seed=s).evaluated() for s in (0, 0, 1))
    assert few.rows == 5
    np.testing.assert_array_equal(few.x, again.x)
    assert not np.array_equal(few.x, other.x)
    assert trained(evaluation=500).evaluated().rows == 20


@pytest.mark.parametrize("wrong", [True, "0.1", float("inf"), -0.1])
def test_a_learning_rate_is_a_number_above_nothing(wrong: object) -> None:
    with pytest.raises(ExecutionError, match="expected a learning rate above 0, such as 0.1"):
        trained(rate=wrong)


def test_an_unknown_scaling_names_the_nearest() -> None:
    with pytest.raises(ExecutionError, match="did you mean 'linear'"):
        trained(scaling="liner")
