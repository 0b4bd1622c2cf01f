"""The contract between a study and the strategy that steers it."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tunewise.format import card, expected, percent, share_of_data, value
from tunewise.format import config as one_line
from tunewise.history import History
from tunewise.history.prior import Prior
from tunewise.problem import KNOWN, Metric, Problem
from tunewise.space import Config
from tunewise.strategy.pruner import BrokenLimits, Pruner
from tunewise.surrogate.normal import Normal

UNKNOWN = "not known yet"

SURE = 0.9
"""The probability with which a recommended config keeps all limits, unless another is asked for."""


@dataclass(frozen=True)
class Suggestion:
    """A trial worth running.

    Attributes:
        config: The value of each parameter.
        fraction: The share of the training data to use.
        snapshots: Smaller fractions whose metrics the strategy would like on the way.
        cost: The USD that the strategy expects the trial to cost, None where it does not know.
    """

    config: Config
    fraction: float = 1.0
    snapshots: tuple[float, ...] = ()
    cost: float | None = field(default=None, compare=False)


def in_words(metric: Metric, belief: Normal) -> str:
    """What to expect of a metric, as people write it."""
    mean, std = float(belief.mean), float(belief.std)
    return UNKNOWN if metric.vague(mean, std) else expected(metric, mean, std)


@dataclass(frozen=True, repr=False)
class Recommendation:
    """The config to deploy, and how sure we are of it.

    Attributes:
        config: The value of each parameter.
        fraction: The share of the training data to deploy with (1 unless the problem says "any").
        predicted: For each metric what to expect of it there.
        feasible: The probability that a new training keeps all constraints.
        predicted_best: What the models hold to be best, where the answer is the best measured.
        note: Which predictions no trial supports yet, in a sentence; empty where all are.
        least: The probability that was asked for: no config that reaches it was found where
            `feasible` is less.
        limited: Whether the problem has limits: `feasible` is told to people only then.
    """

    config: Config
    fraction: float = 1.0
    predicted: dict[str, Normal] = field(default_factory=dict)
    feasible: float = 1.0
    predicted_best: "Recommendation | None" = None
    note: str = ""
    least: float = 0.0
    limited: bool = True

    @property
    def warning(self) -> str:
        """Why to doubt it: it may well break a limit, or nothing measured supports it; or empty."""
        if self.feasible >= self.least:
            return f"the recommended config is a guess: {self.note}" if self.note else ""
        kept = (
            f"a new training of this one does with {percent(min(self.feasible, self.least - 0.01))}"
        )
        if not self.clear:
            kept = "whether a new training of this one does is not known yet"
        if not self.limited:
            return (
                "no config was found whose training comes to its end with a probability of"
                f" {percent(self.least)} or more: {kept}"
            )
        return (
            "no config was found that keeps all limits, and does not fail, with a probability of"
            f" {percent(self.least)} or more: {kept}"
        )

    @property
    def supported(self) -> bool:
        """Whether trials support what is predicted."""
        return not self.note

    @property
    def known(self) -> bool:
        """Whether all that is predicted is known well enough to be told in numbers."""
        return self.supported and UNKNOWN not in self._expected().values()

    def _sureness(self) -> dict[str, str]:
        """How surely the limits are kept; nothing where none were asked for."""
        if not self.limited:
            return {}
        return {"feasible": percent(self.feasible) if self.clear else UNKNOWN}

    @property
    def clear(self) -> bool:
        """Whether it is clear how surely the limits are kept.

        However little is known of what a limit is about, it may be clear that it is broken.
        """
        return self.known or (self.supported and self.feasible <= 1 - SURE)

    def __repr__(self) -> str:
        """Short, for people."""
        part = "" if self.fraction == 1 else f" on {share_of_data(self.fraction)} of the data"
        parts = [f"{name} {text}" for name, text in self._expected().items()]
        parts += [self.note] if self.note else [f"{k} {v}" for k, v in self._sureness().items()]
        said = [one_line(self.config) + part, *([", ".join(parts)] if parts else [])]
        return f"Recommendation({'; '.join(said)})"

    def _repr_html_(self) -> str:
        """For notebooks."""
        facts = {"data": "" if self.fraction == 1 else share_of_data(self.fraction)}
        facts |= self._expected()
        facts |= {"note": self.note} if self.note else self._sureness()
        rows = [(name, value(v)) for name, v in self.config.items()]
        return card("Recommendation", facts, ("parameter", "value"), rows)

    def _expected(self) -> dict[str, str]:
        return {
            name: in_words(KNOWN.get(name, Metric(name)), belief)
            for name, belief in self.predicted.items()
            if self.supported
        }

    def describe(self) -> dict[str, Any]:
        """As plain data; `from_description` reads it back. What is not finite is left out."""
        predicted = {
            name: {"mean": float(normal.mean), "std": float(normal.std)}
            for name, normal in self.predicted.items()
            if math.isfinite(normal.mean) and math.isfinite(normal.std)
        }
        described = {
            "config": self.config,
            "fraction": self.fraction,
            "predicted": predicted,
            "feasible": float(self.feasible),
        }
        if self.predicted_best is not None:
            described["predicted_best"] = self.predicted_best.describe()
        if self.note:
            described["note"] = self.note
        if self.least:
            described["least"] = self.least
        if not self.limited:
            described["limited"] = False
        if self.warning:
            described["warning"] = self.warning
        return described

    @classmethod
    def from_description(cls, described: Mapping[str, Any]) -> "Recommendation":
        """The recommendation that described itself so."""
        predicted = {
            name: Normal(told["mean"], told["std"]) for name, told in described["predicted"].items()
        }
        beside = described.get("predicted_best")
        return cls(
            described["config"],
            described["fraction"],
            predicted,
            described["feasible"],
            None if beside is None else cls.from_description(beside),
            described.get("note", ""),
            described.get("least", 0.0),
            described.get("limited", True),
        )


class Strategy(ABC):
    """Decides the next trial and recommends a config.

    Both methods are functions of (problem, history, seed) alone: a strategy rebuilt in another
    process gives the same answers for the same history. Caches may speed it up, never change it.

    What other studies measured (`prior`) belongs to the problem as it was posed: it is set before
    the first question and never changes. A strategy that has no use for it ignores it.
    """

    prior = Prior()

    def __init__(self, problem: Problem, seed: int) -> None:
        """Keep what every answer depends on; options of a strategy follow as keywords."""
        self.problem = problem
        self.seed = seed

    @cached_property
    def pruner(self) -> Pruner:
        """What stops its trials; one that knows no better stops what has broken a limit."""
        return BrokenLimits(self.problem)

    @abstractmethod
    def suggest(self, history: History, count: int) -> list[Suggestion]:
        """Up to `count` different trials to run next; fewer, or none, when the space is used up."""

    @abstractmethod
    def recommend(self, history: History) -> Recommendation:
        """The config to deploy, given what is known.

        Raises:
            StrategyError: When nothing has been measured yet.
        """

    def expected_gain(self, history: History) -> float | None:
        """How much another trial is expected to better the recommendation's objective.

        None when the strategy does not know; the stop rule for it is then never met.
        """
        return None

    def stops(self, history: History) -> str | None:
        """Why the strategy would end the search here, None to go on.

        A run asks it before each trial; whoever asks for trials one by one decides alone.
        """
        return None
