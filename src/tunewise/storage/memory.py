"""A store in this process's memory, for tests, replays and studies that need not last."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from threading import Condition
from typing import Any

from tunewise.history import History, Outcome, Trial, TrialState
from tunewise.problem import Metrics
from tunewise.space import Config
from tunewise.storage.memory_runs import MemoryRuns
from tunewise.study.owner import Owner
from tunewise.study.slots.money import funded
from tunewise.study.slots.slot import (
    Slot,
    absent,
    right_lost,
    told_already,
    unknown_study,
    unknown_trial,
    with_own_config,
)
from tunewise.study.store import (
    ASKING_LEASE,
    Allocation,
    Ended,
    News,
    Renewal,
    Store,
    StudyRecord,
    checked_namespace,
)

_LOOK = 0.05
"""Seconds between looks at whether the one who asks has died; a release is heard at once."""


@dataclass
class _Kept:
    record: StudyRecord
    slots: list[Slot] = field(default_factory=list)
    asker: Owner | None = None
    asker_until: float = 0.0
    revision: int = 0
    changed: dict[int, int] = field(default_factory=dict)

    def rise(self, *numbers: int) -> None:
        """Count a change, of these trials or of the notes."""
        self.revision += 1
        self.changed.update(dict.fromkeys(numbers, self.revision))


class MemoryStore(Store):
    """Keeps studies as long as the process lives; any number of threads may use it."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Start empty; leases and times follow the clock, which may be a virtual one."""
        self._clock = clock
        self._every: dict[str, dict[str, _Kept]] = {}
        self._kept = self._every.setdefault("", {})
        self._changed = Condition()
        self._runs: dict[str, MemoryRuns] = {}
        self._namespace = ""

    def within(self, namespace: str) -> "MemoryStore":
        """The same store, with the studies of a namespace."""
        other = copy(self)
        with self._changed:
            other._kept = self._every.setdefault(checked_namespace(namespace), {})
        other._namespace = namespace
        return other

    def runs(self) -> MemoryRuns:
        """The trainings that are tuned while they run."""
        return self._runs.setdefault(self._namespace, MemoryRuns())

    def namespaces(self) -> list[str]:
        """The namespaces that have a study, by name."""
        with self._changed:
            return sorted(name for name, kept in self._every.items() if kept)

    def create(self, record: StudyRecord) -> StudyRecord:
        """Add the study, or return the one that has this name already."""
        with self._changed:
            if record.name not in self._kept:
                created = self._clock() if record.created_at is None else record.created_at
                self._kept[record.name] = _Kept(deepcopy(replace(record, created_at=created)))
            return deepcopy(self._kept[record.name].record)

    def load(self, study: str) -> StudyRecord:
        """The study's record."""
        with self._changed:
            return deepcopy(self._study(study).record)

    def annotate(self, study: str, notes: dict[str, Any]) -> None:
        """Merge notes into the study's record."""
        with self._changed:
            kept = self._study(study)
            kept.record = replace(kept.record, notes=kept.record.notes | deepcopy(notes))
            kept.rise()

    def studies(self) -> list[StudyRecord]:
        """All studies, oldest first."""
        with self._changed:
            return [deepcopy(kept.record) for kept in self._kept.values()]

    def delete(self, study: str) -> None:
        """Forget a study and its trials."""
        with self._changed:
            self._study(study)
            del self._kept[study]
            self._changed.notify_all()

    def history(self, study: str) -> History:
        """All trials of the study."""
        with self._changed:
            return History(with_own_config(slot.trial) for slot in self._study(study).slots)

    def news(self, study: str, since: int = 0) -> News:
        """What changed after a revision."""
        with self._changed:
            kept = self._study(study)
            after = since if since <= kept.revision else 0
            numbers = sorted(number for number, at in kept.changed.items() if at > after)
            found = (with_own_config(kept.slots[number].trial) for number in numbers)
            return News(kept.revision, tuple(found))

    @contextmanager
    def asking(self, study: str, owner: Owner, lease: float = ASKING_LEASE) -> Iterator[None]:
        """Hold the right to add suggested trials."""
        with self._changed:
            while not self._took(study, owner, lease):
                self._changed.wait(_LOOK)
        try:
            yield
        finally:
            with self._changed:
                kept = self._kept.get(study)
                if kept is not None and kept.asker == owner:
                    kept.asker = None
                    self._changed.notify_all()

    def _took(self, study: str, owner: Owner, lease: float) -> bool:
        kept, now = self._study(study), self._clock()
        free = absent(kept.asker, kept.asker_until, now)
        if free:
            kept.asker, kept.asker_until = owner, now + lease
        return free

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
        """Append a trial with the next number."""
        with self._changed:
            kept = self._study(study)
            if owner is not None and kept.asker != owner:
                raise right_lost(study)
            number, now = len(kept.slots), self._clock()
            slot = Slot.added(number, config, fraction, snapshots, owner, lease, now, enqueued)
            kept.slots.append(self._funded(study, slot, allocation))
            kept.rise(number)
            return with_own_config(slot.trial)

    def claim(
        self,
        study: str,
        owner: Owner,
        lease: float,
        ended: Ended | None = None,
        allocation: Allocation | None = None,
    ) -> Trial | None:
        """Take the lowest trial that nobody works on."""
        with self._changed:
            now = self._clock()
            for slot in [s for s in self._study(study).slots if s.claimable(owner, now)]:
                claimed = slot.claimed(study, owner, lease, ended, now)
                trial = self._put(study, self._funded(study, claimed, allocation))
                if claimed.trial.state is not TrialState.CANCELLED:
                    return trial
            return None

    def set_aside(self, study: str, number: int, owner: Owner, allocation: Allocation) -> None:
        """Set money aside for a trial that had to wait for it."""
        with self._changed:
            slot = self._slot(study, number)
            if slot.owner == owner:
                self._put(study, self._funded(study, slot, allocation))

    def held(self, study: str) -> dict[int, float]:
        """USD that are set aside for running trials."""
        with self._changed:
            slots = self._study(study).slots
            return {s.trial.number: s.held for s in slots if s.held is not None}

    def _funded(self, study: str, slot: Slot, allocation: Allocation | None) -> Slot:
        trials = [other.trial for other in self._study(study).slots]
        return funded(slot, allocation, trials, self.held(study))

    def tell(self, study: str, number: int, outcome: Outcome, owner: Owner | None = None) -> Trial:
        """Keep a trial's outcome."""
        with self._changed:
            slot = self._slot(study, number)
            if (late := slot.told_late(outcome, owner)) is not None:
                raise told_already(study, self._put(study, late))
            return self._put(study, slot.told(study, deepcopy(outcome), owner, self._clock()))

    def renew(
        self, study: str, owner: Owner, lease: float, ran: Mapping[int, float] | None = None
    ) -> Renewal:
        """Prolong the owner's leases; returns which of its trials should stop."""
        with self._changed:
            kept, until = self._study(study), self._clock() + lease
            if kept.asker == owner:
                kept.asker_until = until
            held = {slot.trial.number: slot for slot in kept.slots if slot.owner == owner}
            for number, slot in held.items():
                seconds = (ran or {}).get(number, slot.ran)
                kept.slots[number] = replace(slot, until=until, ran=seconds)
            stopping = frozenset(number for number, slot in held.items() if slot.stop)
            return Renewal(stopping, frozenset(ran or ()) - held.keys())

    def report(
        self, study: str, number: int, snapshots: Mapping[float, Metrics], owner: Owner
    ) -> None:
        """Keep snapshots that a running trial has told."""
        with self._changed:
            slot = self._slot(study, number)
            self._put(study, slot.reporting(owner, deepcopy(dict(snapshots))))

    def request_stop(self, study: str, number: int, ended: Ended | None = None) -> Trial:
        """Ask whoever runs the trial to stop it; one that nobody runs is cancelled at once."""
        with self._changed:
            slot = self._slot(study, number)
            return self._put(study, slot.asked_to_stop(study, ended, self._clock()))

    def idle(self, study: str, owner: Owner) -> set[int]:
        """Numbers of the trials that nobody works on."""
        with self._changed:
            now = self._clock()
            slots = self._study(study).slots
            return {slot.trial.number for slot in slots if slot.claimable(owner, now)}

    def owners(self, study: str) -> dict[int, Owner]:
        """Whom each running trial was given to."""
        with self._changed:
            held = [slot for slot in self._study(study).slots if slot.owner is not None]
            return {slot.trial.number: slot.owner for slot in held if slot.owner is not None}

    def _study(self, study: str) -> _Kept:
        if study not in self._kept:
            raise unknown_study(study, list(self._kept))
        return self._kept[study]

    def _slot(self, study: str, number: int) -> Slot:
        slots = self._study(study).slots
        if not 0 <= number < len(slots):
            raise unknown_trial(study, number, len(slots))
        return slots[number]

    def _put(self, study: str, slot: Slot) -> Trial:
        kept = self._kept[study]
        kept.slots[slot.trial.number] = slot
        kept.rise(slot.trial.number)
        return with_own_config(slot.trial)
