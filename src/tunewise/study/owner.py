"""Who works on a trial, in a way that tells whether they are still alive."""

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4


@dataclass(frozen=True)
class Owner:
    """One worker in one process.

    Attributes:
        host: The machine it is on, and where on it pids mean the same.
        pid: Its process there.
        born: When that process started, in kernel ticks: a reused pid is not the same owner.
        token: Tells several workers of one process apart.
    """

    host: str
    pid: int
    born: int
    token: str

    @classmethod
    def here(cls) -> "Owner":
        """A new owner in this process."""
        pid = os.getpid()
        return cls(_host(), pid, _born(pid) or 0, uuid4().hex[:12])

    @classmethod
    def parse(cls, text: str) -> "Owner":
        """Read back `str(owner)`."""
        host, pid, born, token = text.rsplit("|", 3)
        return cls(host, int(pid), int(born), token)

    def __str__(self) -> str:
        """One line for the store."""
        return f"{self.host}|{self.pid}|{self.born}|{self.token}"

    def beside(self, other: "Owner") -> bool:
        """Whether both are in one process."""
        return (self.host, self.pid, self.born) == (other.host, other.pid, other.born)

    @property
    def machine(self) -> str:
        """The name of the machine it is on."""
        return self.host.partition("/")[0]

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine, so that we would know of its death."""
        return self.host == _host()

    @property
    def known_dead(self) -> bool:
        """True when its process certainly is gone; False when alive or on another machine."""
        if not self.is_here:
            return False
        born = _born(self.pid)
        if born is None:
            return True
        return self.born != 0 and born != 0 and born != self.born


@cache
def _host() -> str:
    """The machine's name, boot and pid namespace.

    A pid means nothing after a restart, nor in another container of the same machine.
    """
    boot = Path("/proc/sys/kernel/random/boot_id")
    namespace = Path("/proc/self/ns/pid")
    started = boot.read_text().strip()[:8] if boot.exists() else ""
    pids = os.readlink(namespace) if namespace.is_symlink() else ""
    return f"{socket.gethostname()}/{started}/{pids}"


def _born(pid: int) -> int | None:
    """Start time of a process, 0 where the system does not tell, None when it is gone."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        fields = stat.read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else int(fields[19])
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        pass  # it is gone, or hidden from us: a signal tells which
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return 0
    return None if Path("/proc/self/stat").exists() else 0
