"""Runs in memory: for tests, and for whoever looks at a training only while it goes on."""

from collections.abc import Sequence
from typing import Any

from tunewise.errors import StudyError, nearest
from tunewise.storage.codec import plain
from tunewise.study.owner import Owner
from tunewise.study.store import Runs


class MemoryRuns(Runs):
    """Runs that end with the process."""

    def __init__(self) -> None:
        """None yet."""
        self._described: dict[str, dict[str, Any]] = {}
        self._events: dict[str, list[dict[str, Any]]] = {}

    def begin(
        self, name: str, described: dict[str, Any], owner: Owner | None = None, lease: float = 0.0
    ) -> dict[str, Any]:
        """Add a run, or return the description of the one of this name."""
        self._events.setdefault(name, [])
        return self._described.setdefault(name, plain(described, "description"))

    def own(self, name: str, owner: Owner, lease: float) -> None:
        """Nothing: all owners are in one process."""
        self._known(name)

    def disown(self, name: str, owner: Owner) -> None:
        """Nothing: all owners are in one process."""

    def append(self, name: str, at: int, events: Sequence[dict[str, Any]]) -> None:
        """Keep events."""
        kept = self._known(name)
        if at != len(kept):
            raise StudyError(f"the training {name!r} goes on in another process")
        kept.extend(plain(each, "event") for each in events)

    def events(self, name: str, since: int = 0) -> list[dict[str, Any]]:
        """The events of a run after the first so many."""
        return self._known(name)[since:]

    def names(self) -> list[str]:
        """The runs, oldest first."""
        return list(self._events)

    def description(self, name: str) -> dict[str, Any]:
        """What `begin` was told first."""
        self._known(name)
        return self._described[name]

    def delete(self, name: str) -> None:
        """Forget a run and its events."""
        self._known(name)
        del self._events[name], self._described[name]

    def _known(self, name: str) -> list[dict[str, Any]]:
        if name not in self._events:
            raise StudyError(f"there is no training {name!r}{nearest(name, self._events)}")
        return self._events[name]
