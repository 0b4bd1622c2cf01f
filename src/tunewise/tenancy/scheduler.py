"""Whose model is trained next: users join and leave, models run, and everyone is told why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.errors import TenancyError, nearest
from tunewise.surrogate import Array
from tunewise.tenancy import checks
from tunewise.tenancy.arms import Arms
from tunewise.tenancy.devices import Device, Devices
from tunewise.tenancy.log import Log
from tunewise.tenancy.outlook import Outlook, Pick, Queue, outlook, why
from tunewise.tenancy.patience import Patience
from tunewise.tenancy.rules.rule import Rule, Setting
from tunewise.tenancy.rules.spec import RuleSpec
from tunewise.tenancy.score import Score
from tunewise.tenancy.seconds import Seconds
from tunewise.tenancy.tenant import Tenant

_OVERDUE = "the user has waited as long as anyone may"


@dataclass(frozen=True, eq=False)
class _Pool:
    rule: Rule
    patience: Patience


class Scheduler:
    """Chooses (user, model) again and again, so that everyone's accuracy rises soonest.

    Decisions are a function of the calls made and the seed. A user's belief depends on the log and
    on the user's own measurements, never on those of other users.
    """

    def __init__(
        self,
        models: Sequence[str],
        rule: str | RuleSpec = "hybrid",
        log: Log | None = None,
        seed: int = 0,
        *,
        devices: Iterable[Device] = (),
        fractions: Sequence[float] = (),
        patience: int | None = None,
        order: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        objective: str = "accuracy",
    ) -> None:
        """A scheduler without users.

        Args:
            models: The names of the candidate models.
            rule: Whose model is next; see `tunewise.tenancy.RULES`.
            log: What other users measured: the prior.
            seed: Of the rules that draw by chance.
            devices: What models run on; without any, every pick is given out at once.
            fractions: On which parts of a user's data a model may be tried first, below 1.
            patience: A user who waits is due after so many rounds of picks; default: what the rule
                promises, 20 with `hybrid` and nothing with the published rules.
            order: Models in a fixed order, for the rule `fixed_order`, or several such orders by
                name (the rule's option `by`); default: as in `models`.
            objective: "accuracy", or "relative" to the best that each user can expect.
        """
        if objective not in ("accuracy", "relative"):
            raise TenancyError(
                f"unknown objective {objective!r}{nearest(objective, ['accuracy', 'relative'])}"
            )
        models = checks.names(models)
        self._spec, self._fractions = RuleSpec.of(rule), checks.fractions(fractions)
        self._log = None if log is None else log.named(models)
        self._kind = self._spec.rule
        self._orders = checks.orders(order, models)
        self._relative = objective == "relative"
        self._rng = checks.generator(seed)
        self._arms = self._learned(models)
        self._retired: set[str] = set()
        self._devices = Devices(devices)
        self._rounds = self._kind.patience if patience is None else patience
        self._tenants: dict[str, Tenant] = {}
        self._by_number: dict[int, Tenant] = {}
        self._pools: dict[str | None, _Pool] = {}
        self._running: dict[int, Pick] = {}
        self._stale: dict[int, Tenant] = {}
        self._hurried: dict[str, Tenant] = {}
        self._described: dict[str, Sequence[float]] = {}
        self._chosen: dict[str, set[str]] = {}
        self._joined = self._picks = 0
        self._now = 0.0

    @property
    def users(self) -> list[str]:
        """Who is here, in the order of joining."""
        return list(self._tenants)

    @property
    def models(self) -> list[str]:
        """The candidate models."""
        return [name for name in self._arms.models if name not in self._retired]

    @property
    def running(self) -> list[Pick]:
        """What was given out and not yet told."""
        return list(self._running.values())

    def join(
        self,
        user: str,
        seconds: Mapping[Any, float] | None = None,
        *,
        models: Sequence[str] | None = None,
        features: Sequence[float] | None = None,
        weight: float = 1.0,
        deadline: float | None = None,
        score: str | Score = "accuracy",
        pool: str | None = None,
    ) -> None:
        """Let a user in.

        Args:
            user: A name that nobody else here has.
            seconds: Expected run times by model, or by (model, fraction), where known.
            models: The models that suit the user; default: all.
            features: Numbers about the user's data, as in the log.
            weight: How much the user's gains count.
            deadline: In the scheduler's seconds: gains after it count for nothing.
            score: What the user tells: "accuracy", "error", "similarity", or a `Score`.
            pool: The devices that serve the user.
        """
        if user in self._tenants:
            raise TenancyError(f"user {user!r} is here already")
        checks.user(user, weight, deadline)
        if self._devices and pool not in self._devices.pools:
            raise TenancyError(f"no device serves the pool {pool!r} of user {user!r}")
        arms = self._arms
        open_ = arms.among(models)
        open_ &= ~arms.among(sorted(self._retired))
        given = None if seconds is None else arms.given(seconds)
        times = Seconds(arms.seconds, given, open_)
        tenant = Tenant(
            user,
            self._joined,
            arms.prior,
            self._kind.latent,
            times,
            open_,
            self._features(features, times),
            weight=weight,
            deadline=deadline,
            joined=self._now,
            score=Score.of(score),
            pool=pool if self._devices else None,
        )
        self._tenants[user] = self._by_number[tenant.number] = tenant
        if features is not None:
            self._described[user] = features
        if models is not None:
            self._chosen[user] = set(models)
        self._joined += 1
        self._pool(tenant.pool).patience.begin(tenant.number, len(self._tenants))
        if deadline is not None:
            self._hurried[user] = tenant
        self._refresh(tenant)

    def leave(self, user: str) -> None:
        """Let a user go; what still runs for the user may be told all the same."""
        tenant = self._tenant(user)
        self._pool(tenant.pool).rule.left(tenant.number)
        self._hurried.pop(user, None)
        self._described.pop(user, None)
        self._chosen.pop(user, None)
        self._stale.pop(tenant.number, None)
        del self._tenants[user], self._by_number[tenant.number]

    def next(self, device: str | None = None, *, now: float | None = None) -> Pick | None:
        """Whose model runs next; None when nobody has anything open, or no device is free.

        Args:
            device: The device that is free; default: the fastest free one.
            now: Seconds since the scheduler began; default: the sum of what was told.
        """
        self._now = self._now if now is None else checks.number(now, f"now is {now!r}")
        self._mind_deadlines()
        self._freshen()
        free = self._devices.free(device)
        places: list[Device | None] = [*free] if self._devices else [None]
        for place in places:
            pool = self._pool(None if place is None else place.pool)
            due = pool.patience.overdue(pool.rule.board.waiting)
            number = pool.rule.pick() if due is None else due
            if number is not None:
                reason = pool.rule.why(number) if due is None else _OVERDUE
                return self._start(self._by_number[number], pool, place, reason)
        return None

    def tell(self, pick: Pick, accuracy: float, seconds: float | None = None) -> None:
        """A model was trained: its score on the user's own scale, and how long it took."""
        said = f"{_called(pick)} is told an accuracy of {accuracy!r}: call fail where there is none"
        accuracy = checks.number(accuracy, said)
        here = self._tenants.get(pick.user)
        unit = 0.0 if here is None else here.score.unit(accuracy)
        tenant = self._ended(pick, seconds)
        if tenant is None:
            return
        arm = tenant.tell(pick.number, unit)
        if seconds is not None:
            tenant.seconds.told(arm, seconds)
        self._pool(tenant.pool).rule.told(tenant, arm, unit)
        self._refresh(tenant)

    def fail(self, pick: Pick, seconds: float | None = None) -> None:
        """A model could not be trained; it is not tried again for this user.

        It would have taken at least these seconds: longer than expected teaches the other models'.
        """
        tenant = self._ended(pick, seconds)
        if tenant is None:
            return
        arm = tenant.fail(pick.number)
        if seconds is not None and seconds > tenant.seconds.expected[arm]:
            tenant.seconds.told(arm, seconds)
        self._refresh(tenant)

    def add_model(self, name: str, *, everyone: bool = False) -> None:
        """Offer one more model; the log may know it by name.

        Args:
            name: Of the model.
            everyone: Also to users who joined with a list of models that lacks it.
        """
        self._retired.discard(name)
        if everyone:
            for chosen in self._chosen.values():
                chosen.add(name)
        if name not in self._arms.models:
            self._move([*self._arms.models, name])
            return
        for tenant in self._tenants.values():
            waited = tenant.waiting
            if self._suits(tenant, name):
                tenant.reopen(self._arms.among([name]))
            self._welcome(tenant, waited)

    def remove_model(self, name: str) -> None:
        """Offer a model to nobody any more; what it taught stays."""
        gone = self._arms.among([name])
        self._retired.add(name)
        for tenant in self._tenants.values():
            tenant.relax()
            tenant.open &= ~gone
            self._refresh(tenant)

    def best(self, user: str) -> float | None:
        """A user's best score so far, on the user's own scale."""
        tenant = self._tenant(user)
        return tenant.score.own(tenant.best) if tenant.measured else None

    def outlook(self, user: str) -> Outlook:
        """What a user is told: what is next, why they wait, and what they can still expect."""
        tenant = self._tenant(user)
        self._mind_deadlines()
        self._freshen()
        pool = self._pool(tenant.pool)
        wait = pool.patience.longest_wait(tenant.number)
        return outlook(tenant, self._arms, pool.rule.board, self._queue(tenant), wait)

    def _queue(self, tenant: Tenant) -> Queue:
        """Whose next models come first, and how long all that takes with what runs already."""
        board = self._pool(tenant.pool).rule.board
        first = board.waiting & (board.value > board.value[tenant.number])
        ahead = [self._by_number[number] for number in np.flatnonzero(first).tolist()]
        seconds = sum(float(t.seconds.expected[board.arm[t.number]]) for t in ahead)
        members = self._tenants.get
        running = [
            p for p in self._running.values() if (m := members(p.user)) and m.pool == tenant.pool
        ]
        seconds += sum(pick.seconds for pick in running)
        return Queue(
            len(ahead),
            seconds / self._devices.speed(tenant.pool),
            self._devices.fastest(tenant.pool),
        )

    def _start(self, tenant: Tenant, pool: "_Pool", place: Device | None, reason: str) -> Pick:
        arm = int(pool.rule.board.arm[tenant.number])
        model, fraction = self._arms.model(arm), self._arms.fraction(arm)
        seconds = float(tenant.seconds.expected[arm])
        sentence = why(tenant, arm, model, reason)
        device = None if place is None else place.name
        pick = Pick(tenant.name, model, fraction, sentence, seconds, device, self._picks)
        pool.rule.picked(tenant, arm)
        tenant.start(pick.number, arm)
        self._running[pick.number] = pick
        self._devices.take(device)
        self._picks += 1
        pool.patience.served(tenant.number, len(self._tenants))
        # Often the model is told before anyone asks again, and all of this changes once more.
        self._stale[tenant.number] = tenant
        return pick

    def _ended(self, pick: Pick, seconds: float | None) -> Tenant | None:
        """Take a pick back; None where its user has left."""
        called = _called(pick)
        if self._running.get(pick.number) != pick:
            raise TenancyError(f"{called} is not running: tell each pick once")
        if seconds is not None:
            seconds = checks.number(seconds, f"seconds is {seconds!r}", least=0)
        del self._running[pick.number]
        self._devices.release(pick.device)
        self._now += 0.0 if seconds is None else seconds
        tenant = self._tenants.get(pick.user)
        return tenant if tenant is not None and pick.number in tenant.running else None

    def _mind_deadlines(self) -> None:
        """Close what cannot end in time, and let those who run out of time come sooner."""
        for tenant in self._hurried.values():
            assert tenant.deadline is not None
            speed = self._devices.fastest(tenant.pool)
            if tenant.hurry((tenant.deadline - self._now) * speed):
                self._refresh(tenant)
            else:
                self._pool(tenant.pool).rule.hasten(tenant.number, self._urgency(tenant))

    def _freshen(self) -> None:
        for tenant in list(self._stale.values()):
            self._refresh(tenant)

    def _refresh(self, tenant: Tenant) -> None:
        self._stale.pop(tenant.number, None)
        self._pool(tenant.pool).rule.changed(tenant, self._urgency(tenant))

    def _urgency(self, tenant: Tenant) -> float:
        """How much more a user's gains count as the deadline comes near."""
        if tenant.deadline is None:
            return 1.0
        whole = max(tenant.deadline - tenant.joined, 1e-9)
        return 1 / max((tenant.deadline - self._now) / whole, 0.05)

    def _features(self, given: Sequence[float] | None, seconds: Seconds) -> Array | None:
        """What is known of a user's data, where the rule makes anything of it."""
        return self._arms.features(given, seconds.features) if self._kind.features else None

    def _learned(self, models: Sequence[str]) -> Arms:
        rule = self._kind
        return Arms(
            models,
            self._fractions,
            self._log,
            rule.latent,
            spread=rule.spread,
            features=rule.features,
        )

    def _pool(self, name: str | None) -> "_Pool":
        if name not in self._pools:
            rule = self._spec.build(self._setting())
            self._pools[name] = _Pool(rule, Patience(self._rounds))
        return self._pools[name]

    def _setting(self) -> Setting:
        orders = {name: self._arms.ranks(order) for name, order in self._orders.items()}
        return Setting(self._rng, self._arms.seconds.typical, orders, self._relative)

    def _move(self, models: Sequence[str]) -> None:
        """Learn anew over these models, and take everyone along."""
        old, self._arms = self._arms, self._learned(models)
        places = [self._arms.of(old.model(arm), old.fraction(arm)) for arm in range(len(old))]
        arms = np.array(places, np.intp)
        added = np.setdiff1d(np.arange(len(self._arms)), arms)
        for pool in self._pools.values():
            pool.rule.setting = self._setting()
        for tenant in self._tenants.values():
            tenant.relax()
            open_ = np.zeros(len(self._arms), bool)
            open_[arms] = tenant.open
            open_[added] = [self._suits(tenant, self._arms.model(arm)) for arm in added]
            waited = tenant.waiting
            seconds = tenant.seconds.moved(self._arms.seconds, arms, open_)
            features = self._features(self._described.get(tenant.name), seconds)
            tenant.renew(self._arms.prior, seconds, features, open_, arms)
            self._welcome(tenant, waited)

    def _suits(self, tenant: Tenant, model: str) -> bool:
        """Whether a user takes a model: all do who did not join with a list of their own."""
        return model in self._chosen.get(tenant.name, {model})

    def _welcome(self, tenant: Tenant, waited: bool) -> None:
        """A user has more to choose from: a wait begins where there was none."""
        if not waited:
            self._pool(tenant.pool).patience.begin(tenant.number, len(self._tenants))
        self._refresh(tenant)

    def _tenant(self, user: str) -> Tenant:
        if user not in self._tenants:
            raise TenancyError(f"unknown user {user!r}{nearest(user, self._tenants)}")
        return self._tenants[user]


def _called(pick: Pick) -> str:
    """A pick in a sentence."""
    if not isinstance(pick, Pick):
        raise TenancyError(f"{pick!r} was told; expected a pick that `next` gave")
    return f"{pick.user}'s {pick.model}"
