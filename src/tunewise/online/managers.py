"""Managers by name."""

from tunewise.errors import StudyError, nearest
from tunewise.online.manager import Manager
from tunewise.online.pace_manager import PaceManager
from tunewise.online.selftf import SelfTf

NAMES = ("pace", "selftf", "selftf_stateless")


def check_manager(manager: str | Manager) -> None:
    """Refuse a name that is no manager's, and what does not decide."""
    if isinstance(manager, str) and manager not in NAMES:
        raise StudyError(f"unknown manager {manager!r}{nearest(manager, NAMES)}")
    answers = (getattr(manager, name, None) for name in ("first", "due", "decide"))
    if not isinstance(manager, str) and not all(map(callable, answers)):
        raise StudyError(
            f"manager is {manager!r}; expected one of {', '.join(NAMES)}, or an object of your own"
            " with first, due and decide"
        )


def manager_named(manager: str | Manager, ours: PaceManager) -> Manager:
    """The manager of a name, or the manager itself; `ours` knows the training."""
    if not isinstance(manager, str):
        return manager
    if manager == "pace":
        return ours
    check_manager(manager)
    progress = "stateless" if manager == "selftf_stateless" else "stateful"
    return SelfTf(ours.space, ours.until, ours.each, progress=progress, seed=ours.seed)
