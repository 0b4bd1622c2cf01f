"""A PostgreSQL server for tests: the one that is named, or a private one of installed binaries."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "s3cret"


def binaries() -> Path | None:
    """The folder with the server's programs, None where none is installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if shutil.which("pg_config"):
        told = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True)
        places.insert(0, Path(told.stdout.strip()))
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def private_server(programs: Path, settings: tuple[str, ...] = ("fsync=off",)) -> Iterator[str]:
    """A server with data of its own that ends with the block; gives its URL."""
    root = Path(tempfile.mkdtemp(prefix="tunewise-postgres-"))
    user = _unprivileged()
    if user is not None:
        shutil.chown(root, user)
    try:
        _initialise(programs, root, user)
        with _running(programs, root, user, settings) as url:
            yield url
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _initialise(programs: Path, root: Path, user: str | None) -> None:
    password = root / "password"
    password.write_text(PASSWORD)
    done = subprocess.run(
        [
            *(programs / "initdb", "-D", root / "data", "-U", "tunewise", "-E", "UTF8"),
            *("--no-sync", "--no-locale", "--auth=scram-sha-256", f"--pwfile={password}"),
        ],
        capture_output=True,
        text=True,
        user=user,
        cwd=root,
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def _running(
    programs: Path, root: Path, user: str | None, settings: tuple[str, ...]
) -> Iterator[str]:
    port = free_port()
    options = [f"--{setting}" for setting in settings]
    with (root / "log").open("wb") as log:
        server = subprocess.Popen(
            [
                *(programs / "postgres", "-D", root / "data", "-p", str(port)),
                *("-k", root, "-h", "127.0.0.1"),
                *options,
            ],
            stdout=log,
            stderr=log,
            user=user,
            cwd=root,
        )
    try:
        _await(server, port, root / "log")
        yield f"postgresql://tunewise:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)  # ends sessions at once, and cleanly
        server.wait(timeout=120)


def _await(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + 120
    while True:
        try:
            psycopg.connect(f"postgresql://tunewise:{PASSWORD}@127.0.0.1:{port}/postgres").close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text()) from None
            time.sleep(0.05)


def _unprivileged() -> str | None:
    """Whom to run the server as: it refuses to be run by root."""
    if os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def free_port() -> int:
    """A port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
