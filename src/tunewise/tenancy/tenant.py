"""One user of the scheduler: what is open, what is believed, what runs and what was measured."""

import numpy as np
from numpy.typing import NDArray

from tunewise.surrogate import Array, Normal
from tunewise.surrogate.finite_gaussian import FiniteGaussian, blocks
from tunewise.surrogate.growing_gaussian import GrowingGaussian
from tunewise.tenancy.foresight import Curves
from tunewise.tenancy.latent import Latent
from tunewise.tenancy.priors.prior import AccuracyPrior
from tunewise.tenancy.priors.seconds import Seconds
from tunewise.tenancy.score import Score


class Tenant:
    """A user's state. Until the first measurement it holds nothing of the size of the models.

    Attributes:
        number: Counts the users in the order in which they joined.
        own: (A,) arms that suit the user, tried or not.
        open: (A,) arms that may still be started.
        best: The best score so far on the scale of accuracy; 0 before the first model.
        count: How many models were started for the user.
        running: Arms that were started and not yet told, by the number of their pick.
        late: (A,) arms that are closed because they would end after the deadline; None: none are.
    """

    def __init__(
        self,
        name: str,
        number: int,
        prior: AccuracyPrior,
        latent: Latent,
        seconds: Seconds,
        open_: NDArray[np.bool_],
        features: Array | None,
        *,
        weight: float = 1.0,
        deadline: float | None = None,
        joined: float = 0.0,
        score: Score,
        pool: str | None = None,
    ) -> None:
        """A user who has just joined."""
        self.name, self.number = name, number
        self.prior, self.latent, self.seconds = prior, latent, seconds
        self.own, self.open, self.features = open_.copy(), open_, features
        self.weight, self.deadline, self.joined = weight, deadline, joined
        self.score, self.pool = score, pool
        self.best, self.count = 0.0, 0
        self.late: NDArray[np.bool_] | None = None
        self.running: dict[int, int] = {}
        self.measured: list[tuple[int, float]] = []
        self._outdated: list[tuple[int, float]] = []
        self._failed: set[int] = set()
        self._told: GrowingGaussian | None = None
        self._imagined: GrowingGaussian | None = None

    @property
    def waiting(self) -> bool:
        """Whether anything is open."""
        return bool(self.open.any())

    @property
    def failed(self) -> bool:
        """Whether any model could not be trained."""
        return bool(self._failed)

    @property
    def hoped(self) -> float:
        """The best score to expect once everything that runs has ended."""
        if not self.running:
            return self.best
        arms = list(self.running.values())
        gains = self.latent.gain(self._scaled(self._known())[arms], self.best)
        return min(self.best + float(gains.max()), 1.0)

    def believed(self) -> Normal:
        """About each arm, on the latent scale: what runs is imagined to end as expected."""
        return self._scaled(self._imagined or self._known())

    def joint(self) -> FiniteGaussian:
        """About all arms at once, on the latent scale."""
        belief = self._imagined or self._known()
        if isinstance(belief, FiniteGaussian):
            return belief
        return FiniteGaussian(belief.mean, self._scale**2 * belief.covariance())

    def curves(self) -> Curves:
        """About each model's learning curve, on the latent scale."""
        slices, belief = self._slices, self._imagined or self._known()
        mean, noise = (part.reshape(slices, -1) for part in (belief.mean, self.prior.noise))
        if isinstance(belief, FiniteGaussian):
            return Curves(mean, blocks(belief.covariance, slices), noise)
        return Curves(mean, self._scale**2 * belief.blocks(slices), noise)

    def start(self, pick: int, arm: int) -> None:
        """An arm runs: it and smaller slices of the same model are no longer open."""
        self.relax()
        self.open[self._up_to(arm)] = False
        self.running[pick] = arm
        self.count += 1
        self._imagine()

    def tell(self, pick: int, accuracy: float) -> int:
        """An arm ended with this score on the scale of accuracy."""
        arm = self.running.pop(pick)
        if self._told is None:
            self._told = GrowingGaussian(self.prior.of_user(self.features))
        value = float(self.latent.of(accuracy))
        self._told.add(arm, value, float(self.prior.noise[arm]))
        self.measured.append((arm, accuracy))
        self.best = max(self.best, accuracy)
        self._imagine()
        return arm

    def fail(self, pick: int) -> int:
        """An arm ended without a model: larger slices of the same model are not tried either."""
        self.relax()
        arm = self.running.pop(pick)
        self.open[arm :: len(self.open) // self._slices] = False
        self._failed.add(arm)
        self._imagine()
        return arm

    def cancel(self, pick: int) -> None:
        """An arm ended without anything learned: it is open again, as are smaller slices."""
        arm = self.running.pop(pick)
        wanted = np.zeros(len(self.open), bool)
        wanted[self._up_to(arm)] = True
        self.reopen(wanted)
        self._imagine()

    def outdate(self, arms: NDArray[np.bool_]) -> None:
        """The data have changed: arms (A,) are open again, failed ones too.

        What they measured is as sure as the prior was, and no more.
        """
        self._outdated = [(a, v) for a, v in self._outdated if not arms[a]]
        self._outdated += [(arm, value) for arm, value in self.measured if arms[arm]]
        self.measured = [(arm, value) for arm, value in self.measured if not arms[arm]]
        self._failed = {arm for arm in self._failed if not arms[arm]}
        self._relearn()
        self.reopen(arms)
        self._imagine()

    def hurry(self, now: float, speed: float) -> bool:
        """Close what cannot end before the deadline at this speed; whether anything changed."""
        assert self.deadline is not None
        before = self.open.copy()
        self.relax()
        late = self.open & (self.seconds.expected > (self.deadline - now) * speed)
        self.late = late if late.any() else None
        self.open &= ~late
        return bool((before != self.open).any())

    def urgency(self, now: float) -> float:
        """How much more the user's gains count as the deadline comes near."""
        if self.deadline is None:
            return 1.0
        whole = max(self.deadline - self.joined, 1e-9)
        return 1 / max((self.deadline - now) / whole, 0.05)

    def relax(self) -> None:
        """Open again what was closed for being late: run times may have been learned since."""
        if self.late is not None:
            self.open |= self.late
            self.late = None

    def reopen(self, arms: NDArray[np.bool_]) -> None:
        """Offer arms (A,) again, but for what was tried, smaller slices of it, and what failed."""
        self.relax()
        self.own |= arms
        models, wanted = len(self.open) // self._slices, arms.copy()
        for arm in (*(arm for arm, _ in self.measured), *self.running.values()):
            wanted[self._up_to(arm)] = False
        for arm in self._failed:
            wanted[arm % models :: models] = False
        self.open |= wanted

    def renew(
        self,
        prior: AccuracyPrior,
        seconds: Seconds,
        features: Array | None,
        open_: NDArray[np.bool_],
        arms: NDArray[np.intp],
    ) -> None:
        """Move to a larger set of arms; `arms` says where each old arm went."""
        own = open_.copy()
        own[arms] |= self.own
        self.prior, self.seconds, self.features = prior, seconds, features
        self.own, self.open = own, open_
        self.measured = [(int(arms[arm]), accuracy) for arm, accuracy in self.measured]
        self.running = {pick: int(arms[a]) for pick, a in self.running.items()}
        self._outdated = [(int(arms[arm]), accuracy) for arm, accuracy in self._outdated]
        self._failed = {int(arms[arm]) for arm in self._failed}
        self._relearn()
        self._imagine()

    def _relearn(self) -> None:
        """The belief from all that was measured, of which some is outdated."""
        self._told = None
        if not self.measured and not self._outdated:
            return
        prior = self.prior.of_user(self.features)
        self._told = GrowingGaussian(prior)
        for arm, accuracy in self._outdated:
            unsure = float(self.prior.noise[arm] + prior.variance[arm])
            self._told.add(arm, float(self.latent.of(accuracy)), unsure)
        for arm, accuracy in self.measured:
            self._told.add(arm, float(self.latent.of(accuracy)), float(self.prior.noise[arm]))

    def _up_to(self, arm: int) -> slice:
        """An arm, and smaller slices of the same model."""
        models = len(self.open) // self._slices
        return slice(arm % models, arm + 1, models)

    @property
    def _slices(self) -> int:
        return max(self.prior.slices, 1)

    @property
    def _scale(self) -> float:
        """By what the user's standard deviations differ from those of the prior's users."""
        if self._told is None:
            return 1.0
        return self.prior.scale(self._told.surprise, self._told.count)

    def _known(self) -> FiniteGaussian | GrowingGaussian:
        """The belief from what was measured."""
        return self._told or self.prior.of_user(self.features)

    def _scaled(self, belief: FiniteGaussian | GrowingGaussian) -> Normal:
        return Normal(belief.mean, self._scale * np.sqrt(belief.variance))

    def _imagine(self) -> None:
        """Pretend that what runs ends as expected (the hallucinations of GP-BUCB)."""
        self._imagined = None
        if not self.running:
            return
        known = self._told or GrowingGaussian(self.prior.of_user(self.features))
        imagined = known.copy()
        for arm in self.running.values():
            imagined.add(arm, float(imagined.mean[arm]), float(self.prior.noise[arm]))
        self._imagined = imagined
