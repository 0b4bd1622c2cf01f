"""What is left of a training, what it costs, and what the first setting would have taken."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tunewise.online.belief.extrapolation import extrapolated
from tunewise.online.belief.forecast import calibrated
from tunewise.online.deadline import SURE
from tunewise.online.managers.manager import Situation
from tunewise.online.managers.pace import PaceManager
from tunewise.online.segment import Segment
from tunewise.space import Config
from tunewise.surrogate import Array, Normal


@dataclass(frozen=True)
class TimeLeft:
    """Answers about a training under the belief of `pace`, whoever decides.

    Attributes:
        manager: Our own manager for this training.
    """

    manager: PaceManager

    def remaining(self, situation: Situation, setting: Config) -> Normal:
        """Seconds that are left under a setting, in the light of what was forecast before."""
        return self.forecast(situation, setting)[0]

    def forecast(self, situation: Situation, setting: Config) -> tuple[Normal, float | None]:
        """The same, and the middle of the forecast alone; None where there is none."""
        if not situation.measured:
            return Normal(math.inf, 0.0), None
        log = self._forecast(situation, setting)
        middle = float(log.mean)
        raw = math.exp(min(middle, 60.0)) if math.isfinite(middle) else None
        if not self.manager.until.only_speed:
            log = calibrated(log, situation.seconds, situation.forecasts)
        mean, std = float(log.mean), float(log.std)
        expected = math.exp(min(mean + std**2 / 2, 60.0))
        deviation = expected * math.sqrt(max(math.expm1(min(std**2, 50.0)), 0.0))
        return Normal(expected, deviation), raw

    def soonest(self, situation: Situation, setting: Config, left: Normal) -> Normal:
        """Seconds that are left at least, under a setting or under another that is still open."""
        others = self.manager.open_settings(situation)
        if not others:
            return left
        log = self.manager.aim.remaining(self.manager.belief(situation), others, situation)
        low = float(np.min(np.asarray(log.quantile(SURE))))
        least = math.exp(min(low, 60.0)) if math.isfinite(low) else 0.0
        return Normal(least, 0.0) if least < float(left.quantile(SURE)) else left

    def _forecast(self, situation: Situation, setting: Config) -> Normal:
        """Log seconds left: by the course of the loss where it tells, else by the belief."""
        target = self.manager.until.loss
        if target is not None:
            seen = situation.measured
            losses = np.concatenate([each.losses for each in seen])
            told = extrapolated(self._as_under(setting, situation), losses, target)
            if told is not None:
                return told
        return self._log_remaining(situation, setting)

    def _as_under(self, setting: Config, situation: Situation) -> Array:
        """When each iteration would have ended under one setting all the time, (n,)."""
        seen = situation.measured
        ahead = np.asarray(
            self.manager.belief(situation).ahead([e.setting for e in seen], setting).mean
        )
        times = np.exp(np.clip(ahead, -5, 5))
        parts = [each.seconds * factor for each, factor in zip(seen, times, strict=True)]
        return np.asarray(np.cumsum(np.concatenate(parts)), float)

    def _log_remaining(self, situation: Situation, setting: Config) -> Normal:
        belief = self.manager.belief(situation)
        log = self.manager.aim.remaining(belief, [setting], situation)
        return Normal(float(np.asarray(log.mean)[0]), float(np.asarray(log.std)[0]))

    def staying(self, situation: Situation, done: bool) -> Normal:
        """Seconds of the whole training under its first setting alone.

        What went by until now is taken to have been spent on the same progress: known for certain
        only where samples are all that counts.
        """
        seen = situation.measured
        if not seen or not situation.segments[0].iterations:
            return Normal(math.inf, 0.0)
        belief = self.manager.belief(situation)
        pace = np.asarray(belief.log_pace([each.setting for each in seen]).mean)
        taken = np.array([each.seconds.sum() for each in seen])
        so_far = float(taken @ np.exp(np.clip(pace - pace[0], -20, 20)))
        if done:
            return Normal(so_far, 0.0)
        log = self._log_remaining(situation, seen[0].setting)
        left = math.exp(min(float(log.mean), 60.0))
        return Normal(so_far + left, left * float(log.std))


def cost(segments: Sequence[Segment], price: Callable[[Config], float]) -> float:
    """USD of what went by."""
    return sum(
        price(each.setting) / 3600 * (float(each.seconds.sum()) + each.reconfiguration)
        for each in segments
    )
