"""The filters by name."""

from tunewise.errors import StrategyError
from tunewise.registry import Registry

FILTERS = Registry("filter", "tunewise.filters", StrategyError)
