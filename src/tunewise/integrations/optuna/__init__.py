"""Optuna: Tunewise as a sampler of its studies, and its studies as a warm start of ours.

Needs the extra `tunewise[optuna]`.
"""

from tunewise.errors import optional

optional("optuna", "optuna")

from tunewise.integrations.optuna.imported import (  # noqa: E402 - its absence has a sentence
    history_of,
    load_history,
)
from tunewise.integrations.optuna.sampler import TunewiseSampler  # noqa: E402

__all__ = ["TunewiseSampler", "history_of", "load_history"]
