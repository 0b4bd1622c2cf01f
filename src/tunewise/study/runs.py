"""The contract of a store for trainings that are tuned while they run: each a list of events."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class Runs(ABC):
    """Keeps the events of trainings, in order, and never changes one that was kept.

    Methods raise `StudyError` for a run that is not there or that somebody else goes on with,
    `StorageError` when the store itself cannot be reached.
    """

    @abstractmethod
    def begin(self, name: str, described: dict[str, Any]) -> dict[str, Any]:
        """Add a run with its description, or return the description of the one of this name."""

    @abstractmethod
    def append(self, name: str, at: int, events: Sequence[dict[str, Any]]) -> None:
        """Keep events as numbers `at`, `at` + 1, …; refused where there are such already."""

    @abstractmethod
    def events(self, name: str) -> list[dict[str, Any]]:
        """All events of a run."""

    @abstractmethod
    def names(self) -> list[str]:
        """The runs, oldest first."""

    @abstractmethod
    def description(self, name: str) -> dict[str, Any]:
        """What `begin` was told first."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Forget a run and its events."""
