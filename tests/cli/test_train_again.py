"""`tunewise train` asks its job whether there is a checkpoint, and counts from there."""

from pathlib import Path

import pytest

from tests.cli.shell import tunewise
from tests.cli.test_train import JOB
from tunewise.job.training.file import load
from tunewise.online import Tuner
from tunewise.online.record.stored import stored_course
from tunewise.storage import open_store


def test_a_training_whose_checkpoint_is_gone_begins_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB.replace("loss <= 0.55", "samples >= 4000"))
    read, store = load(file, {}), open_store(f"sqlite:///{tmp_path}/tunewise.db")
    before = Tuner(read.space, read.until, default=read.default, storage=store, name="small")
    before.report(0.6, samples=3900, seconds=1.0)
    before.saved()
    done = tunewise("train", "job.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the checkpoint of the training is gone: it begins anew" in caplog.text
    course = stored_course(store.runs(), "small")
    store.close()
    assert sum(each.samples for each in course.segments[1:]) >= 4000
    assert course.seconds > 1.0, "what went by before stays"
