"""Whose model is trained next: users join and leave, models run, and everyone is told why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunewise.errors import TenancyError, nearest
from tunewise.tenancy import checks
from tunewise.tenancy.devices import Device, Devices
from tunewise.tenancy.log import Log
from tunewise.tenancy.offer import Moved, Offer
from tunewise.tenancy.outlook import Outlook, Pick, likely, outlook, why
from tunewise.tenancy.pools import Pool, Pools
from tunewise.tenancy.priors.seconds import Seconds
from tunewise.tenancy.rules.rule import Setting
from tunewise.tenancy.rules.spec import RuleSpec
from tunewise.tenancy.score import Score
from tunewise.tenancy.tenant import Tenant


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
        self._spec = RuleSpec.of(rule)
        kind = self._spec.rule
        self._latent, self._relative = kind.latent, objective == "relative"
        self._rng = np.random.default_rng(checks.whole(seed, f"seed is {seed!r}", least=0))
        self._offer = Offer(models, checks.fractions(fractions), log, kind, order)
        self._devices = Devices(devices)
        rounds = kind.patience if patience is None else patience
        self._pools = Pools(lambda: self._spec.build(self._setting()), rounds, self._devices)
        self._tenants: dict[str, Tenant] = {}
        self._running: dict[int, Pick] = {}
        self._described: dict[str, Sequence[float]] = {}
        self._chosen: dict[str, set[str]] = {}
        self._whole: set[str] = set()
        self._joined = self._picks = 0
        self._now = 0.0
        self._clocked = False

    @property
    def users(self) -> list[str]:
        """Who is here, in the order of joining."""
        return list(self._tenants)

    @property
    def models(self) -> list[str]:
        """The candidate models."""
        return self._offer.models

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
        slices: bool = True,
        estimated: bool = False,
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
            slices: Whether models may be tried on a fraction of the user's data first.
            estimated: Whether seconds are estimates, corrected by a factor that is learned.
        """
        checks.user(user, weight, deadline)
        if user in self._tenants:
            raise TenancyError(f"user {user!r} is here already")
        self._devices.serving(pool, user)
        chosen = None if models is None else checks.names(models)
        if not slices:
            self._whole.add(user)
        arms, open_ = self._offer.arms, self._sliced(user, self._offer.among(chosen))
        given = None if seconds is None else arms.given(seconds)
        times = Seconds(arms.seconds, given, open_, estimated)
        described = None if features is None else checks.numbers(features, "features")
        tenant = Tenant(
            *(user, self._joined, arms.prior_of(chosen), self._latent, times, open_),
            self._offer.features(described, times),
            weight=weight,
            deadline=deadline,
            joined=self._now,
            score=Score.of(score),
            pool=pool,
        )
        self._tenants[user] = tenant
        if described is not None:
            self._described[user] = described
        if chosen is not None:
            self._chosen[user] = set(chosen)
        self._joined += 1
        self._pools.enter(tenant, self._now)

    def weigh(self, user: str, weight: float) -> None:
        """How much the user's gains count from now on."""
        tenant = self._tenant(user)
        checks.user(user, weight, tenant.deadline)
        if weight != tenant.weight:
            tenant.weight = weight
            self._pools.refresh(tenant, self._now)

    def leave(self, user: str) -> None:
        """Let a user go; what still runs for the user may be told all the same."""
        self._pools.leave(self._tenant(user))
        self._described.pop(user, None)
        self._chosen.pop(user, None)
        self._whole.discard(user)
        del self._tenants[user]

    def next(self, device: str | None = None, *, now: float | None = None) -> Pick | None:
        """Whose model runs next; None when nobody has anything open, or no device is free.

        Args:
            device: The device that is free; default: the fastest free one.
            now: Seconds since the scheduler began; default: the sum of what was told.
        """
        if now is not None:
            self._now, self._clocked = checks.number(now, f"now is {now!r}"), True
        self._pools.freshen(self._now)
        free = self._devices.free(device)
        places: list[Device | None] = [*free] if self._devices else [None]
        for place in places:
            pool = self._pool(None if place is None else place.pool)
            chosen = pool.choose()
            if chosen is not None:
                number, reason = chosen
                arm = int(pool.rule.board.arm[number])
                return self._begin(self._pools.member(number), arm, place, reason)
        return None

    def take(self, user: str, model: str, fraction: float = 1.0) -> Pick:
        """Start this model for this user, whoever decided so, such as another process."""
        tenant, arm = self._tenant(user), self._offer.arms.of(model, fraction)
        tenant.relax()
        if not tenant.open[arm]:
            raise TenancyError(f"{user}'s {model} at fraction {fraction:g} is not open")
        return self._begin(tenant, arm, None, "it was decided elsewhere")

    def cancel(self, pick: Pick) -> None:
        """A pick came to nothing, such as with its machine: it is open again for the user."""
        tenant = self._ended(pick, None)
        if tenant is not None:
            tenant.cancel(pick.number)
            self._pools.begin(tenant)
            self._pools.refresh(tenant, self._now)

    def reopen(self, user: str, models: Sequence[str] | None = None) -> None:
        """A user's data have changed: these models, or all, may be trained again.

        What they measured is kept as a prior.
        """
        tenant = self._tenant(user)
        chosen = self._chosen.get(user)
        wanted = list(chosen if chosen is not None else self.models) if models is None else models
        waited = tenant.waiting
        known = self._offer.among([name for name in wanted if name in self.models])
        tenant.outdate(self._sliced(user, known))
        if not waited:
            self._pools.begin(tenant)
        self._pools.refresh(tenant, self._now)

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
        self._pools.refresh(tenant, self._now)

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
        self._pools.refresh(tenant, self._now)

    def add_model(self, name: str, *, everyone: bool = False) -> None:
        """Offer one more model; the log may know it by name.

        Args:
            name: Of the model.
            everyone: Also to users who joined with a list of models that lacks it.
        """
        self.add_models([name], everyone=everyone)

    def add_models(self, names: Sequence[str], *, everyone: bool = False) -> None:
        """Offer several more models, which takes as long as one."""
        moved = self._offer.add(names)
        if everyone:
            for chosen in self._chosen.values():
                chosen.update(names)
        if moved is not None:
            self._pools.renew(self._setting())
        for tenant in self._tenants.values():
            waited = tenant.waiting
            if moved is not None:
                self._move(tenant, moved)
            if suiting := [name for name in names if self._suits(tenant, name)]:
                tenant.reopen(self._sliced(tenant.name, self._offer.among(suiting)))
            if not waited:
                self._pools.begin(tenant)
            self._pools.refresh(tenant, self._now)

    def remove_model(self, name: str) -> None:
        """Offer a model to nobody any more; what it taught stays."""
        gone = self._offer.remove(name)
        for tenant in self._tenants.values():
            tenant.relax()
            tenant.own &= ~gone
            tenant.open &= ~gone
            self._pools.refresh(tenant, self._now)

    def best(self, user: str) -> float | None:
        """A user's best score so far, on the user's own scale."""
        tenant = self._tenant(user)
        return tenant.score.own(tenant.best) if tenant.measured else None

    def outlook(self, user: str) -> Outlook:
        """What a user is told: what is next, why they wait, and what they can still expect."""
        tenant = self._tenant(user)
        self._pools.freshen(self._now)
        pool = self._pool(tenant.pool)
        wait = pool.patience.longest_wait(tenant.number)
        running = [
            pick
            for pick in self._running.values()
            if (member := self._tenants.get(pick.user)) and member.pool == tenant.pool
        ]
        queue = self._pools.queue(tenant, running)
        return outlook(tenant, self._offer.arms, pool.rule.board, queue, wait)

    def _begin(self, tenant: Tenant, arm: int, place: Device | None, reason: str) -> Pick:
        arms = self._offer.arms
        model, fraction = arms.model(arm), arms.fraction(arm)
        seconds = float(tenant.seconds.expected[arm])
        sentence = why(tenant, arm, model, reason)
        device = None if place is None else place.name
        ends = likely(tenant, arm)
        pick = Pick(tenant.name, model, fraction, sentence, seconds, device, self._picks, *ends)
        self._pools.start(tenant, arm, pick.number)
        self._running[pick.number] = pick
        self._devices.take(device)
        self._picks += 1
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
        if seconds is not None and not self._clocked:
            self._now += seconds
        tenant = self._tenants.get(pick.user)
        return tenant if tenant is not None and pick.number in tenant.running else None

    def _pool(self, name: str | None) -> Pool:
        return self._pools.of(name)

    def _setting(self) -> Setting:
        typical = self._offer.arms.seconds.typical
        return Setting(self._rng, typical, self._offer.ranks(), self._relative)

    def _move(self, tenant: Tenant, moved: Moved) -> None:
        """Take a user along to a larger set of arms."""
        arms = self._offer.arms
        tenant.relax()
        open_ = np.zeros(len(arms), bool)
        open_[moved.arms] = tenant.open
        open_[moved.added] = [self._suits(tenant, arms.model(arm)) for arm in moved.added]
        open_ = self._sliced(tenant.name, open_)
        seconds = tenant.seconds.moved(arms.seconds, moved.arms, open_)
        features = self._offer.features(self._described.get(tenant.name), seconds)
        chosen = self._chosen.get(tenant.name)
        prior = arms.prior_of(None if chosen is None else sorted(chosen))
        tenant.renew(prior, seconds, features, open_, moved.arms)

    def _sliced(self, user: str, arms: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The arms (A,) without those on a fraction, for a user who takes all data or none."""
        if user in self._whole:
            arms[: -len(self._offer.arms.models)] = False
        return arms

    def _suits(self, tenant: Tenant, model: str) -> bool:
        """Whether a user takes a model: all do who did not join with a list of their own."""
        return model in self._chosen.get(tenant.name, {model})

    def _tenant(self, user: str) -> Tenant:
        if user not in self._tenants:
            raise TenancyError(f"unknown user {user!r}{nearest(user, self._tenants)}")
        return self._tenants[user]


def _called(pick: Pick) -> str:
    """A pick in a sentence."""
    if not isinstance(pick, Pick):
        raise TenancyError(f"{pick!r} was told; expected a pick that `next` gave")
    return f"{pick.user}'s {pick.model}"
