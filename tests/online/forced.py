"""A manager that goes from setting to setting, whatever they are worth."""

from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.manager import Decision, Situation
from tunewise.space import Config, Space

_EACH = 5


class Forced:
    """Runs each setting for five iterations, and the last one that works from then on."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def first(self, setting: Config) -> int:
        return _EACH

    def due(self, situation: Situation) -> bool:
        return len(situation.running.iterations) >= situation.running.planned

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        key = self._space.key
        met = {key(each.setting) for each in situation.segments} | situation.refused
        for setting in self._space.configs:
            if key(setting) not in met:
                return Decision(setting, _EACH, "it has its turn")
        return Decision(situation.running.setting, 10**9, "all had their turn")
