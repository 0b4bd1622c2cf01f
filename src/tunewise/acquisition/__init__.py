"""What a trial is worth, as functions of what is believed."""

from tunewise.acquisition.improvement import (
    constrained_expected_improvement,
    expected_improvement,
    feasibility,
    log_constrained_expected_improvement,
    log_expected_improvement,
    per_usd,
)

__all__ = [
    "constrained_expected_improvement",
    "expected_improvement",
    "feasibility",
    "log_constrained_expected_improvement",
    "log_expected_improvement",
    "per_usd",
]
