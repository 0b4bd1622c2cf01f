"""What a training is tuned for: to be done soon, or cheaply, and by its deadline."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tunewise.online.belief.pace import Pace
from tunewise.online.deadline import SURE
from tunewise.online.managers.manager import Situation
from tunewise.online.until import Until
from tunewise.space import Config
from tunewise.surrogate import Normal


@dataclass(frozen=True)
class Aim:
    """What is to be saved.

    Attributes:
        until: When the training is done.
        price: USD per hour of a setting, where USD are to be saved instead of seconds.
        deadline: Seconds by which the training must be done; without a price it is only watched.
    """

    until: Until
    price: Callable[[Config], float] | None = None
    deadline: float | None = None

    def rate(self, setting: Config) -> float:
        """What a second costs: one second, or USD."""
        return 1.0 if self.price is None else self.price(setting) / 3600

    def passed(self, situation: Situation) -> float:
        """Seconds (or USD) so far."""
        if self.price is None:
            return situation.seconds
        return sum(
            self.rate(each.setting) * (float(each.seconds.sum()) + each.reconfiguration)
            for each in situation.segments
        )

    def remaining(self, belief: Pace, settings: list[Config], situation: Situation) -> Normal:
        """The logarithm of the seconds that are left under each setting, (n,)."""
        if self.until.samples is not None:
            left = max(self.until.samples - situation.samples, 0.0)
            seconds = belief.log_seconds(settings)
            return Normal(np.log(max(left, 1e-9)) + seconds.mean, np.asarray(seconds.std))
        if self.until.loss is not None:
            return belief.remaining(settings)
        # No end is known: what has been is taken to be half of it.
        count = len(settings)
        return Normal(np.full(count, np.log(max(situation.seconds, 1e-9))), np.zeros(count))

    def left(self, belief: Pace, best: Config, situation: Situation) -> float:
        """Seconds (or USD) that are left under the best known setting."""
        remaining = self.remaining(belief, [best], situation)
        seconds = float(np.exp(np.clip(np.asarray(remaining.mean)[0], -20, 40)))
        return seconds * self.rate(best)

    def worth(self, belief: Pace, settings: list[Config], situation: Situation) -> Normal:
        """Log progress per second (or per USD) of each setting, (n,)."""
        pace = belief.log_pace(settings)
        if self.price is None:
            return pace
        prices = np.log([max(self.price(each), 1e-12) for each in settings])
        worth, std = np.asarray(pace.mean) - prices, np.asarray(pace.std)
        if self.deadline is None:
            return Normal(worth, std)
        # Settings that would miss the deadline rank behind all others, the fastest first.
        remaining = self.remaining(belief, settings, situation)
        left = self.deadline - situation.seconds
        missed = 1 - remaining.cdf(np.log(left)) if left > 0 else np.ones(len(settings))
        return Normal(np.where(missed > SURE, -50 - np.asarray(remaining.mean), worth), std)

    def slack(self, belief: Pace, tried: list[Config], situation: Situation) -> float:
        """Seconds that the setting which is done soonest leaves until the deadline."""
        if self.deadline is None or self.price is None:
            return np.inf  # the fastest is what is looked for
        remaining = self.remaining(belief, tried, situation)
        mean, std = np.asarray(remaining.mean), np.asarray(remaining.std)
        for soonest in (np.min(mean + std), np.min(mean)):
            slack = self.deadline - situation.seconds - float(np.exp(min(soonest, 50.0)))
            if slack > 0:
                return slack
        return np.inf  # another has to be found
