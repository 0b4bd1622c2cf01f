"""The fuzzers' watch sees every kind of hang, and takes no busy machine for one."""

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from tests.fuzz import watch
from tests.fuzz.watch import Watch


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LONGEST", 1.0)


def compute(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize("hang", [lambda: time.sleep(600), lambda: compute(600)])
def test_a_hang_is_seen_whether_it_computes_or_sleeps(hang: object) -> None:
    seen = Watch()
    assert callable(hang)
    seen.call(hang, "the input")
    assert seen.defects == {"longer than 1 s": "the input"}


@pytest.mark.long
def test_waiting_for_a_processor_is_no_hang() -> None:
    spin = [sys.executable, "-c", "while True: pass"]
    beside = [subprocess.Popen(spin) for _ in range(6)]
    try:
        seen = Watch()
        seen.call(lambda: compute(0.5), "the input")
    finally:
        for process in beside:
            process.kill()
            process.wait()
    assert not seen.defects


def test_what_is_quick_is_answered() -> None:
    seen = Watch()
    seen.call(lambda: Path().exists(), "the input")
    assert seen.ended == {"answered": 1} and not seen.defects and seen.longest < 1.0


def fill(megabytes: int) -> None:
    assert not bytearray(megabytes * 2**20).count(1)


def test_an_input_that_takes_much_memory_is_seen_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = Watch()
    gathered = []  # what a fuzzer keeps between inputs
    for given in ("little", "much", "little again"):
        monkeypatch.setattr(watch, "MOST_MEMORY", (seen.first_memory or 1e6) + 100)
        size = 200 if given == "much" else 1
        seen.call(partial(fill, size), given)
        gathered.append(b"x" * 80 * 2**20)
    assert seen.defects == {f"more than {watch.MOST_MEMORY} MB": "much"}


def test_what_other_tests_have_gathered_is_not_the_commands() -> None:
    before = b"x" * 200 * 2**20
    seen = Watch()
    seen.call(lambda: None, "the input")
    assert len(before) / 2**20 == 200
    assert seen.first_memory == watch.fresh_memory()
    assert 20 < seen.most_memory < watch.peak_memory() - 100
