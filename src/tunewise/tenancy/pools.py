"""Who shares which devices: each pool has a rule of its own, and a floor for everyone."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.tenancy.devices import Devices
from tunewise.tenancy.outlook import Pick, Queue
from tunewise.tenancy.rules.rule import Rule, Setting
from tunewise.tenancy.tenant import Tenant
from tunewise.tenancy.waits import Waits


@dataclass(frozen=True, eq=False)
class Pool:
    """The users of some devices: who is preferred, and who is due."""

    rule: Rule
    patience: Waits

    def choose(self) -> tuple[int, str] | None:
        """The number of the user who is served next, and why; None where nobody waits."""
        due = self.patience.overdue(self.rule.board.waiting)
        if due is not None:
            return due, "the user has waited as long as anyone may"
        number = self.rule.pick()
        return None if number is None else (number, self.rule.why(number))


class Pools:
    """All pools, and the users who are in them."""

    def __init__(self, made: Callable[[], Rule], rounds: int | None, devices: Devices) -> None:
        """Each pool gets a rule of its own, and serves everyone within so many rounds."""
        self._made, self._rounds, self._devices = made, rounds, devices
        # What the rule and the patience are told is checked before anyone joins.
        self._all: dict[str | None, Pool] = {None: self._new()}
        self._members: dict[int, Tenant] = {}
        self._stale: dict[int, Tenant] = {}
        self._hurried: dict[int, Tenant] = {}

    def of(self, name: str | None) -> Pool:
        """The pool of this name, or that of users without one."""
        if name not in self._all:
            self._all[name] = self._new()
        return self._all[name]

    def member(self, number: int) -> Tenant:
        """The user with this number."""
        return self._members[number]

    def renew(self, setting: Setting) -> None:
        """The models on offer have changed."""
        for pool in self._all.values():
            pool.rule.setting = setting

    def enter(self, tenant: Tenant, now: float) -> None:
        """A user comes."""
        self._members[tenant.number] = tenant
        if tenant.deadline is not None:
            self._hurried[tenant.number] = tenant
        self.begin(tenant)
        self.refresh(tenant, now)

    def leave(self, tenant: Tenant) -> None:
        """A user goes."""
        self.of(tenant.pool).rule.left(tenant.number)
        del self._members[tenant.number]
        for kept in (self._hurried, self._stale):
            kept.pop(tenant.number, None)

    def begin(self, tenant: Tenant) -> None:
        """A wait begins: the user has come, or has something open again."""
        self.of(tenant.pool).patience.begin(tenant.number, len(self._members))

    def start(self, tenant: Tenant, arm: int, pick: int) -> None:
        """A model of the user starts."""
        pool = self.of(tenant.pool)
        pool.rule.picked(tenant, arm)
        tenant.start(pick, arm)
        pool.patience.served(tenant.number, len(self._members))
        # Often the model is told before anyone asks again, and all of this changes once more.
        self._stale[tenant.number] = tenant

    def refresh(self, tenant: Tenant, now: float) -> None:
        """Something about a user has changed."""
        self._stale.pop(tenant.number, None)
        self.of(tenant.pool).rule.changed(tenant, tenant.urgency(now))

    def freshen(self, now: float) -> None:
        """Bring the rules up to date, with what time has changed."""
        for tenant in self._hurried.values():
            if tenant.hurry(now, self._devices.fastest(tenant.pool)):
                self.refresh(tenant, now)
            else:
                self.of(tenant.pool).rule.hasten(tenant.number, tenant.urgency(now))
        for tenant in list(self._stale.values()):
            self.refresh(tenant, now)
        for name, pool in self._all.items():
            if pool.rule.outdated():
                for tenant in self._members.values():
                    if tenant.pool == name:
                        self.refresh(tenant, now)

    def queue(self, tenant: Tenant, running: list[Pick]) -> Queue:
        """Whose next models come first, and how long all that takes with what runs already."""
        board, devices = self.of(tenant.pool).rule.board, self._devices
        first = board.waiting & (board.value > board.value[tenant.number])
        ahead = [self._members[number] for number in np.flatnonzero(first).tolist()]
        seconds = sum(float(t.seconds.expected[board.arm[t.number]]) for t in ahead)
        seconds += sum(pick.seconds for pick in running)
        speed = devices.speed(tenant.pool)
        return Queue(len(ahead), seconds / speed, devices.fastest(tenant.pool))

    def _new(self) -> Pool:
        return Pool(self._made(), Waits(self._rounds))
