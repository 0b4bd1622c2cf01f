"""Which setting a training should run under next: ours, by what a try is worth in seconds.

A try of another setting costs seconds: the switch, and what its iterations bring less than those of
the best known one. It may win seconds for all that is left. Both are expectations under the belief
about paces, so that tries come early and while much is left, and end by themselves. One budget
bounds them: a try must fit into what is left of a share of the training, whether it wins or loses.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tunewise.format import duration, money
from tunewise.online.belief.pace import Pace
from tunewise.online.belief.summary import Summary
from tunewise.online.checks import MOST, small
from tunewise.online.costs import ReconfigurationCosts
from tunewise.online.managers.aim import Aim
from tunewise.online.managers.budget import Budget, spent
from tunewise.online.managers.manager import Decision, Situation
from tunewise.online.until import Until
from tunewise.space import Config, Space
from tunewise.surrogate import Array

TRIES = 0.05
"""The share of a training that tries may cost in all, unless another one is told: what a try may
cost, its switches there and back with it, is booked before it begins."""

_NOTICED = 0.01
"""The share of what is left that a try must be expected to save: of two settings that are as good
as each other, more tries would tell ever less, and never nothing."""


@dataclass(frozen=True)
class PaceManager:
    """Tries the setting that is worth most, while one is worth it.

    Attributes:
        space: The settings.
        until: When the training is done.
        each: Iterations that a setting is tried for at least, or a function of the setting.
        price: USD per hour of a setting, where USD are to be saved instead of seconds.
        deadline: Seconds by which the training must be done; without a price it is only watched.
        seed: Of the pool of settings where the space is large.
        past: What past trainings have measured.
        together: Iterations of a setting that come together.
        tries: The share of the training that tries may cost in all.
    """

    space: Space
    until: Until
    each: int | Callable[[Config], int] = 10
    price: Callable[[Config], float] | None = None
    deadline: float | None = None
    seed: int = 0
    past: tuple[Summary, ...] = ()
    together: Callable[[Config], int] = lambda _: 1
    tries: float = TRIES
    _last: list[tuple[Situation, Pace]] = field(default_factory=list, repr=False, compare=False)

    @property
    def aim(self) -> Aim:
        """What is to be saved."""
        return Aim(self.until, self.price, self.deadline)

    def first(self, setting: Config) -> int:
        """Iterations of a setting after which to think for the first time.

        All others are compared with it, so where these are only seconds it is measured better.
        """
        return self.least(setting) * (4 if self.until.only_speed else 1)

    def due(self, situation: Situation) -> bool:
        """Whether it is time to think."""
        running = situation.running
        count = len(running.iterations)
        if count >= running.planned:
            return True
        rounds, rest = divmod(count, running.round)
        if rest or (len(situation.segments) == 1 and self.deadline is None):
            return False  # the first is compared with nothing yet
        if rounds.bit_count() == 1 and (self.deadline is not None or not self.until.only_speed):
            return True  # after 1, 2, 4, …; each look also tells whether a deadline can be kept
        # One that is hopelessly slow shows it at once, a loss that does not fall does not.
        soon = rounds.bit_count() == 1 or count < self.least(running.setting)
        return self.until.only_speed and soon and self._slower(situation)

    def _slower(self, situation: Situation) -> bool:
        """Whether the setting that runs looks dearer than another: else a look would find nothing.

        To look is to form a belief, which costs a hundred times as much as this.
        """
        *others, running = (
            self.aim.rate(each.setting) * each.per_iteration / each.samples_each
            for each in situation.measured
        )
        return not others or running > min(others)

    def belief(self, situation: Situation) -> Pace:
        """What is believed about the settings; of the same situation, the same object."""
        if not self._last or self._last[0][0] is not situation:
            self._last[:] = [(situation, self._formed(situation))]
        return self._last[0][1]

    def _formed(self, situation: Situation) -> Pace:
        return Pace(
            self.space,
            situation.segments,
            self.until.only_speed,
            situation.loss,
            self.until.loss,
            self.past,
            self.together,
        )

    def least(self, setting: Config) -> int:
        """Iterations for which a setting is tried at least."""
        return self.each(setting) if callable(self.each) else self.each

    def decide(self, situation: Situation, costs: ReconfigurationCosts) -> Decision:
        """The setting to go on with, which may be the one that runs."""
        belief, running = self.belief(situation), situation.running
        best = self._best(belief, self._tried(situation), situation)
        left = self.aim.left(belief, best, situation)
        if len(running.iterations) < running.planned and running.granted >= 0:
            if self.space.key(best) == self.space.key(running.setting):
                # A long try that has won makes room for others.
                first = len(situation.segments) == 1
                worth = first or len(running.iterations) < self.least(running.setting)
            else:
                worth = (
                    self._values(belief, [running.setting], best, left, situation, costs).max() > 0
                )
            if worth:
                return Decision(running.setting, running.planned, "", running.grant, running.usual)
        candidates = self._candidates(situation, best)
        if candidates:
            values = self._values(belief, candidates, best, left, situation, costs)
            length, worthiest = np.unravel_index(int(np.argmax(values)), values.shape)
            most = float(values[length, worthiest])
            if most > _NOTICED * left:
                saved = f"a try may save {_amount(most, self.price)}"
                setting = candidates[worthiest]
                count = self.least(setting) * 2 ** int(length)
                return self._try(belief, setting, count, best, saved, situation, costs)
        return self._settled(self._best_or_stay(belief, best, left, situation, costs), situation)

    def _try(
        self,
        belief: Pace,
        setting: Config,
        count: int,
        best: Config,
        why: str,
        situation: Situation,
        costs: ReconfigurationCosts,
    ) -> Decision:
        """A try that is cut once it has used the switch there and half of what is left then.

        So one that hangs leaves something for others, and the way back is always set aside.
        """
        room, rate = self._budget(belief, best, situation).room, self.aim.rate(setting)
        there = costs.worst(situation.running.setting, setting)
        back = self.aim.rate(best) * costs.worst(setting, best) / rate
        grant = there + (room / rate - there - back) / 2
        usual = 0.0  # of a loss, nobody knows how far a try has brought it
        if self.until.only_speed:
            rows = float(belief.log_samples_each([setting])[0])
            usual = float(np.exp(rows + np.asarray(belief.log_seconds([best]).mean)[0]))
        # What a share of all allows, nothing can use up.
        grant = math.inf if self.tries >= 1 else grant
        running = situation.running
        if self.space.key(setting) == self.space.key(
            running.setting
        ):  # it goes on, and what it has used counts
            count += len(running.iterations)
            grant = running.grant
        return Decision(setting, count, why, grant, usual * self.aim.rate(best) / rate)

    def _settled(self, setting: Config, situation: Situation) -> Decision:
        """Go back, and look soon; or stay, and think again after twice as many iterations."""
        least, running = self.least(setting), situation.running
        if self.space.key(setting) != self.space.key(running.setting):
            return Decision(setting, least, "back to the best so far")
        count = len(running.iterations)
        return Decision(setting, count + max(least, count), "the best so far")

    def _best(self, belief: Pace, tried: list[Config], situation: Situation) -> Config:
        """The setting that is surest to be ahead of the first one, or that one.

        By a deviation: of many that are hardly known, one always looks best.
        """
        first = tried[0]
        unsure = np.array(belief.ahead(tried, first).std)
        unsure[tried.index(first)] = 0.0
        worth = np.asarray(self.aim.worth(belief, tried, situation).mean)
        return tried[int(np.argmax(worth - unsure))]

    def _tried(self, situation: Situation) -> list[Config]:
        seen = {self.space.key(s.setting): s.setting for s in situation.segments if s.iterations}
        return [each for key, each in seen.items() if key not in situation.refused]

    def open_settings(self, situation: Situation) -> list[Config]:
        """Settings that the training may still run under: those tried, and those to try."""
        return [*self._tried(situation), *self._candidates(situation, situation.running.setting)]

    def _candidates(self, situation: Situation, best: Config) -> list[Config]:
        """Settings that may be tried: new ones, again those that ran before, and on the one now."""
        if small(self.space):
            every = self.space.configs
        else:
            rng = np.random.default_rng([self.seed, len(situation.segments)])
            every = self.space.pool(MOST, rng, self._tried(situation))
        key = self.space.key
        running = situation.running
        barred = {key(best)} | situation.refused
        if running.granted < 0:
            barred = barred | {key(running.setting)}
        return [each for each in every if key(each) not in barred]

    def _values(
        self,
        belief: Pace,
        settings: list[Config],
        best: Config,
        left: float,
        situation: Situation,
        costs: ReconfigurationCosts,
    ) -> Array:
        """What trying each setting, or going on with its try, is expected to save, (lengths, n).

        Less what it costs, against going to the best known setting; minus infinity where the
        budget or the deadline does not allow it.
        """
        from scipy.special import ndtr

        here = float(np.asarray(self.aim.worth(belief, [best], situation).mean)[0])
        ahead = np.asarray(self.aim.worth(belief, settings, situation).mean) - here
        std = np.asarray(belief.ahead(settings, best).std)
        log_seconds = np.asarray(belief.log_seconds(settings).mean)
        seconds = np.exp(log_seconds + belief.log_samples_each(settings))
        rate = np.array([self.aim.rate(each) for each in settings])
        # A try that is too short to change a mind is worth nothing: of all lengths, the best.
        least = np.array([self.least(each) for each in settings])
        doublings = np.log2(max(left / float((least * rate * seconds).min()), 1.0))
        count = least * 2.0 ** np.arange(1 + int(doublings))[:, None]
        behind = count * rate * seconds * _saved_share(-ahead, std)
        running = situation.running.setting
        to = np.array([costs.expected(running, each) for each in settings])
        back = np.array([costs.expected(each, best) for each in settings])
        # What a try of this length would move the belief by: the knowledge gradient.
        now = self.space.key(running)
        goes_on = np.array([self.space.key(each) == now for each in settings])
        ran = len(situation.running.iterations) * goes_on
        moves = belief.moves(settings, best, belief.doubt(settings, count, ran))
        moves = np.maximum(moves, 1e-9)
        home = self.aim.rate(best) * costs.expected(running, best)
        lost = behind + rate * (to + ndtr(-ahead / std) * back) - home
        shorter = left * -np.expm1(-np.maximum(ahead + std, 0.0)) * self.until.only_speed
        there = np.array([costs.worst(running, each) for each in settings])
        home_again = np.array([costs.worst(each, best) for each in settings])
        budget = self._budget(belief, best, situation)
        # What is cut has run an iteration at least.
        slow = rate * seconds * np.maximum(np.exp(std) - np.exp(ahead), 0.0)
        fits = budget.allows(
            rate * there, np.maximum(behind, slow), self.aim.rate(best) * home_again, shorter
        )
        in_time = count * seconds + there + home_again <= self.aim.slack(
            belief, self._tried(situation), situation
        )
        return np.where(fits & in_time, left * _saved_share(ahead, moves) - lost, -np.inf)

    def _budget(self, belief: Pace, best: Config, situation: Situation) -> Budget:
        """The budget of tries now.

        Where a loss ends the training, its length is that under the first setting, by which all
        others are judged: nobody knows yet how far a sample of theirs brings it.
        """
        under = best if self.until.only_speed else situation.segments[0].setting
        remaining = self.aim.remaining(belief, [under], situation)
        # What samples take is known well; of a law of losses, the middle is as good as any.
        sure = float(np.exp(-np.asarray(remaining.std)[0])) if self.until.only_speed else 1.0
        left = sure * self.aim.left(belief, under, situation)
        lost = spent(situation.measured, self._behind(belief, situation), self.aim.rate)
        return Budget(self.tries, self.aim.passed(situation), left, lost)

    def _behind(self, belief: Pace, situation: Situation) -> Array:
        """The share of its seconds that each stretch was behind the best one before it, (n,).

        That one is taken to be quicker than believed by a deviation, for all are compared with it:
        errors of the others make up for each other, its own do not.
        """
        settings = [each.setting for each in situation.measured]
        worth = np.asarray(self.aim.worth(belief, settings, situation).mean)
        before = [int(np.argmax(worth[: max(place, 1)])) for place in range(len(settings))]
        behind = worth[before] - worth
        if self.until.only_speed:  # of a law of losses, the middle is as good as any
            keys = [self.space.key(each) for each in settings]
            other = [keys[place] != key for place, key in zip(before, keys, strict=True)]
            behind = behind + np.asarray(belief.log_seconds(settings).std)[before] * other
        return np.asarray(-np.expm1(-np.maximum(behind, 0.0)), float)

    def _best_or_stay(
        self,
        belief: Pace,
        best: Config,
        left: float,
        situation: Situation,
        costs: ReconfigurationCosts,
    ) -> Config:
        """Go to the best known setting when that saves more than the switch costs.

        Where none is sure to be ahead of the first one, go back to that while the budget allows it:
        one that is taken for better by luck costs the most where the first is the best.
        """
        running = situation.running.setting
        if self.space.key(best) == self.space.key(running):
            return running
        cost = self.aim.rate(best) * costs.expected(running, best)
        home = self.space.key(best) == self.space.key(situation.segments[0].setting)
        if home and cost <= max(self._budget(belief, best, situation).room, 0.0):
            return best
        worth = np.asarray(self.aim.worth(belief, [best, running], situation).mean)
        saved = left * (np.exp(min(worth[0] - worth[1], 50.0)) - 1)
        return best if saved > cost else running


def _amount(value: float, price: object) -> str:
    """What is saved, as people write it."""
    return duration(value) if price is None else money(value)


def _saved_share(ahead: Array, std: Array) -> Array:
    """The expected share of the remaining time that a setting saves, E[max(1 - exp(-d), 0)].

    With d normal, of mean `ahead` and deviation `std`: Phi(a/s) - exp(-a + s^2/2) Phi(a/s - s).
    """
    from scipy.special import log_ndtr, ndtr

    z = ahead / std
    tail = np.exp(np.minimum(-ahead + std**2 / 2 + log_ndtr(z - std), 0.0))
    return np.asarray(np.maximum(ndtr(z) - tail, 0.0), float)
