"""Managers by name."""

from collections.abc import Callable

from tunewise.errors import StudyError, nearest
from tunewise.online.managers.manager import Manager
from tunewise.online.managers.pace import PaceManager
from tunewise.online.managers.selftf import SelfTf, check_end
from tunewise.online.until import Until
from tunewise.space import Config, Space

_PROGRESS = {
    "selftf": "stateful",
    "selftf_stateless": "stateless",
    "selftf_since_switch": "since_switch",
}
"""How each of the thesis' managers estimates progress."""

NAMES = ("pace", *_PROGRESS)

Each = int | Callable[[Config], int] | None


def check_manager(manager: str | Manager, until: Until | None = None) -> None:
    """Refuse a name that is no manager's, what does not decide, and an end that it cannot have."""
    if isinstance(manager, str) and manager not in NAMES:
        raise StudyError(f"unknown manager {manager!r}{nearest(manager, NAMES)}")
    answers = (getattr(manager, name, None) for name in ("first", "due", "decide"))
    if not isinstance(manager, str) and not all(map(callable, answers)):
        raise StudyError(
            f"manager is {manager!r}; expected one of {', '.join(NAMES)}, or an object of your own"
            " with first, due and decide"
        )
    if manager in _PROGRESS and until is not None:
        check_end(until)


def thesis_manager(
    name: str,
    space: Space,
    until: Until,
    each: Each,
    seed: int,
    *,
    m: int = 20,
    least: float = 0.0,
    rate: str = "sublinear",
) -> SelfTf:
    """The thesis' manager of a name.

    Raises:
        ProblemError: The training has no target loss, or none above the least one.
    """
    return SelfTf(space, until, each, m, _PROGRESS[name], least, rate, seed)


def manager_named(manager: str | Manager, ours: PaceManager, each: Each) -> Manager:
    """The manager of a name, or the manager itself; `ours` knows the training.

    `each` is what was told of the iterations of a try, None where nothing was.
    """
    if not isinstance(manager, str):
        return manager
    if manager == "pace":
        return ours
    return thesis_manager(manager, ours.space, ours.until, each, ours.seed)
