"""The surrogates by name."""

from tunewise.errors import StrategyError
from tunewise.registry import Registry

SURROGATES = Registry("surrogate", "tunewise.surrogates", StrategyError)
