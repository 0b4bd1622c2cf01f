"""What a user is told: what runs next and why, why they wait, and what they can still expect."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tunewise.surrogate.normal import SAMPLES
from tunewise.tenancy.arms import Arms
from tunewise.tenancy.rules.board import Board
from tunewise.tenancy.tenant import Tenant


@dataclass(frozen=True)
class Pick:
    """One model of one user, to be trained now.

    Attributes:
        user: Whose model.
        model: Which one.
        fraction: On how much of the user's data; below 1 it is an early slice.
        why: One sentence for the user.
        seconds: How long it is expected to take on a device of speed 1.
        device: Where it runs; None where the scheduler was told of no devices.
        number: Counts the picks of a scheduler from 0.
        low: The score that it reaches with 95 %, on the user's own scale.
        high: The score that it stays below with 95 %.
    """

    user: str
    model: str
    fraction: float
    why: str
    seconds: float = float("nan")
    device: str | None = None
    number: int = -1
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class Outlook:
    """Where a user stands.

    Attributes:
        best: The best score so far, on the user's own scale; None before the first model.
        model: What would be trained next for the user; None where nothing is open.
        fraction: On how much of the data.
        expected: The best score to expect once that model is trained.
        seconds: How long that takes once it starts, at a speed of 1.
        when: In how many seconds it is trained, should things stay as they are: after what runs,
            and after the next model of each user who comes first.
        reach: The best score to expect once every open model is trained.
        ahead: How many users come first as things stand.
        longest_wait: The user is served within this many picks, whatever happens; None: unbounded.
        why: One sentence: why they are next, or why they wait.
    """

    best: float | None
    model: str | None
    fraction: float | None
    expected: float
    seconds: float
    when: float
    reach: float
    ahead: int
    longest_wait: int | None
    why: str


class Queue(NamedTuple):
    """What comes before a user: how many users, their seconds, and the fastest device's speed."""

    ahead: int
    seconds: float
    speed: float


def outlook(tenant: Tenant, arms: Arms, board: Board, queue: Queue, wait: int | None) -> Outlook:
    """What a user can expect as things stand."""
    own = tenant.score.own
    best = own(tenant.best) if tenant.measured else None
    if not tenant.waiting:
        hoped = own(tenant.hoped)
        return Outlook(best, None, None, hoped, 0.0, 0.0, hoped, 0, wait, _why_done(tenant))
    arm = int(board.arm[tenant.number])
    gain = float(tenant.latent.gain(tenant.believed()[[arm]], tenant.hoped)[0])
    seconds = float(tenant.seconds.expected[arm])
    return Outlook(
        best=best,
        model=arms.model(arm),
        fraction=arms.fraction(arm),
        expected=own(min(tenant.hoped + gain, 1.0)),
        seconds=seconds,
        when=queue.seconds + seconds / queue.speed,
        reach=own(_reach(tenant)),
        ahead=queue.ahead,
        longest_wait=wait,
        why=_why_waiting(queue.ahead, wait),
    )


def why(tenant: Tenant, arm: int, model: str, reason: str) -> str:
    """One sentence: what this model is expected to bring, and why this user is served now."""
    gain = float(tenant.latent.gain(tenant.believed()[[arm]], tenant.hoped)[0])
    seconds, own = tenant.seconds.expected[arm], tenant.score.own
    then = own(min(tenant.hoped + gain, 1.0))
    rise = f"is expected to take the best from {own(tenant.best):.3f} to {then:.3f}"
    if not tenant.measured:
        rise = f"is the first, expected at {then:.3f}"
    return f"{model} {rise} in {seconds:.3g} s; {reason}"


def likely(tenant: Tenant, arm: int) -> tuple[float, float]:
    """The ends of the interval that holds a model's score with 90 %, the worse one first."""
    belief = tenant.believed()[[arm]]
    ends = belief.mean + np.array([-1.645, 1.645]) * belief.std
    low, high = np.clip(tenant.latent.accuracy(ends), 0.0, 1.0)
    return tenant.score.own(float(low)), tenant.score.own(float(high))


def _reach(tenant: Tenant) -> float:
    """The best to expect of all open models together, by draws from the joint belief."""
    joint = tenant.joint()
    at = np.flatnonzero(tenant.open)
    root = np.linalg.cholesky(joint.covariance[np.ix_(at, at)] + 1e-9 * np.eye(len(at)))
    draws = np.random.default_rng(0).standard_normal((SAMPLES, len(at)))
    outcomes = tenant.latent.accuracy(joint.mean[at] + draws @ root.T).max(axis=1)
    return float(np.clip(np.maximum(outcomes, tenant.hoped), 0.0, 1.0).mean())


def _why_done(tenant: Tenant) -> str:
    if tenant.late is not None:
        return "nothing that is left can end before the deadline"
    if tenant.failed:
        return "every model that suits the user was trained, failed, or is running"
    if not tenant.measured and not tenant.running:
        return "no model is open to the user"
    return "every model that suits the user was trained or is running"


def _why_waiting(ahead: int, wait: int | None) -> str:
    if ahead == 0:
        return "no other user comes first"
    others = "user comes" if ahead == 1 else "users come"
    bound = "" if wait is None else f"; you are served within {wait} picks"
    return f"{ahead} other {others} first as things stand{bound}"
