"""`tunewise ui`, in a process of its own."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.service.pages.studies import filled
from tunewise.service.context import Context


def command(folder: Path, *options: str) -> "subprocess.Popen[str]":
    words = [sys.executable, "-m", "tunewise", "ui", "--no-browser", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, cwd=folder)


def test_it_shows_a_storage_on_loopback_until_it_is_interrupted(tmp_path: Path) -> None:
    context = Context.open(f"sqlite:///{tmp_path}/tunewise.db")
    filled(context.store, "mine", 3)
    context.close()
    with command(tmp_path) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        assert address.startswith("http://127.0.0.1:")
        try:
            with urllib.request.urlopen(f"{address}/studies", timeout=60) as answer:
                assert b"mine" in answer.read()
            # A page from elsewhere that has its name point here gets nothing to read.
            called = urllib.request.Request(f"{address}/studies", headers={"Host": "evil.example"})
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(called, timeout=60)
            assert refused.value.code == 421
            refused.value.close()
            stream = urllib.request.urlopen(f"{address}/events?topics=studies", timeout=60)
            assert b"studies" in stream.readline() + stream.readline()
        finally:
            process.send_signal(signal.SIGINT)
        with stream:  # a page that is open does not hold it up
            assert process.wait(60) in (0, 130)
        assert process.stderr is not None and "Traceback" not in process.stderr.read()


def test_a_storage_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with command(tmp_path) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and "there is no storage" in said
    assert not list(tmp_path.iterdir())
