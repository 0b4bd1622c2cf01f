"""Starts the processes of a service, and starts again what dies."""

import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

from tunewise.errors import TunewiseError
from tunewise.service.accounts.secret import Secret
from tunewise.service.context import Context
from tunewise.service.counters import FOLDER
from tunewise.service.running.chores import Chores
from tunewise.service.running.plan import VARIABLE, Plan, own_environment

LEAST_PAUSE, MOST_PAUSE = 0.2, 5.0
"""Seconds before a process that died is started again; doubled each time that it dies soon."""

SOON = 30.0
"""Seconds within which a process has died soon."""

PATIENCE = 20.0
"""Seconds that processes may take to end."""

KILLED = (-signal.SIGKILL, -signal.SIGTERM)
"""Codes of processes that others ended: the next one may do better at once."""

POLL = 0.1
FIRST_LINK_DAYS = 7.0


@dataclass
class Child:
    """A process that is kept alive.

    Attributes:
        words: The command.
        signal: By which it is asked to end.
        descriptors: That it inherits.
    """

    words: list[str]
    signal: signal.Signals
    descriptors: tuple[int, ...] = ()
    process: "subprocess.Popen[bytes] | None" = None
    pause: float = LEAST_PAUSE
    began: float = 0.0
    again_at: float = 0.0
    environment: dict[str, str] = field(default_factory=dict)

    def attend(self, now: float) -> None:
        """Start it, or start it again."""
        if self.process is not None:
            if self.process.poll() is None:
                return
            faulty = self.process.returncode not in KILLED
            soon = faulty and now - self.began < SOON
            self.pause = min(2 * self.pause, MOST_PAUSE) if soon else LEAST_PAUSE
            said = f"a process ended ({self.process.returncode}); it is started again"
            print(said, file=sys.stderr, flush=True)
            self.process, self.again_at = None, now + self.pause
        if now >= self.again_at:
            self.process = subprocess.Popen(
                self.words,
                env={**own_environment(), **self.environment},
                pass_fds=self.descriptors,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            self.began = now

    def end(self) -> None:
        """Ask it to end."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(self.signal)

    def kill(self) -> None:
        """Leave it no choice."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def serve(plan: Plan, say: Callable[[str], None]) -> None:
    """Run a service until a signal ends it."""
    plan.check()
    listening = listen(plan.host, plan.port)
    host = f"[{plan.host}]" if ":" in plan.host else plan.host
    address = plan.address or f"http://{host}:{listening.getsockname()[1]}"
    for line in prepare(plan, address):
        say(line)
    with tempfile.TemporaryDirectory(prefix="tunewise-counts-") as counts:
        shared = {FOLDER: counts} if plan.processes > 1 else {}
        with Chores(plan):
            _attend(planned(plan, listening, shared))


def prepare(plan: Plan, address: str) -> list[str]:
    """Bring the store up to date, and let the first admin in: what to tell whoever started it."""
    context = Context.open(plan.url)
    try:
        context.tenants.ensure("")
        told = [f"Tunewise serves at {address}"]
        first = plan.accounts and not context.members.any()
        if first or plan.invite:
            secret = Secret.new()
            seconds = FIRST_LINK_DAYS * 86400
            context.members.invite(secret.hash, "", "admin", "the operator", seconds)
            who = "The first admin" if first else "An admin"
            told.append(f"{who} joins here: {address}/invitations/{secret.text}")
        return told
    finally:
        context.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that all API processes share."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(kind, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip("[]"), port))
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise TunewiseError(
            f"cannot serve at {host}:{port}: {reason}; try another --port"
        ) from error
    listening.listen(2048)
    return listening


def planned(plan: Plan, listening: socket.socket, shared: dict[str, str]) -> list[Child]:
    """The processes of a plan."""
    start = [sys.executable, "-m", "tunewise.service.running"]
    told = {VARIABLE: plan.packed()}
    door, module = listening.fileno(), f"{start[2]}.process"
    answer = [*start[:2], module, str(door)]
    children = [
        Child(answer, signal.SIGTERM, (door,), environment={**told, **shared})
        for _ in range(plan.processes)
    ]
    if plan.workers:
        words = [*start[:2], f"{start[2]}.child", "task", "work", "--workers", str(plan.workers)]
        words += [] if plan.ray is None else ["--ray", plan.ray]
        where = {"TUNEWISE_STORAGE": plan.url}
        children.append(Child(words, signal.SIGINT, environment=where))
    if plan.jobs:
        jobs = [*start[:2], f"{start[2]}.jobs"]
        children.append(Child(jobs, signal.SIGTERM, environment=told))
    return children


def _attend(children: list[Child]) -> None:
    ending: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        ending.append(number)

    before = [signal.signal(each, end) for each in (signal.SIGTERM, signal.SIGINT)]
    try:
        while not ending:
            for child in children:
                child.attend(time.monotonic())
            time.sleep(POLL)
    finally:
        for child in children:
            child.end()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and any(
            child.process is not None and child.process.poll() is None for child in children
        ):
            time.sleep(POLL)
        for child in children:
            child.kill()
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
