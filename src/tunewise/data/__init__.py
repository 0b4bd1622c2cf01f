"""Slices of data: nested, stratified, seeded, and the same on every machine.

Pure: which items are in a slice follows from the seed, the classes and the items' places or names,
by whole numbers alone. No generator and no rounding has a say in it.
"""

from tunewise.data.coverage import coverage, covering_iterations
from tunewise.data.slices import indices
from tunewise.data.subsets import subset

__all__ = ["coverage", "covering_iterations", "indices", "subset"]
