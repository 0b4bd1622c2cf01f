"""Which candidates are worth scoring: one filter a file, looked up by name.

A filter is a pure function that chooses a share of the candidates; see `filter.py` for what it is
given. Those that search by themselves import their optimisers late.
"""

from tunewise.filtering.cea import cea
from tunewise.filtering.filter import Cheap, Filter, Index, Score, how_many
from tunewise.filtering.registered import FILTERS

__all__ = ["Cheap", "FILTERS", "Filter", "Index", "Score", "cea", "how_many"]
