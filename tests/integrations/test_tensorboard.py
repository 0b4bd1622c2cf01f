"""TensorBoard's event files, read back by a reader of their format."""

from pathlib import Path
from typing import Any

import pytest

import tunewise as tw
from tests.extras import late, needs
from tunewise.errors import StorageError
from tunewise.history import Failure, Measurement

needs("tensorboardX", "tensorboard")
Event = late("tensorboardX.proto.event_pb2", "Event")
HParamsPluginData = late("tensorboardX.proto.plugin_hparams_pb2", "HParamsPluginData")
TensorBoardCallback = late("tunewise.integrations.tensorboard", "TensorBoardCallback")


def events(folder: Path) -> list[Any]:
    """The records of event files: 8 bytes of length, 4 of checksum, the event, 4 of checksum."""
    found = []
    for file in sorted(folder.glob("events.*")):
        data = file.read_bytes()
        while data:
            length = int.from_bytes(data[:8], "little")
            found.append(Event.FromString(data[12 : 12 + length]))
            data = data[16 + length :]
    return found


def scalars(folder: Path) -> dict[tuple[str, int], float]:
    return {
        (value.tag, event.step): value.simple_value
        for event in events(folder)
        for value in event.summary.value
        if value.HasField("simple_value")
    }


def told() -> tw.Study:
    space = tw.Space(tw.Real("x", 0, 1), tw.Choice("optimizer", ["adam", None]))
    problem = tw.Problem(space, maximize="accuracy", fractions=(0.1, 1))
    study = tw.Study(problem, "random", seed=0, name="s/1")
    study.enqueue({"x": 0.25, "optimizer": None})
    first, second = study.ask(), study.ask()
    study.tell(first, Measurement({"accuracy": 0.75}, snapshots={0.1: {"accuracy": 0.5}}))
    study.tell(second, Failure("out of memory", {"time": 3.0}))
    study.ask()
    return study


def test_each_ended_trial_is_a_run_with_its_metrics_by_step_and_its_config(tmp_path: Path) -> None:
    study = told()
    callback = TensorBoardCallback(tmp_path)
    for trial in study.history:
        callback(study, trial)
    assert scalars(tmp_path / "s_1" / "trial-0") == {
        ("accuracy", 100): 0.5,
        ("accuracy", 1000): 0.75,
    }
    assert [*scalars(tmp_path / "s_1" / "trial-1").values()] == [3.0]
    assert not (tmp_path / "s_1" / "trial-2").exists()  # it still runs
    config: dict[str, Any] = {}
    for event in events(tmp_path / "s_1" / "trial-0"):
        for value in event.summary.value:
            if value.metadata.plugin_data.plugin_name == "hparams":
                told_of = HParamsPluginData.FromString(value.metadata.plugin_data.content)
                config |= dict(told_of.session_start_info.hparams)
    assert config["x"].number_value == 0.25
    assert config["optimizer"].string_value == "None"


def test_a_study_is_written_whole_and_each_trial_once(tmp_path: Path) -> None:
    study = told()
    assert TensorBoardCallback(tmp_path).log(study) == 2
    assert TensorBoardCallback(tmp_path).log(study) == 0


def test_a_folder_that_cannot_be_written_does_not_end_the_study(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    callback = TensorBoardCallback(tmp_path / "file")
    study = told()
    callback(study, study.history[0])
    assert "TensorBoardCallback.log(study) sends what is missing" in caplog.text
    with pytest.raises(StorageError, match="could not track study"):
        callback.log(study)
