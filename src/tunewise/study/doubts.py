"""What a recommendation leaves to be doubted, as warnings."""

import warnings
from typing import TypeVar

from tunewise.errors import TunewiseWarning
from tunewise.strategy.strategy import Recommendation

_CALLER = 3
"""Frames from a warning here to the line that called a method of the study."""


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
        warnings.warn(said, TunewiseWarning, stacklevel=_CALLER)
    return answer
