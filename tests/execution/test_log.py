"""Logs keep their beginning and their end, however much a job prints."""

import re
import sys
from pathlib import Path

import pytest

from tunewise.execution import Command, ProcessExecutor
from tunewise.execution.log import KEPT, BoundedLog
from tunewise.history import Measurement, Trial


def test_a_short_log_is_kept_as_it_is(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "log", kept=10)
    for word in (b"one ", b"two ", b"three"):
        log.write(word)
    log.close()
    assert (tmp_path / "log").read_bytes() == b"one two three"


@pytest.mark.parametrize("step", [1, 7, 10, 64, 1000])
def test_a_long_log_keeps_head_and_tail_and_says_how_much_there_was(
    tmp_path: Path, step: int
) -> None:
    text = b"".join(b"%06d\n" % i for i in range(1000))
    log = BoundedLog(tmp_path / "log", kept=70)
    for start in range(0, len(text), step):
        log.write(text[start : start + step])
        assert (tmp_path / "log").stat().st_size <= 4 * 70
    log.close()
    kept = (tmp_path / "log").read_bytes()
    assert kept.startswith(text[:70]) and kept.endswith(text[-70:])
    assert b"[6,860 of 7,000 bytes left out here]" in kept


def test_a_second_attempt_goes_on_in_the_same_file(tmp_path: Path) -> None:
    for word in (b"first\n", b"second\n"):
        log = BoundedLog(tmp_path / "log")
        log.write(word)
        log.close()
    between = b"\n[another attempt begins here]\n"
    assert (tmp_path / "log").read_bytes() == b"first\n" + between + b"second\n"


@pytest.mark.parametrize("kind", ["python", "command"])
def test_a_job_that_prints_without_end_has_a_log_of_two_megabytes(
    tmp_path: Path, kind: str
) -> None:
    def job(trial: Trial) -> dict[str, float]:
        for i in range(400):
            print(f"{i:09d} " * 2_000)
        return {"a": 1.0}

    printing = "[print(('%09d ' % i) * 2000) for i in range(400)]; print('{{\"a\": 1}}')"
    command = Command([sys.executable, "-c", printing])
    with ProcessExecutor() as executor:
        told = executor.submit(job if kind == "python" else command, Trial(0, {}), folder=tmp_path)
        assert isinstance(told.result(), Measurement)
    log = (tmp_path / "log.txt").read_text()
    assert 2 * KEPT <= len(log) < 2 * KEPT + 200
    assert log.startswith("000000000 ") and "000000399 " in log[-30_000:]
    assert re.search(r"\[6,\d\d\d,\d\d\d of 8,\d\d\d,\d\d\d bytes left out here\]", log)


def test_a_log_that_cannot_be_opened_keeps_nothing(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "away" / "log")
    log.write(b"said")
    log.close()
    assert not (tmp_path / "away").exists()
