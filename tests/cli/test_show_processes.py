"""`tunewise show` says who works on a study now, where and since when, and who died at it."""

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from tests.cli.shell import SECONDS, invoke, job, started, tunewise
from tests.cli.test_stop import running
from tests.cli.test_tune import wait_until

SLOW = f"{sys.executable} -c \"import time; print('up', flush=True); time.sleep(1000)\""


def shown(folder: Path) -> tuple[str, list[dict[str, Any]]]:
    """What people read of the run, and what machines do."""
    said = ("show", "quick", "--storage", folder / "tunewise.db")
    printed = invoke(*said).stdout
    lines = [line for line in printed.splitlines() if "running since" in line or "run" in line]
    return "\n".join(lines), json.loads(invoke(*said, "--json").stdout)["processes"]


def test_a_run_that_was_interrupted_resumed_and_killed_is_told_as_it_is(tmp_path: Path) -> None:
    path = job(tmp_path, command=SLOW)
    first = started("tune", path, cwd=tmp_path)
    wait_until(lambda: running(tmp_path) == [0])
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=SECONDS)
    printed, processes = shown(tmp_path)
    assert "the last run ended: interrupted by a person" in printed
    assert processes == []
    for log in (tmp_path / "tunewise.db.runs" / "quick").glob("*/log.txt"):
        log.unlink()

    second = started("tune", path, cwd=tmp_path)
    wait_until(lambda: running(tmp_path) == [0])
    printed, processes = shown(tmp_path)
    where = f"process {second.pid} on {socket.gethostname()}"
    assert "ended" not in printed
    assert "running since 2" in printed
    assert f"{where}, trial 0" in printed
    assert [(each["pid"], each["trials"], each["alive"]) for each in processes] == [
        (second.pid, [0], True)
    ]
    assert (
        json.loads(invoke("list", "--storage", tmp_path / "tunewise.db", "--json").stdout)[0][
            "running"
        ]
        == 1
    )

    os.kill(second.pid, signal.SIGKILL)
    second.communicate(timeout=SECONDS)
    printed, processes = shown(tmp_path)
    assert "died" in printed
    assert f"{where} is gone; trial 0 runs again when it is resumed" in printed
    assert "ended" not in printed
    assert [each["alive"] for each in processes] == [False]
    assert (
        json.loads(invoke("list", "--storage", tmp_path / "tunewise.db", "--json").stdout)[0][
            "running"
        ]
        == 0
    )


def test_a_run_that_ended_by_itself_is_nobodys(tmp_path: Path) -> None:
    assert tunewise("tune", job(tmp_path), "-q", cwd=tmp_path).returncode == 0
    printed, processes = shown(tmp_path)
    assert "the last run ended: all 3 trials were run" in printed
    assert processes == []
