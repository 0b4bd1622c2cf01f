"""Who decides: one file per published system, looked up by name.

Everything here is a function of (problem, history, seed). The package itself can be called:
`tunewise.strategy("cherrypick", initial=4)` names a strategy with its options.
"""

import sys
from types import ModuleType
from typing import Any

from tunewise.strategy.spec import STRATEGIES, StrategySpec, named
from tunewise.strategy.strategy import Recommendation, Strategy, Suggestion

__all__ = ["Recommendation", "STRATEGIES", "Strategy", "StrategySpec", "Suggestion"]


class _CallableRoom(ModuleType):
    """Lets `tw.strategy(...)` and `import tunewise.strategy` share one name."""

    def __call__(self, name: str, /, **options: Any) -> StrategySpec:
        """A strategy by name, with options of its own."""
        return named(name, **options)


sys.modules[__name__].__class__ = _CallableRoom
