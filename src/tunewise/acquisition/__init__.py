"""What a trial is worth, as functions of what is believed."""

from tunewise.acquisition.improvement import (
    constrained_expected_improvement,
    expected_improvement,
    log_constrained_expected_improvement,
    log_expected_improvement,
)

__all__ = [
    "constrained_expected_improvement",
    "expected_improvement",
    "log_constrained_expected_improvement",
    "log_expected_improvement",
]
