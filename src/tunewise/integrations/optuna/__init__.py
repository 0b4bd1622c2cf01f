"""Optuna: Tunewise as a sampler of its studies, and its studies as a warm start of ours.

Needs the extra `tunewise[optuna]`.
"""

from tunewise.integrations.optuna.imported import history_of, load_history
from tunewise.integrations.optuna.sampler import TunewiseSampler

__all__ = ["TunewiseSampler", "history_of", "load_history"]
