"""The file that a parameter server goes on from."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tunewise.errors import ExecutionError
from tunewise.paramserver.data import dense
from tunewise.paramserver.disk.checkpoint import keep, kept
from tunewise.paramserver.linear import Logistic
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.simulation import Simulation
from tunewise.paramserver.training import Training

SETTING = Setting(2, 4, "ssp:3", 10, compression="fp16", partition="hash")
STATE = np.array([[1.0, 2.0], [0.5, 0.25]])


def test_setting_and_arrays_come_back_and_no_unfinished_file_stays(tmp_path: Path) -> None:
    keep(tmp_path / "a" / "b", SETTING, state=STATE, now=np.array(7.5))
    found = kept(tmp_path / "a" / "b")
    assert found is not None
    setting, arrays = found
    assert setting == SETTING
    np.testing.assert_array_equal(arrays["state"], STATE)
    assert float(arrays["now"]) == 7.5
    assert [file.name for file in (tmp_path / "a" / "b").iterdir()] == ["checkpoint.npz"]


def test_the_newest_checkpoint_counts(tmp_path: Path) -> None:
    for value in (1.0, 2.0):
        keep(tmp_path, SETTING, state=STATE * value, now=np.array(value))
    found = kept(tmp_path)
    assert found is not None
    np.testing.assert_array_equal(found[1]["state"], 2 * STATE)


def test_a_folder_without_one_is_no_error(tmp_path: Path) -> None:
    assert kept(tmp_path) is None
    assert kept(tmp_path / "nowhere") is None


def test_a_checkpoint_of_the_parameters_alone_is_read_as_their_state(tmp_path: Path) -> None:
    told = np.array(json.dumps(asdict(SETTING)))
    np.savez(tmp_path / "checkpoint.npz", setting=told, values=STATE[0])
    found = kept(tmp_path)
    assert found is not None
    np.testing.assert_array_equal(found[1]["state"], [1.0, 2.0])


@pytest.mark.parametrize(
    "content",
    [
        {"setting": np.array("{"), "state": STATE},
        {"setting": np.array('{"workers": 0}'), "state": STATE},
        {"setting": np.array('{"wrkers": 2}'), "state": STATE},
        {"setting": np.array("[1]"), "state": STATE},
        {"state": STATE},
        {"setting": np.array("{}")},
        {"setting": np.array("{}"), "state": np.array([{}], object)},
    ],
)
def test_a_checkpoint_with_other_content_is_damaged(tmp_path: Path, content: Any) -> None:
    np.savez(tmp_path / "checkpoint.npz", **content)
    with pytest.raises(ExecutionError, match=r"checkpoint\.npz is damaged: expected a sound copy"):
        kept(tmp_path)


def test_a_checkpoint_of_a_larger_cluster_is_refused(tmp_path: Path) -> None:
    training = Training(Logistic(4), dense(20, 4), 0.1)
    Simulation(training, Setting(2, 4), Machines(nodes=6)).checkpoint(tmp_path)
    small = Simulation(training, Setting(1, 1), Machines(nodes=3))
    with pytest.raises(ExecutionError, match="2 servers and 4 workers need more than the 3 nodes"):
        small.restore(tmp_path)
