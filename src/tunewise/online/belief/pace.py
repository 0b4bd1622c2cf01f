"""What is believed about settings: seconds of a sample, and how far a sample brings the loss.

Hardware efficiency t(x), seconds of a sample, is measured almost exactly after a few iterations.
Statistical efficiency c(x), how far a sample brings the loss, is noisy and changes with the loss as
`curve` says. Each has a process of its own over settings, on logarithms. Then

    pace(x) = c(x) / t(x),    remaining(x) = 1 / pace(x) * what the curve says is left,

and settings are ranked by their pace alone, at whatever loss they were measured. Where nobody
counts samples, an iteration is one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tunewise.online.belief.curve import STEADINESS, Curve, Slopes, linked
from tunewise.online.belief.effects import Effects
from tunewise.online.belief.summary import EXPECTED_WEIGHT, SPREAD, Summary, averaged
from tunewise.online.segment import Segment, Window, slope_error
from tunewise.space import Config, Space
from tunewise.surrogate import Array, Normal

_SPREAD_OF_SLOPES = 0.25
"""The same of what a sample brings beside what its batch does to it: consistency and staleness
matter less than seconds, and slopes are so noisy that what is expected of them decides."""

_BATCH = np.array([[-0.75, 0.35], [0.0, 1.0]])
"""Mean and deviation of what a unit of log samples of an iteration does to that, and a barrier.

A sample of a large batch never brings more than one of a small batch, and at worst as little as if
all of the batch were one: its logarithm falls by between nothing and the logarithm of the batch.
Whoever changes the batch of a training that runs leaves its learning rate alone, and then an update
of a large batch brings little more than one of a small batch: nearer to the latter. Before, half of
the logarithm was expected, and large batches were tried for long (NOTEBOOK.md).

An iteration of settings with a barrier is one of all workers, and depending on the rule of the
learning rate brings as much as all their updates or as one."""


@dataclass(frozen=True, eq=False)
class Pace:
    """The belief about the settings of a space, given what was measured.

    Attributes:
        space: The settings.
        segments: What was measured, in order.
        only_speed: Whether progress is known: samples, so that only their seconds count.
        loss: The loss now.
        target: The loss at which the training is done, where there is one.
        past: What past trainings have measured.
        together: Iterations of a setting that come together.
    """

    space: Space
    segments: Sequence[Segment]
    only_speed: bool = False
    loss: float = 1.0
    target: float | None = None
    past: Sequence[Summary] = ()
    together: Callable[[Config], int] = lambda _: 1

    @cached_property
    def _said(self) -> dict[tuple[object, ...], Any]:
        return {}

    def _once(self, what: str, settings: Sequence[Config], compute: Callable[[], Any]) -> Any:
        """A decision asks the same of the same settings several times."""
        asked = what, *map(self.space.key, settings)
        if asked not in self._said:
            self._said[asked] = compute()
        return self._said[asked]

    @cached_property
    def _used(self) -> list[Segment]:
        return [each for each in self.segments if each.iterations]

    @cached_property
    def _x(self) -> Array:
        return self.space.encode([each.setting for each in self._used])

    @cached_property
    def _seconds(self) -> Effects:
        """Log seconds of a sample."""
        # All that was ever measured of a setting: what was tried long ago may yet be the best.
        measured = [each for each in self._used if each.told] or self._used
        settings = {self.space.key(each.setting): each.setting for each in measured}
        sums = dict.fromkeys(settings, (0.0, 0.0))
        for each in measured:
            seconds, error = each.steady
            log, weight = (
                np.log(max(seconds, 1e-9) / each.samples_each),
                1 / (STEADINESS**2 + error**2),
            )
            total, weights = sums[self.space.key(each.setting)]
            sums[self.space.key(each.setting)] = total + weight * log, weights + weight
        totals, weights = np.array(list(sums.values()), float).T
        x = self.space.encode(list(settings.values()))
        x, y, noise = self._with_past(x, totals / weights, weights**-0.5, 0)
        return Effects.plain(x, y, np.diag(noise**2), SPREAD)

    def _with_past(self, x: Array, y: Array, noise: Array, which: int) -> tuple[Array, ...]:
        """Observations, and those of the most similar past training: of seconds 0, of slopes 1."""
        other = self._similar
        if other is None:
            return x, y, noise
        own = self._own
        values = (other.seconds, other.slopes)[which] + own.shift(other)[which]
        doubt = np.full(len(values), own.disagreement(other)[which])
        encoded = self.space.encode(other.settings)
        return np.concatenate([x, encoded]), np.append(y, values), np.append(noise, doubt)

    @cached_property
    def _similar(self) -> Summary | None:
        """The past training that disagrees least with what was measured; the newest of equals."""
        if not self.past:
            return None
        own = self._own
        helpful = [e for e in self.past if self._foreseen(e)]
        return min(helpful, key=lambda e: float(np.hypot(*own.disagreement(e))), default=None)

    def _foreseen(self, other: Summary) -> bool:
        """Whether a past training made the seconds of own settings likelier than nothing does.

        Also of settings that it has not tried itself: whoever is led by it meets few in common.
        Seconds of iterations are compared, for those of a sample fall with its batch anyway.
        """
        own = self._own
        if len(own.keys) < 2:
            return True
        (x, y), (past_x, past_y) = self._iterations(own), self._iterations(other)
        noise = np.full(len(own.keys), STEADINESS)
        doubt = np.full(len(other.keys), own.disagreement(other)[0])
        every = np.concatenate([x, past_x]), np.append(y, past_y), np.append(noise, doubt)
        given_past = _evidence(*every) - _evidence(past_x, past_y, doubt)
        return given_past >= _evidence(x, y, noise)

    def _iterations(self, of: Summary) -> tuple[Array, Array]:
        """Encoded settings, and log seconds of their iterations."""
        return self.space.encode(of.settings), of.seconds + self.log_samples_each(of.settings)

    @cached_property
    def _own(self) -> Summary:
        """What was measured of each setting."""
        keys = [self.space.key(each.setting) for each in self._used]
        names = tuple(dict.fromkeys(keys))
        group = np.array([names.index(key) for key in keys])
        measured = [each.per_iteration / each.samples_each for each in self._used]
        seconds = averaged(np.log(np.maximum(measured, 1e-12)), group)
        slopes = np.zeros(len(names))
        if self.curve is not None:
            seen = self.curve.slopes
            beside = seen.log_slope - self.curve.law(seen.loss)
            drift = np.diagonal(self.curve.drift(self.curve.floor))
            weight = 1 / (seen.variance + drift + STEADINESS**2)
            for place in np.unique(seen.setting).astype(int):
                mine = seen.setting == place
                slopes[place] = float(weight[mine] @ beside[mine] / weight[mine].sum())
        settings = {key: each.setting for key, each in zip(keys, self._used, strict=True)}
        return Summary(names, tuple(settings[key] for key in names), seconds, slopes)

    def summary(self) -> Summary:
        """What was measured, for trainings to come."""
        return self._own

    @cached_property
    def _seen(self) -> list[tuple[int, Window]]:
        """Stretches with a slope, each with the place of its segment."""
        return [(place, window) for place, each in enumerate(self._used) for window in each.windows]

    @cached_property
    def _ages(self) -> Array:
        """Log of all samples over those until the end of each stretch, (n,)."""
        ends = np.cumsum([each.samples for each in self.segments if each.iterations])
        until, used = [], list(zip(ends, self._used, strict=True))
        later, last = 0, -1
        for place, window in reversed(self._seen):  # the last stretch of a segment ends with it
            later = later if place == last else 0
            until.append(used[place][0] - later * used[place][1].samples_each)
            later, last = later + window.iterations, place
        return np.asarray(np.log(ends[-1] / np.maximum(until[::-1], 1e-9)), float)

    @cached_property
    def curve(self) -> Curve | None:
        """The law by which the loss falls, None where it is of no concern or not seen yet."""
        if self.only_speed or not self._seen:
            return None
        keys = [self.space.key(each.setting) for each in self._used]
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        places = [place for place, _ in self._seen]
        rows = np.array([self._used[place].samples_each for place in places])
        loss = np.array([window.loss for _, window in self._seen])
        slope = np.array([window.slope for _, window in self._seen]) / rows
        error = self._errors / rows
        setting = np.array([number[keys[place]] for place in places])
        top = max(self.loss, float(loss.max()))

        def made(log_slope: Array, variance: Array) -> Curve:
            seen = Slopes(loss, log_slope, variance, setting, self._ages)
            return Curve(seen, self.loss, self.target, top)

        return linked(slope, error, made)

    @cached_property
    def _errors(self) -> Array:
        """Standard errors of the windows' slopes, each with some of what noise usually is, (n,).

        A handful of losses may lie on a line by chance.
        """
        seen = [window for _, window in self._seen]
        noise = np.maximum([window.noise for window in seen], 1e-12)
        count = np.array([float(window.iterations) for window in seen])
        freedom = np.maximum(count - 2, 0.5)
        usual = np.exp(np.average(np.log(noise), weights=freedom))
        mixed = np.sqrt(
            (freedom * noise**2 + EXPECTED_WEIGHT * usual**2) / (freedom + EXPECTED_WEIGHT)
        )
        rows = np.array([self._used[place].samples_each for place, _ in self._seen])
        walks = np.array([window.wander for window in seen]) / rows
        alike = rows * (walks + EXPECTED_WEIGHT * walks.mean()) / (1 + EXPECTED_WEIGHT)
        return slope_error(mixed, alike, count)

    @cached_property
    def _slopes(self) -> Effects | None:
        """For comparing settings."""
        return self._effects(loose=True)

    @cached_property
    def _steady_slopes(self) -> Effects | None:
        """For what is left: the level now is that of all that was seen, not of the last window."""
        return self._effects(loose=False)

    def _effects(self, loose: bool) -> Effects | None:
        """Log slopes of the loss by sample, over settings, beside what the curve says of all.

        Drift is common to all settings: where the loss falls slower than the law says, that is no
        fault of the one that runs just then, and whoever ran long ago would do no better.
        """
        curve = self.curve
        if curve is None:
            return None
        seen = curve.slopes
        places = [place for place, _ in self._seen]
        x, settings = self._x[places], [self._used[place].setting for place in places]
        beside = seen.log_slope - curve.law(seen.loss)
        drift = curve.drift(curve.floor, loose)
        own = len(x)
        x, beside, doubt = self._with_past(x, beside, np.zeros(own), 1)
        past = [] if self._similar is None else list(self._similar.settings)
        sizes = self._sizes([*settings, *past])

        both = np.diag(doubt**2)
        both[:own, :own] += np.diag(seen.variance + STEADINESS**2) + drift
        return Effects(x, beside, both, _SPREAD_OF_SLOPES, sizes, _BATCH)

    def log_pace(self, settings: Sequence[Config]) -> Normal:
        """The logarithm of the progress per second of each setting now, (n,)."""
        seconds, slopes = self.log_seconds(settings), self.log_slope(settings)
        if slopes is None:
            return Normal(-np.asarray(seconds.mean), np.asarray(seconds.std))
        std = np.hypot(seconds.std, slopes.std)
        return Normal(np.asarray(slopes.mean - seconds.mean), std)

    def ahead(self, settings: Sequence[Config], of: Config) -> Normal:
        """By how much the log pace of each setting is above that of another, (n,)."""
        x, base = self.space.encode(settings), self.space.encode([of])
        seconds = self._seconds.ahead(x, np.empty((len(x), 0)), base, np.empty((1, 0)))
        if self._slopes is None:
            return Normal(-np.asarray(seconds.mean), np.asarray(seconds.std))
        slopes = self._slopes.ahead(x, self._sizes(settings), base, self._sizes([of]))
        std = np.hypot(seconds.std, slopes.std)
        return Normal(np.asarray(slopes.mean - seconds.mean), std)

    def moves(self, settings: Sequence[Config], of: Config, doubt: Array) -> Array:
        """How far measuring each setting is expected to move by how much it is ahead of another.

        The deviation of what the belief will say, where what is measured has the variance `doubt`.
        What is not known of the other one stays so, however long a setting is tried.
        """
        x, base = self.space.encode(settings), self.space.encode([of])
        none = np.empty((len(x), 0))
        variance = np.asarray(self.log_seconds(settings).std) ** 2
        common = self._seconds.common(x, none, base, none[:1])
        slopes = self.log_slope(settings)
        if slopes is not None and self._slopes is not None:
            sizes, size = self._sizes(settings), self._sizes([of])
            variance = variance + np.asarray(slopes.std) ** 2
            common = common + self._slopes.common(x, sizes, base, size)
        return np.asarray(np.maximum(variance - common, 0.0) / np.sqrt(variance + doubt), float)

    def log_slope(self, settings: Sequence[Config]) -> Normal | None:
        """The logarithm of what a sample brings now, (n,); None where it is of no concern."""
        slopes: Normal | None = self._once(
            "slope", settings, lambda: self._log_slope(self._slopes, settings)
        )
        return slopes

    def _log_slope(self, effects: Effects | None, settings: Sequence[Config]) -> Normal | None:
        if effects is None or self.curve is None:
            return None
        beside = effects.predict(self.space.encode(settings), self._sizes(settings))
        now = float(self.curve.law(np.array([self.loss]))[0])
        return Normal(now + np.asarray(beside.mean), np.asarray(beside.std))

    def doubt(self, settings: Sequence[Config], iterations: Array, ran: Array) -> Array:
        """The variance that log paces measured over so many iterations would have.

        Their slopes have errors as those that were seen. Where a stretch `ran` before and goes on,
        only what it adds counts: the machine is in the state that it was in. Arrays that fit (n,).
        """
        whole = self._variance(settings, ran + iterations)
        known = np.where(ran > 0, 1 / self._variance(settings, np.maximum(ran, 1)), 0.0)
        return np.asarray(1 / np.maximum(1 / whole - known, 1e-12), float)

    def _variance(self, settings: Sequence[Config], iterations: Array) -> Array:
        seconds = STEADINESS**2 + self._unsteady**2 / iterations
        slopes = self.log_slope(settings)
        if slopes is None:
            return np.asarray(seconds, float)
        rows = np.exp(self.log_samples_each(settings))
        error = slope_error(self._noise, self._wander * rows, iterations)
        return np.asarray(seconds + (error / rows / np.exp(slopes.mean)) ** 2, float)

    @cached_property
    def _noise(self) -> float:
        """How much single losses scatter, as far as the newest windows tell."""
        return float(np.median([window.noise for _, window in self._seen[-5:]]))

    @cached_property
    def _wander(self) -> float:
        """By how much losses walk off a line, as a variance by sample."""
        newest = self._seen[-5:]
        walks = [window.wander / self._used[place].samples_each for place, window in newest]
        return max(float(np.mean(walks)), 0.0)

    @cached_property
    def _unsteady(self) -> float:
        """How much the seconds of single iterations scatter, as a share of them."""
        seen = [each.steady[1] * np.sqrt(len(each.timed)) for each in self._used[-5:]]
        return float(np.median(seen))

    def log_seconds(self, settings: Sequence[Config]) -> Normal:
        """The logarithm of the seconds of a sample of each setting, (n,)."""
        seconds: Normal = self._once(
            "seconds", settings, lambda: self._seconds.predict(self.space.encode(settings))
        )
        return seconds

    @cached_property
    def _samples(self) -> Effects | None:
        """Log samples of a round, in which every worker has its turn; None where all are equal."""
        y = np.log([each.samples_each * each.round for each in self._used])
        if y.max() - y.min() < 1e-3:
            return None
        return Effects.plain(self._x, y, 1e-4 * np.eye(len(y)), SPREAD)

    def _sizes(self, settings: Sequence[Config]) -> Array:
        """Log samples of an iteration of each setting, and whether it ends at a barrier, (n, 2)."""
        barrier = np.array([float(self.together(each) <= 1) for each in settings])
        return np.stack([self.log_samples_each(settings), barrier], axis=1)

    def log_samples_each(self, settings: Sequence[Config]) -> Array:
        """The logarithm of the samples of an iteration of each setting, (n,)."""
        one = self._used[0]
        if self._samples is None:
            rounds = np.full(len(settings), np.log(one.samples_each * one.round))
        else:
            rounds = np.asarray(self._samples.predict(self.space.encode(settings)).mean)
        together = np.log([max(self.together(each), 1) for each in settings])
        return np.asarray(rounds - together, float)

    def remaining(self, settings: Sequence[Config]) -> Normal:
        """Log seconds until the loss has fallen to the target, under each setting, (n,)."""
        count = len(settings)
        slopes, curve = self._log_slope(self._steady_slopes, settings), self.curve
        if slopes is None or curve is None or self.target is None or self.target >= self.loss:
            return Normal(np.full(count, -np.inf), np.zeros(count))
        pairs = zip(np.asarray(slopes.mean), np.asarray(slopes.std), strict=True)
        left = np.array([curve.log_samples(float(m), float(s)) for m, s in pairs])
        seconds = self.log_seconds(settings)
        return Normal(left[:, 0] + seconds.mean, np.hypot(left[:, 1], seconds.std))


def _evidence(x: Array, y: Array, noise: Array) -> float:
    return Effects.plain(x, y, np.diag(noise**2), SPREAD).evidence
