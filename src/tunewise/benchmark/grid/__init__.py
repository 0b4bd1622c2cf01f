"""Measuring a whole grid: every config at every fraction, several times, as a table for replay."""

from tunewise.benchmark.grid.belonging import alone, fingerprint
from tunewise.benchmark.grid.collect import Collection
from tunewise.benchmark.grid.kept import Kept
from tunewise.benchmark.grid.plan import Run, planned
from tunewise.benchmark.grid.tabulate import snapshots_beside, write_tables

__all__ = [
    "Collection",
    "Kept",
    "Run",
    "alone",
    "fingerprint",
    "planned",
    "snapshots_beside",
    "write_tables",
]
