"""The contract of a store: where histories live."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from tunewise.history import Config, History, Outcome, Trial
from tunewise.study.owner import Owner


@dataclass(frozen=True)
class StudyRecord:
    """What a store keeps about a study besides its trials.

    Attributes:
        name: Unique in the store.
        problem: The described problem (`Problem.describe()`), to recognise it on resume.
        strategy: Name and options of the strategy.
        seed: What, with the history, determines every ask.
        notes: Free JSON-able extras: where logs are, the job file's text, why the study stopped.
        created_at: Seconds since the epoch.
    """

    name: str
    problem: dict[str, Any]
    strategy: dict[str, Any]
    seed: int
    notes: dict[str, Any] = field(default_factory=dict)
    created_at: float | None = field(default=None, compare=False)


class Store(ABC):
    """Keeps studies durably: what a method has returned from survives a crash.

    Any number of processes may use one store at once. Methods raise `StudyError` for a study or
    trial that is not there or not in a state for the call, `StorageError` when the store itself
    cannot be reached, read or written.
    """

    @abstractmethod
    def create(self, record: StudyRecord) -> StudyRecord:
        """Add the study, or return the one that has this name already."""

    @abstractmethod
    def load(self, study: str) -> StudyRecord:
        """The study's record; an unknown name is refused with the nearest one."""

    @abstractmethod
    def annotate(self, study: str, notes: dict[str, Any]) -> None:
        """Merge notes into the study's record."""

    @abstractmethod
    def studies(self) -> list[StudyRecord]:
        """All studies, oldest first."""

    @abstractmethod
    def delete(self, study: str) -> None:
        """Forget a study and its trials."""

    @abstractmethod
    def history(self, study: str) -> History:
        """All trials of the study."""

    @abstractmethod
    def asking(self, study: str, owner: Owner) -> AbstractContextManager[None]:
        """Hold the right to add suggested trials: one owner per study at a time.

        The right of an owner that died is passed on.
        """

    @abstractmethod
    def add(
        self,
        study: str,
        config: Config,
        fraction: float,
        snapshots: tuple[float, ...],
        owner: Owner | None,
        lease: float,
    ) -> Trial:
        """Append a trial with the next number: running under the owner's lease of so many seconds.

        Without an owner it is enqueued: waiting until it is claimed.
        """

    @abstractmethod
    def claim(self, study: str, owner: Owner, lease: float) -> Trial | None:
        """Take the lowest trial that nobody works on, atomically; None when there is none.

        That is a waiting or preempted one, or a running one whose lease has ended or whose
        owner is known to be dead.
        """

    @abstractmethod
    def tell(self, study: str, number: int, outcome: Outcome) -> Trial:
        """Keep a trial's outcome, durably before this returns.

        A preempted outcome books what was lost and frees the trial to be claimed again; any
        other ends it. A trial that has ended is refused.
        """

    @abstractmethod
    def renew(self, study: str, owner: Owner, lease: float) -> set[int]:
        """Prolong the leases of all the owner's running trials; returns those asked to stop."""

    @abstractmethod
    def request_stop(self, study: str, number: int) -> Trial:
        """Ask whoever runs the trial to stop it; one that nobody runs is cancelled at once."""

    def close(self) -> None:  # noqa: B027 - closing is optional, most tests' stores hold nothing
        """Give back connections and files."""
