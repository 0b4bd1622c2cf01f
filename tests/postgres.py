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


class Server:
    """A server with data of its own; stopped and started again, it is where it was."""

    def __init__(self, programs: Path, root: Path, settings: tuple[str, ...]) -> None:
        """Make its data; nothing runs before `start`."""
        self._programs, self._root, self._settings = programs, root, settings
        self._user, self._port = _unprivileged(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://tunewise:{PASSWORD}@127.0.0.1:{self._port}/postgres"
        if self._user is not None:
            shutil.chown(root, self._user)
        _initialise(programs, root, self._user)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [f"--{setting}" for setting in self._settings]
        with (self._root / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(self._programs / "postgres", "-D", self._root / "data"),
                    *("-p", str(self._port), "-k", self._root, "-h", "127.0.0.1"),
                    *options,
                ],
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self._root,
            )
        _await(self._process, self.url, self._root / "log")

    def stop(self, hard: bool = False) -> None:
        """End all sessions at once: cleanly, or `hard` as if it had crashed."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT if hard else signal.SIGINT)
            self._process.wait(timeout=120)


@contextmanager
def stoppable_server(
    programs: Path, settings: tuple[str, ...] = ("fsync=off",)
) -> Iterator[Server]:
    """A running server that ends with the block."""
    root = Path(tempfile.mkdtemp(prefix="tunewise-postgres-"))
    try:
        server = Server(programs, root, settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def private_server(programs: Path, settings: tuple[str, ...] = ("fsync=off",)) -> Iterator[str]:
    """A server with data of its own that ends with the block; gives its URL."""
    with stoppable_server(programs, settings) as server:
        yield server.url


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


def _await(server: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + 120
    while True:
        try:
            psycopg.connect(url).close()
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


def break_connection(url: str) -> None:
    """End the session that decides about tasks just now."""
    import psycopg

    deciding = "relation = 'tunewise_task_events'::regclass AND mode = 'ExclusiveLock'"
    with psycopg.connect(url) as connection:
        connection.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE {deciding}".encode()
        )
