"""Trials on rented machines, by SkyPilot's command."""

from tunewise.execution.sky.executor import SkyExecutor
from tunewise.execution.sky.leases import Lease, Leases

__all__ = ["Lease", "Leases", "SkyExecutor"]
