"""Warnings of tests that are about something else."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import pytest

from tunewise.errors import TunewiseWarning

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

unsure = pytest.mark.filterwarnings(
    "ignore:no config was found that:tunewise.errors.TunewiseWarning"
)
"""The limits may be kept with less than the probability asked for, which the study says."""

perhaps_nothing = pytest.mark.filterwarnings(
    "ignore:nothing is recommended:tunewise.errors.TunewiseWarning"
)
"""Nothing may be recommended, as chance or time will have it."""


def nothing_recommended(test: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """The study says that it recommends nothing, and why."""

    @wraps(test)
    def warned(*given: Given.args, **named: Given.kwargs) -> Returned:
        with pytest.warns(TunewiseWarning, match="^nothing is recommended: "):
            return test(*given, **named)

    return warned
