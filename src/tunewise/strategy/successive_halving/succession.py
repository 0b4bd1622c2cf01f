"""Who stands where in the brackets of successive halving, rebuilt from a history.

The fraction of a config's first trial says which kind of bracket it began in, and its place among
those that began alike says in which round. So nothing has to be remembered but the trials.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tunewise.belief.extrapolation import Extrapolation
from tunewise.history import History, Trial, TrialState
from tunewise.problem import Problem
from tunewise.space import Config
from tunewise.strategy.successive_halving.halving import Bracket


@dataclass(frozen=True, eq=False)
class Climber:
    """A config with its trials by fraction."""

    first: Trial
    trials: dict[float, Trial] = field(default_factory=dict)

    @property
    def config(self) -> Config:
        """The value of each parameter."""
        return self.first.config

    @property
    def highest(self) -> Trial:
        """The trial on the most data."""
        return self.trials[max(self.trials)]

    def add(self, trial: Trial) -> None:
        """Of several trials at one fraction a complete one counts, else the last."""
        known = self.trials.get(trial.fraction)
        if known is None or known.state != TrialState.COMPLETE:
            self.trials[trial.fraction] = trial

    def complete(self, fraction: float) -> bool:
        """Whether it was measured there."""
        return fraction in self.trials and self.trials[fraction].state == TrialState.COMPLETE


@dataclass(frozen=True, eq=False)
class Round:
    """One bracket in play: those who began in it, in order. Enqueued ones come on top."""

    bracket: Bracket
    climbers: list[Climber] = field(default_factory=list)

    def promoted(self, extrapolation: Extrapolation) -> tuple[Climber, float] | None:
        """Who climbs next and where to, None while a rung is not complete, or nobody may.

        A failed or cancelled trial does not climb, and its place stays empty.
        """
        if sum(not c.first.enqueued for c in self.climbers) < self.bracket.sizes[0]:
            return None
        rungs = self.bracket.rungs
        for rung, above, size in zip(rungs, rungs[1:], self.bracket.sizes[1:], strict=False):
            if any(t.state.pending for t in self._at(rung)):
                return None
            waiting = [c for c in self.climbers if c.complete(rung) and above not in c.trials]
            if waiting and sum(not t.enqueued for t in self._at(above)) < size:
                return min(waiting, key=lambda c: extrapolation.standing(c.trials[rung])), above
        return None

    def _at(self, rung: float) -> list[Trial]:
        return [c.trials[rung] for c in self.climbers if rung in c.trials]


class Succession:
    """All brackets, round after round, as a history has left them."""

    def __init__(self, problem: Problem, brackets: Sequence[Bracket], history: History) -> None:
        """Find each config's place."""
        self.brackets = brackets
        self.extrapolation = Extrapolation.of(problem, history)
        self.climbers: dict[tuple[object, ...], Climber] = {}
        for trial in history:
            self.climbers.setdefault(problem.space.key(trial.config), Climber(trial)).add(trial)
        self._begun: Counter[float] = Counter()
        self._rounds: dict[tuple[int, int], Round] = {}
        for climber in self.climbers.values():
            self._place(climber)

    def _place(self, climber: Climber) -> None:
        """A config that a person began on a slice that is no rung stands in no bracket."""
        began = climber.first.fraction
        for kind, bracket in enumerate(self.brackets):
            if bracket.rungs[0] == began:
                turn = self._begun[began] // bracket.sizes[0]
                self._rounds.setdefault((turn, kind), Round(bracket)).climbers.append(climber)
                self._begun[began] += not climber.first.enqueued

    def promoted(self) -> tuple[Config, float] | None:
        """The next climber of the earliest bracket in which one is due, and where to."""
        for _, played in sorted(self._rounds.items(), key=lambda item: item[0]):
            if found := played.promoted(self.extrapolation):
                return found[0].config, found[1]
        return None

    def next_beginning(self) -> float:
        """The fraction on which the next new config begins: that of the first free place."""
        free = min(self.brackets, key=lambda b: self._begun[b.rungs[0]] // b.sizes[0])
        return free.rungs[0]

    def left_behind(self) -> tuple[Config, float] | None:
        """The best of those who were not let through, from the highest rung, and where to."""
        waiting = list(self._stopped())
        if not waiting:
            return None
        climber, above = min(
            waiting,
            key=lambda w: (-w[0].highest.fraction, *self.extrapolation.standing(w[0].highest)),
        )
        return climber.config, above

    def _stopped(self) -> Iterator[tuple[Climber, float]]:
        for climber in self.climbers.values():
            highest = climber.highest
            above = [s for s in self.brackets[0].rungs if s > highest.fraction]
            if above and highest.state == TrialState.COMPLETE:
                yield climber, above[0]
