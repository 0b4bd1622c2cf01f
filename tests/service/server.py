"""A real service in a process of its own."""

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Server:
    """A running service.

    Attributes:
        url: Where it is.
        storage: The URL of its store.
        process: Of `tunewise serve`.
        link: For the first admin, if it printed one.
        log: What it said on standard error.
    """

    url: str
    storage: str
    process: "subprocess.Popen[str]"
    link: str | None
    log: Path


@contextmanager
def started(folder: Path, *options: str, storage: str | None = None) -> Iterator[Server]:
    """A service that ends with the block."""
    where = storage or f"sqlite:///{folder}/service.db"
    log = folder / "log.txt"
    with log.open("wb") as kept:
        process = subprocess.Popen(
            [sys.executable, "-m", "tunewise", "serve", "--port", "0", *options],
            env={**os.environ, "TUNEWISE_STORAGE": where, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=kept,
            text=True,
            cwd=folder,
        )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, log.read_text()
        link = None
        if "--no-accounts" not in options:
            joins = re.search(r"http://\S+", process.stdout.readline())
            link = None if joins is None else joins[0]
        await_answer(f"{found[0]}/ready")
        yield Server(found[0], where, process, link, log)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def await_answer(url: str, seconds: float = 120.0) -> None:
    """Wait until an address answers."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
