"""The contract of a store: where histories live."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from tunewise.errors import StorageError
from tunewise.history import History, Outcome, Trial
from tunewise.problem import Metrics
from tunewise.space import Config
from tunewise.study.owner import Owner
from tunewise.study.record import StudyRecord

__all__ = [
    "ASKING_LEASE",
    "Ended",
    "Allocation",
    "News",
    "Renewal",
    "Store",
    "StudyRecord",
    "checked_namespace",
]


Ended = Callable[[Trial, float], Outcome]
"""How an attempt ended whose worker is gone, of a trial that ran for so many seconds.

That is the outcome, where it can be found, or a preemption with what the attempt has cost."""


@dataclass(frozen=True)
class Allocation:
    """How money is set aside for a trial, in the very step that gives it out.

    Attributes:
        budget: USD for all of the study.
        take: How many USD the trial gets, of so many that are free while so many other trials wait
            for money; 0 when this one has to wait too.
    """

    budget: float
    take: Callable[[Trial, float, int], float]


ASKING_LEASE = 60.0
"""Seconds after which the right to ask of a silent owner on another machine is passed on."""


LONGEST_NAMESPACE = 100
"""Characters, so that lists of studies stay readable."""


@dataclass(frozen=True)
class News:
    """What changed in a study after a revision.

    Attributes:
        revision: The study's now: what to ask after next. It rises with each change.
        trials: Those that were added or changed, as they are now. One may be told twice.
    """

    revision: int
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class Renewal:
    """What an owner learns when it renews its leases.

    Attributes:
        stopping: Its running trials that were asked to stop.
        lost: Trials that it runs, but holds no more: another was given them, or has ended them.
    """

    stopping: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()


def checked_namespace(namespace: Any) -> str:
    """The namespace, or a StorageError that says what was expected."""
    if not isinstance(namespace, str):
        raise StorageError(f"the namespace is {namespace!r}; expected text, such as 'team'")
    if len(namespace) > LONGEST_NAMESPACE or not namespace.isprintable():
        raise StorageError(
            f"the namespace is {namespace[:40]!r}; expected at most {LONGEST_NAMESPACE} characters"
            " that can be printed"
        )
    return namespace


class Runs(ABC):
    """Keeps the events of trainings, in order, and never changes one that was kept.

    Methods raise `StudyError` for a run that is not there or that somebody else goes on with,
    `StorageError` when the store itself cannot be reached.
    """

    @abstractmethod
    def begin(
        self, name: str, described: dict[str, Any], owner: Owner | None = None, lease: float = 0.0
    ) -> dict[str, Any]:
        """Add a run with its description, or return the description of the one of this name.

        A run that is added belongs to its owner from its first moment on, as after `own`: nobody
        else ever sees it without one. One that was there already keeps the owner that it has.
        """

    @abstractmethod
    def own(self, name: str, owner: Owner, lease: float) -> None:
        """Go on with a run for so many seconds, and longer by calling this again.

        Refused while a process goes on with it that is alive, or that is on another machine and
        whose lease has not ended. Whoever is in the owner's own process gives way.
        """

    @abstractmethod
    def disown(self, name: str, owner: Owner) -> None:
        """Leave a run to whoever comes; nothing where it is another owner's."""

    @abstractmethod
    def append(self, name: str, at: int, events: Sequence[dict[str, Any]]) -> None:
        """Keep events as numbers `at`, `at` + 1, …; refused where there are such already."""

    @abstractmethod
    def events(self, name: str, since: int = 0) -> list[dict[str, Any]]:
        """The events of a run after the first so many.

        How many there are is the run's revision: each change is an event.
        """

    @abstractmethod
    def names(self) -> list[str]:
        """The runs, oldest first."""

    @abstractmethod
    def description(self, name: str) -> dict[str, Any]:
        """What `begin` was told first."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Forget a run and its events."""


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
    def asking(
        self, study: str, owner: Owner, lease: float = ASKING_LEASE
    ) -> AbstractContextManager[None]:
        """Hold the right to add suggested trials: one owner per study at a time, others wait.

        The right of an owner that is known to be dead is passed on at once, that of a silent one
        when its lease has ended (`renew` prolongs it). It is not reentrant.
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
        allocation: Allocation | None = None,
        enqueued: bool = False,
    ) -> Trial:
        """Append a trial with the next number: running under the owner's lease of so many seconds.

        The owner must hold the right to ask: one whose right was passed on is refused.
        Without an owner the trial is enqueued: waiting until it is claimed. One that runs already
        may have been `enqueued` as another one.

        With an allocation, money is set aside for the trial in the same step: what is booked and
        what is set aside for all trials together never pass the budget, however many processes ask.
        """

    @abstractmethod
    def claim(
        self,
        study: str,
        owner: Owner,
        lease: float,
        ended: Ended | None = None,
        allocation: Allocation | None = None,
    ) -> Trial | None:
        """Take the lowest trial that nobody works on, atomically; None when there is none.

        That is a waiting or preempted one, or another owner's running one whose lease has ended
        or whose owner is known to be dead. One that was asked to stop meanwhile is cancelled
        instead.

        What `ended` says of the attempt of an owner that is gone is kept in the same step, so that
        each attempt is booked once, whoever resumes it. A trial that has ended so is returned as
        it ended; nobody works on it any more.

        With an allocation, money is set aside for the trial in the same step, as in `add`.
        """

    @abstractmethod
    def set_aside(self, study: str, number: int, owner: Owner, allocation: Allocation) -> None:
        """Set money aside for a trial of the owner's that had to wait for it, as in `add`.

        It is given back when the trial is told, whatever its outcome. Nothing happens to a trial
        that is another owner's by now.
        """

    @abstractmethod
    def held(self, study: str) -> dict[int, float]:
        """USD that are set aside for running trials, by number; 0 for one that waits for money.

        Trials that were given out without an allocation are left out.
        """

    @abstractmethod
    def tell(self, study: str, number: int, outcome: Outcome, owner: Owner | None = None) -> Trial:
        """Keep a trial's outcome, durably before this returns.

        A preempted outcome books what was lost and frees the trial to be claimed again, or
        cancels it when it was asked to stop; any other ends it. A trial that has ended is
        refused. A preempted outcome from an owner whose trial was given to another one books
        what was lost and leaves the trial with the other.

        Where several owners came to run one trial, the first that ends it is believed. What the
        others have spent is booked as lost when they tell it, before they are refused.
        """

    @abstractmethod
    def renew(
        self, study: str, owner: Owner, lease: float, ran: Mapping[int, float] | None = None
    ) -> Renewal:
        """Prolong the owner's leases; returns which of its trials should stop.

        The leases are those of its running trials and of its right to ask. `ran` says for how many
        seconds each trial has run by now: should this be the last sign of life, so much is booked.
        """

    @abstractmethod
    def report(
        self, study: str, number: int, snapshots: Mapping[float, Metrics], owner: Owner
    ) -> None:
        """Keep snapshots that a running trial has told; those of a former owner are ignored."""

    @abstractmethod
    def request_stop(self, study: str, number: int, ended: Ended | None = None) -> Trial:
        """Ask whoever runs the trial to stop it; one that nobody runs is cancelled at once.

        What `ended` says of the attempt of an owner that is gone is kept, as in `claim`.
        """

    def idle(self, study: str, owner: Owner) -> set[int]:
        """Numbers of the trials that `claim` might give to the owner: nobody works on them.

        A store that does not tell takes all running trials for being worked on.
        """
        return set()

    def owners(self, study: str) -> dict[int, Owner]:
        """Whom each running trial was given to, alive or not; a store need not tell."""
        return {}

    def news(self, study: str, since: int = 0) -> News:
        """What changed after a revision; all trials of a study that was made anew meanwhile.

        A store that does not count changes tells everything every time.
        """
        return News(since + 1, tuple(self.history(study)))

    def notes(self, study: str) -> dict[str, Any]:
        """The notes of the study's record, which may be quicker to get than all of it."""
        return self.load(study).notes

    def within(self, namespace: str) -> "Store":
        """The same store, with the studies of a namespace; "" is the one of all that have none.

        Studies of one name in several namespaces have nothing in common.
        """
        if checked_namespace(namespace):
            raise StorageError(
                f"a {type(self).__name__} has no namespaces; leave out {namespace!r}"
            )
        return self

    def runs(self) -> Runs:
        """The trainings that are tuned while they run."""
        raise StorageError(f"a {type(self).__name__} keeps no trainings that are tuned as they run")

    def namespaces(self) -> list[str]:
        """The namespaces that have a study, by name."""
        return [""] if self.studies() else []

    def close(self) -> None:  # noqa: B027 - closing is optional, most tests' stores hold nothing
        """Give back connections and files."""
