"""Trials as Ray tasks, on this machine or on a cluster."""

from tunewise.execution.ray.executor import RayExecutor
from tunewise.execution.ray.resources import machines

__all__ = ["RayExecutor", "machines"]
