"""What may happen to a trial in a store: the same rules for every store."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace

from tunewise.errors import RightLost, StudyError, nearest
from tunewise.history import (
    BOOKED,
    Cancelled,
    Failure,
    Outcome,
    Preempted,
    Trial,
    TrialState,
)
from tunewise.problem import Metrics
from tunewise.space import Config
from tunewise.study.owner import Owner
from tunewise.study.store import Ended


@dataclass(frozen=True)
class Slot:
    """A trial, and who works on it.

    Attributes:
        trial: The trial as the history shows it.
        owner: Whom a running trial was given to.
        until: When the owner's lease ends, in seconds since the epoch.
        stop: Whether a person asked the owner to stop.
        ran: Seconds that this attempt had run at the owner's last sign of life.
        booked: By owner, what was booked for an attempt that its owner may still tell of: when the
            owner seemed to be gone, or when another one ended the trial before.
        held: USD that are set aside for this attempt, 0 while it waits for them; None where nobody
            keeps an account.
    """

    trial: Trial
    owner: Owner | None = None
    until: float = 0.0
    stop: bool = False
    ran: float = 0.0
    booked: dict[str, Metrics] = field(default_factory=dict)
    held: float | None = None

    @classmethod
    def added(
        cls,
        number: int,
        config: Config,
        fraction: float,
        snapshots: tuple[float, ...],
        owner: Owner | None,
        lease: float,
        now: float,
        enqueued: bool = False,
    ) -> "Slot":
        """A new trial: running when it has an owner, else waiting."""
        trial = Trial(
            number,
            deepcopy(config),
            float(fraction),
            tuple(snapshots),
            TrialState.WAITING,
            enqueued=enqueued or owner is None,
        )
        return cls(trial) if owner is None else cls(trial).given(owner, lease, now)

    def idle(self, now: float) -> bool:
        """Whether the trial has not ended and nobody works on it."""
        if self.trial.state is TrialState.RUNNING:
            return absent(self.owner, self.until, now)
        return self.trial.state.pending

    def claimable(self, owner: Owner, now: float) -> bool:
        """Whether the owner may take it: nobody gets a trial again that they are running."""
        return self.owner != owner and str(owner) not in self.booked and self.idle(now)

    def given(self, owner: Owner, lease: float, now: float) -> "Slot":
        """The trial in the hands of a new owner."""
        trial = replace(self.trial, state=TrialState.RUNNING, asked_at=now)
        return Slot(trial, owner, now + lease, booked=self.booked)

    def claimed(
        self, study: str, owner: Owner, lease: float, ended: Ended | None, now: float
    ) -> "Slot":
        """The trial of nobody in the hands of the owner, unless it turns out to have ended."""
        left = self.left_behind(study, ended, now)
        if not left.trial.state.pending:
            return left
        return left.cancelled(now) if self.stop else left.given(owner, lease, now)

    def left_behind(self, study: str, ended: Ended | None, now: float) -> "Slot":
        """The trial after the attempt of an owner that is gone was told, or booked as lost."""
        if self.owner is None or self.trial.state is not TrialState.RUNNING:
            return self
        if ended is None:
            return self._owed(self.owner, {})
        outcome = ended(self.trial, self.ran)
        return self.told(study, outcome, None, now)._owed(self.owner, outcome.metrics)

    def _owed(self, owner: Owner, booked: Metrics) -> "Slot":
        """The trial, of which an owner that may be alive will tell more than was booked for it."""
        if owner.known_dead:
            return self
        spent = {name: booked[name] for name in BOOKED if booked.get(name)}
        return replace(self, booked={**self.booked, str(owner): spent})

    def reporting(self, owner: Owner, snapshots: Mapping[float, Metrics]) -> "Slot":
        """The trial with what its owner told on the way."""
        reported = {**self.trial.reported, **snapshots}
        return (
            replace(self, trial=replace(self.trial, reported=reported))
            if (self.owner == owner and self.trial.state.pending)
            else self
        )

    def told(self, study: str, outcome: Outcome, owner: Owner | None, now: float) -> "Slot":
        """The trial with its outcome, or what is left of it after a preemption."""
        if not self.trial.state.pending:
            raise told_already(study, self.trial)
        trial, booked = self._unbooked(owner)
        elsewhere = owner is not None and self.owner is not None and owner != self.owner
        if isinstance(outcome, Preempted):
            if elsewhere:
                lost = trial.told(outcome).lost
                return replace(self, trial=replace(trial, lost=lost), booked=booked)
            if self.stop:
                outcome = Cancelled(outcome.reason, outcome.metrics)
        told = Slot(trial.told(outcome, now), booked=booked)
        return told._owed(self.owner, {}) if elsewhere and self.owner is not None else told

    def told_late(self, outcome: Outcome, owner: Owner | None) -> "Slot | None":
        """A trial that another owner has ended, with what this one's attempt has cost besides.

        None when nothing of it was left to book.
        """
        if self.trial.state.pending or str(owner) not in self.booked:
            return None
        booked, lost = dict(self.booked), dict(self.trial.lost)
        before = booked.pop(str(owner))
        for name in BOOKED:
            more = outcome.metrics.get(name, 0.0) - before.get(name, 0.0)
            if more > 0:
                lost[name] = lost.get(name, 0.0) + more
        return replace(self, trial=replace(self.trial, lost=lost), booked=booked)

    def _unbooked(self, owner: Owner | None) -> tuple[Trial, dict[str, Metrics]]:
        """Without what was booked for the owner's attempt: it was not gone, and tells all of it."""
        if str(owner) not in self.booked:
            return self.trial, self.booked
        booked = dict(self.booked)
        spent = booked.pop(str(owner))
        lost = {k: v - spent.get(k, 0.0) for k, v in self.trial.lost.items()}
        return replace(self.trial, lost={k: v for k, v in lost.items() if v > 0}), booked

    def asked_to_stop(self, study: str, ended: Ended | None, now: float) -> "Slot":
        """The trial with a note for whoever runs it, or cancelled when nobody does."""
        if not self.trial.state.pending:
            raise StudyError(f"{_name(study, self.trial)} has ended already ({_end(self.trial)})")
        if not self.idle(now):
            return replace(self, stop=True)
        left = self.left_behind(study, ended, now)
        return left.cancelled(now) if left.trial.state.pending else left

    def cancelled(self, now: float) -> "Slot":
        """The trial of an absent owner, stopped."""
        told = self.trial.told(Cancelled("stopped while nobody ran it"), now)
        return Slot(told, booked=self.booked)


def absent(owner: Owner | None, until: float, now: float) -> bool:
    """Whether nobody holds what was leased to the owner until then."""
    return owner is None or until <= now or owner.known_dead


def with_own_config(trial: Trial) -> Trial:
    """The trial as a store shows it: who changes its config does not change the store's."""
    # Not `replace`, which takes ten times as long: a history is read before every ask.
    shown = object.__new__(Trial)
    shown.__dict__.update(trial.__dict__, config=dict(trial.config))
    return shown


def unknown_study(study: str, names: list[str]) -> StudyError:
    """For a study that is not in the store."""
    hint = nearest(study, names) if names else "; the store is empty"
    return StudyError(f"there is no study {study!r}{hint}")


def unknown_trial(study: str, number: int, count: int) -> StudyError:
    """For a trial that is not in the study."""
    there = f"its trials are 0 to {count - 1}" if count else "it has none yet"
    return StudyError(f"study {study!r} has no trial {number!r}; {there}")


def told_already(study: str, trial: Trial) -> StudyError:
    """For a trial that has ended."""
    return StudyError(f"{_name(study, trial)} was told already ({_end(trial)})")


def right_lost(study: str) -> RightLost:
    """For an owner that adds a trial without the right to ask."""
    return RightLost(
        f"this worker does not hold the right to ask in study {study!r}: it never took it, or was"
        " silent for too long and it was passed on; ask again"
    )


def _name(study: str, trial: Trial) -> str:
    return f"trial {trial.number} of study {study!r}"


def _end(trial: Trial) -> str:
    metrics = [f"{name}={value:g}" for name, value in trial.metrics.items()]
    reason = [trial.outcome.reason] if isinstance(trial.outcome, Failure) else []
    return ", ".join([trial.state.value, *reason, *metrics])
