"""What a rule is: it keeps a board of users, and picks whose model is trained next."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunewise.errors import TenancyError, nearest
from tunewise.surrogate import Array
from tunewise.tenancy.checks import flag
from tunewise.tenancy.latent import PLAIN, Latent
from tunewise.tenancy.rules.beta import Everyone, checked, of_algorithms, of_theorems
from tunewise.tenancy.rules.board import Board
from tunewise.tenancy.tenant import Tenant
from tunewise.tenancy.worth import WORTHS, Chance


@dataclass(frozen=True, eq=False)
class Setting:
    """What a rule is given of the scheduler.

    Attributes:
        rng: Seeded chance.
        typical: The seconds that cost 1.
        orders: By name, (A,) rank of each model in a fixed order, the first 0; "" is the default.
        relative: Count a user's gains as shares of the best that the user can expect.
    """

    rng: np.random.Generator
    typical: float
    orders: Mapping[str, Array]
    relative: bool = False


class Rule(ABC):
    """Whose model is trained next. One object serves one pool of users.

    Class attributes say on what belief a rule stands: `latent` is the scale of accuracy, `spread`
    whether users may differ in spread, `features` whether run times and features move the prior.
    `worth` is the rule for models, `by` the name of the order that it goes by where it is "order",
    and `patience` the rounds within which everyone is served, where the rule promises that.
    """

    latent: Latent = PLAIN
    spread = False
    features = False
    worth = "ucb"
    by = ""
    patience: int | None = None

    def __init__(
        self,
        setting: Setting,
        *,
        model: str | None = None,
        cost_aware: bool = True,
        delta: float = 0.1,
        beta: str = "algorithms",
    ) -> None:
        """Options that all rules share.

        Args:
            setting: What the scheduler gives.
            model: The rule for models: ucb, ei, pi, or order.
            cost_aware: Whether costs count; without, every model costs 1.
            delta: With what probability the confidence bounds may fail.
            beta: Width of the bounds: of the algorithms, or of the theorems.
        """
        self.setting, self.delta = setting, delta
        self.cost_aware = flag(cost_aware, "cost_aware")
        self.model = self.worth if model is None else model
        if self.model not in WORTHS:
            raise TenancyError(f"unknown rule for models {model!r}{nearest(self.model, WORTHS)}")
        if self.by not in setting.orders:
            named = sorted(name for name in setting.orders if name)
            told = nearest(self.by, named) if named else f"; give order={{{self.by!r}: [...]}}"
            raise TenancyError(f"unknown order {self.by!r}{told}")
        checked(beta, delta)
        self._by_theorems = beta == "theorems"
        self._everyone: Everyone | None = None
        self.board = Board()

    @abstractmethod
    def pick(self) -> int | None:
        """The number of the user who is served next; None where nobody waits."""

    def changed(self, tenant: Tenant, urgency: float = 1.0) -> None:
        """Something about a user changed: find the user's next arm, and what it is worth."""
        board, number = self.board, tenant.number
        board.admit(number)
        board.waiting[number] = tenant.waiting
        board.served[number] = tenant.count > 0
        board.here[number] = True
        board.models[number] = max(int(tenant.own.sum()), 1)
        board.dearest[number] = float(self.cost(tenant)[tenant.own].max(initial=0.0))
        if tenant.waiting:
            scores = np.where(tenant.open, self.scores(tenant), -np.inf)
            board.arm[number] = arm = int(scores.argmax())
            board.calm[number] = tenant.weight * self.value(tenant, float(scores[arm]))
            self.hasten(number, urgency)

    def hasten(self, number: int, urgency: float) -> None:
        """A user's deadline came nearer: the gains count this many times."""
        self.board.value[number] = urgency * self.board.calm[number]

    def value(self, tenant: Tenant, score: float) -> float:
        """What serving the user is worth, given the highest score of the user's arms.

        For bounds it is the gap between the highest bound and the best so far (line 8).
        """
        return score - tenant.hoped if self.model == "ucb" else score

    def picked(self, tenant: Tenant, arm: int) -> None:  # noqa: B027 - most rules need not know
        """An arm was started; called before the belief imagines its end."""

    def told(self, tenant: Tenant, arm: int, accuracy: float) -> None:  # noqa: B027 - as above
        """An arm ended; called before `changed`."""

    def left(self, number: int) -> None:
        """A user is gone."""
        board = self.board
        board.waiting[number] = board.seen[number] = board.here[number] = False

    def outdated(self) -> bool:
        """Whether what bounds take of all users has changed since this was last asked."""
        if not self._by_theorems:
            return False
        before, self._everyone = self._everyone, self.everyone()
        return before != self._everyone

    def everyone(self) -> Everyone:
        """How many users are here, and the most models and the dearest model of any of them."""
        here, board = self.board.here, self.board
        most, dearest = (float(c[here].max(initial=0.0)) for c in (board.models, board.dearest))
        return Everyone(int(here.sum()), most, dearest)

    def scores(self, tenant: Tenant) -> Array:
        """What each of a user's arms is worth, (A,)."""
        return WORTHS[self.model](self.chance(tenant))

    def chance(self, tenant: Tenant) -> Chance:
        """What the rule for models is given."""
        step, models = tenant.count + 1, float(self.board.models[tenant.number])
        if self._by_theorems:
            beta = of_theorems(self.everyone(), step, self.delta)
        else:
            beta = of_algorithms(models, step, self.delta)
        belief, best, cost = tenant.believed(), tenant.hoped, self.cost(tenant)
        return Chance(belief, tenant.latent, best, cost, beta, self.order())

    def order(self) -> Array:
        """The rank of each arm in a fixed order of models, (A,)."""
        return self.setting.orders[self.by]

    def cost(self, tenant: Tenant) -> Array:
        """Expected cost of each arm in units of a typical model, or 1 for all, (A,)."""
        if not self.cost_aware:
            return np.ones(len(tenant.open))
        return np.asarray(tenant.seconds.expected / self.setting.typical, float)

    def why(self, number: int) -> str:
        """Why this user is served now, as the end of a sentence."""
        return "it is the user's turn"
