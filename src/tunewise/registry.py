"""The one door for things that are looked up by name.

Built-in and third-party strategies, surrogates, filters, executors and schedulers are all
registered by entry point, so a plugin has the same rights as what ships with Tunewise.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tunewise.errors import TunewiseError, nearest


class Registry:
    """A table of named things of one kind, filled from an entry-point group."""

    def __init__(self, kind: str, group: str, error: type[TunewiseError]) -> None:
        """Name the kind (for messages), its entry-point group and the error to raise."""
        self.kind = kind
        self.group = group
        self._error = error

    def names(self) -> list[str]:
        """All registered names, sorted."""
        return sorted(self._entries())

    def load(self, name: str) -> Any:
        """Import and return what is registered under the name."""
        entries = self._entries()
        if name not in entries:
            raise self._error(f"unknown {self.kind} {name!r}{nearest(name, sorted(entries))}")
        return entries[name].load()

    def _entries(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in entry_points(group=self.group)}
