"""Managers by name."""

from tunewise.errors import StudyError, nearest
from tunewise.online.manager import Manager
from tunewise.online.pace_manager import PaceManager
from tunewise.online.selftf import SelfTf

NAMES = ("pace", "selftf", "selftf_stateless")


def manager_named(manager: str | Manager, ours: PaceManager) -> Manager:
    """The manager of a name, or the manager itself; `ours` knows the training."""
    if not isinstance(manager, str):
        return manager
    if manager == "pace":
        return ours
    if manager in NAMES:
        progress = "stateless" if manager == "selftf_stateless" else "stateful"
        return SelfTf(ours.space, ours.until, ours.each, progress=progress, seed=ours.seed)
    raise StudyError(f"unknown manager {manager!r}{nearest(manager, NAMES)}")
