"""What a recommendation leaves to be doubted, as warnings."""

import sys
import warnings
from typing import TypeVar

from tunewise.errors import TunewiseWarning
from tunewise.strategy.strategy import Recommendation

Answer = TypeVar("Answer", Recommendation, Recommendation | None)


def warned(answer: Answer, ended: str | None = None) -> Answer:
    """The answer; with a warning where there is none, or one that may well break a limit.

    Args:
        answer: What is recommended.
        ended: Why the run ended.
    """
    said = f"nothing is recommended: {ended or 'no trial has measured anything yet'}"
    if answer is not None:
        said = answer.warning
    if said:
        warnings.warn(said, TunewiseWarning, stacklevel=_caller())
    return answer


def _caller() -> int:
    """Frames from the warning to the user's own line: the first that is none of ours."""
    level = 1
    while sys._getframe(level).f_globals.get("__name__", "").partition(".")[0] == "tunewise":
        level += 1
    return level
