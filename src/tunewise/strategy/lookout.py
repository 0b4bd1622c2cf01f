"""Builds the one-step outlook of a belief: what each trial would teach about the full data."""

from dataclasses import dataclass

import numpy as np

from tunewise.acquisition.outlook import Aim, Limit, Outlook
from tunewise.strategy.belief import Belief, MetricBelief, modelled_bound
from tunewise.strategy.grid import Grid, Index
from tunewise.strategy.survey import Survey
from tunewise.surrogate import Array, Normal

_SAMPLES = 64
"""Joint samples of the objective from which the probability of being optimal is estimated."""


@dataclass(frozen=True, eq=False)
class Lookout:
    """A survey of all trials, with the configs that may be recommended as targets.

    Attributes:
        survey: What is believed about every trial.
        targets: (t,) which configs may be recommended.
        least: The probability with which a recommended config keeps the limits.
    """

    survey: Survey
    targets: Index
    least: float

    @property
    def belief(self) -> Belief:
        """What is believed about every metric."""
        return self.survey.belief

    @property
    def grid(self) -> Grid:
        """All trials."""
        return self.survey.grid

    @property
    def sign(self) -> float:
        """1 where the objective is maximised, -1 where it is minimised."""
        return 1.0 if self.belief.problem.maximize else -1.0

    def outlook(self, trials: Index) -> Outlook:
        """What each of the trials (c,) would do to the beliefs about the targets."""
        belief, problem = self.belief, self.belief.problem
        same = self._same(trials)
        aims = {name: self._aim(belief.metrics[name], trials, same) for name in problem.needed}
        chosen = self.grid.candidates.at(self.targets)
        limits = [
            Limit(
                aims[c.metric],
                modelled_bound(c, belief.metrics[c.metric].scale)
                - belief.metrics[c.metric].offset(chosen, 1.0),
                below=c.sign == "<=",
            )
            for c in problem.constraints
        ]
        if belief.success is not None:
            taught = self._aim(belief.success, trials, same)
            limits.append(Limit(taught, np.full(len(self.targets), 0.5), below=False))
        offset = belief.objective.offset(chosen, 1.0)
        return Outlook(
            aims[problem.objective],
            limits,
            lambda latent: self.survey.worth_of(Normal(latent.mean + offset, latent.std)),
        )

    def _aim(self, metric: MetricBelief, trials: Index, same: tuple[Index, Index]) -> Aim:
        """A metric at the targets, as its surrogate knows it: without offsets."""
        offset = metric.offset(self.grid.candidates.at(self.targets), 1.0)
        return Aim(
            metric.surrogate.fantasize(self.grid.points(trials), self.grid.at_full(self.targets)),
            metric.surrogate.noise_,
            self.survey.known(metric)[self.targets] - offset,
            same,
        )

    def _same(self, trials: Index) -> tuple[Index, Index]:
        """Which trials are targets themselves: those of their configs on the full data."""
        place = np.full(len(self.grid.candidates), -1)
        place[self.targets] = np.arange(len(self.targets))
        column = np.where(self.grid.fraction(trials) == 1.0, place[self.grid.config(trials)], -1)
        rows = np.flatnonzero(column >= 0)
        return rows, column[rows]


def joint_samples(lookout: Lookout, trials: Index, rng: np.random.Generator) -> tuple[Array, Array]:
    """The same functions at the trials (n, c), with measurement noise, and targets (n, t)."""
    grid, surrogate = lookout.grid, lookout.belief.objective.surrogate
    (x, s), (tx, ts) = grid.points(trials), grid.at_full(lookout.targets)
    drawn = surrogate.sample(np.concatenate([x, tx]), np.concatenate([s, ts]), _SAMPLES, rng)
    noise = surrogate.noise_ * rng.standard_normal((_SAMPLES, len(trials)))
    offset = lookout.belief.objective.offset(grid.candidates.at(lookout.targets), 1.0)
    return drawn[:, : len(trials)] + noise, drawn[:, len(trials) :] + offset
