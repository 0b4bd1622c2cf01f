"""The one door for things that are looked up by name.

Built-in and third-party strategies, surrogates, filters, executors and schedulers are all
registered by entry point, so a plugin has the same rights as what ships with Tunewise.
"""

import inspect
from collections.abc import Container, Iterable, Mapping
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
        self._known: dict[str, EntryPoint] = {}

    def names(self) -> list[str]:
        """All registered names, sorted."""
        return sorted(self._entries())

    def load(self, name: str) -> Any:
        """Import and return what is registered under the name."""
        entries = self._entries()
        if name not in entries:
            entries = self._scanned()  # it may have been installed since
        if name not in entries:
            raise self._error(f"unknown {self.kind} {name!r}{nearest(name, sorted(entries))}")
        return entries[name].load()

    def named(self, given: Any) -> tuple[str, dict[str, Any]]:
        """The name and the options of plain data: a name, or `{"name": ..., option: value}`."""
        if isinstance(given, str):
            return given, {}
        if isinstance(given, Mapping) and isinstance(given.get("name"), str):
            return given["name"], {k: v for k, v in given.items() if k != "name"}
        names = nearest("", self.names())
        raise self._error(f"{self.kind} is {given!r}; expected a name{names}")

    def refuse_unknown(self, name: str, options: Iterable[str], given: Container[str]) -> None:
        """Refuse options that what is registered under the name does not take.

        Args:
            name: Of what is registered.
            options: What somebody wrote.
            given: Parameters that are no options.
        """
        parameters = inspect.signature(self.load(name)).parameters
        valid = [parameter for parameter in parameters if parameter not in given]
        for option in options:
            if option not in valid:
                known = nearest(option, valid) if valid else "; it takes none"
                raise self._error(f"{self.kind} {name!r} has no option {option!r}{known}")

    def _entries(self) -> dict[str, EntryPoint]:
        """What is registered, read once: each scan opens every installed package."""
        return self._known or self._scanned()

    def _scanned(self) -> dict[str, EntryPoint]:
        self._known = {entry.name: entry for entry in entry_points(group=self.group)}
        return self._known
