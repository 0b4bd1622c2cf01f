"""Clusters that are up, or may be: a file for each, from before it is launched until it is gone.

Whoever crashes leaves the file behind. The next start finds it, and tears the cluster down.
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tunewise.errors import ExecutionError
from tunewise.study.folders import within
from tunewise.study.owner import Owner


@dataclass(frozen=True)
class Lease:
    """A rented cluster.

    Attributes:
        name: What SkyPilot calls it.
        machines: Type and count, such as `m5.large:4`.
        hourly: USD per hour, as far as the price is known.
        since: When it was launched, in seconds since the epoch.
        owner: The process that uses it.
        trial: The number of its trial.
        left_up: Whether its process failed to tear it down, and has given that up.
        unreadable: Whether nothing is known of it but its name: its file is empty or damaged.
    """

    name: str
    machines: str
    hourly: float
    since: float
    owner: str
    trial: int
    left_up: bool = False
    unreadable: bool = False

    @property
    def in_use(self) -> bool:
        """Whether the process that launched it may still need it."""
        return not (self.left_up or self.unreadable or Owner.parse(self.owner).known_dead)

    def cost(self, now: float | None = None) -> float:
        """USD until now."""
        seconds = (time.time() if now is None else now) - self.since
        return self.hourly * max(seconds, 0.0) / 3600.0


class Leases:
    """The leases of a person, in a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        """By default in `$TUNEWISE_HOME/clusters`, or where this person's settings are."""
        self.folder = folder or _home() / "clusters"

    def __iter__(self) -> Iterator[Lease]:
        """All of them, oldest first; one that cannot be read is known by its file's name."""
        found = [each for file in self.folder.glob("tunewise-*.json") if (each := _read(file))]
        return iter(sorted(found, key=lambda lease: lease.since))

    def add(self, lease: Lease) -> None:
        """Note it on the disk, before the cluster costs anything."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            passing = self.folder / f".{lease.name}.{os.getpid()}"
            with passing.open("w", encoding="utf-8") as file:
                json.dump(asdict(lease), file)
                file.flush()
                os.fsync(file.fileno())
            passing.replace(self._file(lease.name))
        except OSError as error:
            raise ExecutionError(
                f"a lease cannot be kept in {self.folder}: {error.strerror or error}; no cluster is"
                " launched that nobody would find again"
            ) from error

    def remove(self, name: str) -> None:
        """The cluster is gone."""
        self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def _read(file: Path) -> Lease | None:
    """What a file says; None where it is gone by now."""
    try:
        changed = file.stat().st_mtime
        lease = Lease(**json.loads(file.read_text(encoding="utf-8")))
        Owner.parse(lease.owner)
        return replace(lease, hourly=float(lease.hourly), since=float(lease.since))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError):
        return Lease(file.stem, "unreadable lease", 0.0, changed, "", -1, unreadable=True)


def _home() -> Path:
    if home := os.environ.get("TUNEWISE_HOME"):
        return within(Path(), home)
    return within(Path(), os.environ.get("XDG_CONFIG_HOME") or "~/.config") / "tunewise"
