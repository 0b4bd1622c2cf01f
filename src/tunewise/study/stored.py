"""A study as it lies in a store: all that a command, a page or a notebook shows of it."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tunewise.errors import Instead, StrategyError, StudyError
from tunewise.format import card
from tunewise.history import History, Trial
from tunewise.history.prior import Prior
from tunewise.problem import Metrics, Problem
from tunewise.problem.changes import changes
from tunewise.space import Config
from tunewise.space.sampling import completed
from tunewise.strategy.loop.measured import best_measured
from tunewise.strategy.scalarised import most_balanced
from tunewise.strategy.strategy import Recommendation, Strategy
from tunewise.study.define_by_run.discovery import strategy_of
from tunewise.study.folders import LOG
from tunewise.study.infeasible import Infeasible, infeasible
from tunewise.study.presence import Presence, presences
from tunewise.study.record import Notes, StudyRecord
from tunewise.study.run.threads import one_thread
from tunewise.study.store import Store
from tunewise.study.warm_start import prior_of

if TYPE_CHECKING:
    import pandas as pd


class StoredStudy:
    """What is known of a study; `Study` adds how trials are asked for and told.

    Attributes:
        store: Where it lies.
        record: What was kept about it when it was opened.
        problem: What is wanted, as far as it is known.
    """

    if not TYPE_CHECKING:  # what no study has: whoever looks for it is told the line to write
        best_params = Instead("study.recommend().config, or study.best.config as measured")
        best_value = Instead("study.best.metrics[study.problem.objective]")
        best_trial = Instead("study.best")
        best_trials = Instead("study.pareto()")
        trials = Instead("study.history")
        trials_dataframe = Instead("study.dataframe()")
        direction = Instead("study.problem.goal")
        directions = Instead("study.problem.goal")
        study_name = Instead("study.name")
        sampler = Instead("study.strategy")
        get_trials = Instead("study.history")
        add_trial = Instead("study.enqueue(config), then study.tell(study.ask(), metrics)")
        enqueue_trial = Instead("study.enqueue(config)")

    def __init__(self, store: Store, record: StudyRecord, problem: Problem) -> None:
        """Nothing is read before somebody looks."""
        self.store, self.problem = store, problem
        self._became(record)

    def _became(self, record: StudyRecord) -> None:
        self.record = record
        for made in ("prior", "strategy"):
            self.__dict__.pop(made, None)

    @cached_property
    def prior(self) -> Prior:
        """What other studies measured that it learns from."""
        return prior_of(self.record)

    @cached_property
    def strategy(self) -> Strategy:
        """What steers it, made again."""
        return strategy_of(self.record, self.problem, self.prior)

    @property
    def name(self) -> str:
        """The study's name in its store."""
        return self.record.name

    @property
    def seed(self) -> int:
        """What, with the history, determines every ask."""
        return self.record.seed

    @property
    def history(self) -> History:
        """All trials so far, of all processes."""
        return self.store.history(self.name)

    @property
    def relevant(self) -> History:
        """The trials that the problem is about: all of them, unless it was changed."""
        history = self.history
        return history.within(self.problem) if self.record.noted.problems else history

    @property
    def spent(self) -> Metrics:
        """Cost (USD) and time (seconds) booked so far, failed trials included."""
        return self.history.spent

    @property
    def best(self) -> Trial | None:
        """The best feasible complete trial that could be deployed as it is."""
        return self.relevant.best(self.problem)

    def pareto(self) -> list[Trial]:
        """The measured trials that keep the limits and that no other one beats everywhere.

        With one objective that is the best trial. The best value of the first objective is first.
        """
        return self.relevant.front(self.problem)

    def trial(self, number: int) -> Trial:
        """The trial of a number."""
        history = self.history
        for trial in history:
            if trial.number == number:
                return trial
        have = f"it has 0 to {len(history) - 1}" if len(history) else "it has none yet"
        raise StudyError(f"study {self.name!r} has no trial {number!r}; {have}")

    def follow(self, every: float = 1.0) -> Iterator[Trial]:
        """All ended trials, and those that end from now on until nobody works on the study.

        Args:
            every: Seconds between two looks; each reads only what changed since the last.
        """
        revision, told = 0, set[int]()
        while True:
            # Looked at first: what a process tells that is gone by then is there already.
            working = any(each.alive for each in self.presences)
            news = self.store.news(self.name, revision)
            revision = news.revision
            for trial in news.trials:
                if not trial.state.pending and trial.number not in told:
                    told.add(trial.number)
                    yield trial
            if not working:
                return
            time.sleep(every)

    @property
    def noted(self) -> Notes:
        """What its runs have left until now for whoever looks at it."""
        return Notes.of(self.store.notes(self.name))

    @property
    def folder(self) -> Path | None:
        """Where logs and results of its trials are, if they are kept."""
        folder = self.noted.folder
        return None if folder is None else Path(folder)

    def log(self, trial: Trial) -> Path | None:
        """The trial's log, where there is one."""
        folder = self.folder
        log = None if folder is None else folder / str(trial.number) / LOG
        return log if log is not None and log.is_file() else None

    @property
    def changes(self) -> list[str]:
        """From which trial on the problem was another one, a line for each change."""
        lines, before = [], self.record.problem
        for posed in self.noted.problems:
            said = "; ".join(changes(before, posed.problem))
            lines.append(f"from trial {posed.since} on: {said}")
            before = posed.problem
        return lines

    @property
    def presences(self) -> list[Presence]:
        """Who works on it now, and whose process died at it."""
        return presences(self.store, self.store.load(self.name), self.history)

    @property
    def recommendation(self) -> Recommendation | None:
        """The config to deploy, as its last run said or else as is known now; None before."""
        noted = self.noted
        if noted.recommended is not None and noted.recommended_after == len(self.history.ended):
            # It knew functions that a store cannot keep.
            with suppress(KeyError, TypeError, AttributeError):
                return Recommendation.from_description(noted.recommended)
        try:
            return self._recommended()
        except StrategyError:
            return None

    def _recommended(self) -> Recommendation:
        if self.problem.lost:
            relevant, several = self.relevant, len(self.problem.objectives) > 1
            balanced = most_balanced(self.problem, relevant) if several else None
            return balanced or best_measured(self.problem, relevant)
        with one_thread():
            return self.strategy.recommend(self.history)

    @property
    def infeasible(self) -> Infeasible | None:
        """Why nothing keeps the limits, where nothing does and nothing is expected to."""
        best = self.recommendation
        likely = best is not None and best.feasible >= 0.5
        return None if likely else infeasible(self.problem, self.history)

    def put_first(self, config: Config, fraction: float = 1.0) -> Trial:
        """Have a config tried next by whoever runs the study, and knows its functions."""
        if not isinstance(config, Mapping):
            raise StudyError(f"the config is {config!r}; expected one dict of parameters to values")
        rng = np.random.default_rng([self.seed, len(self.history)])
        known, unknown = dict(config), {}
        if self.problem.discovers:  # a training may yet ask for what no other one has
            names = self.problem.space.names
            unknown = {name: value for name, value in config.items() if name not in names}
            known = {name: value for name, value in config.items() if name in names}
        checked = {**completed(self.problem.space, known, rng), **unknown}
        if fraction not in self.problem.fractions:
            near = min(self.problem.fractions, key=lambda s: abs(s - fraction))
            raise StudyError(f"fraction {fraction:g} is not one of the problem's; try {near:g}")
        return self.store.add(self.name, checked, fraction, (), None, 0.0)

    def dataframe(self) -> "pd.DataFrame":
        """One row a trial, with config and metrics in columns of their own; needs pandas."""
        from tunewise.study.frame import dataframe

        return dataframe(self.problem, self.history)

    def __repr__(self) -> str:
        """Short, for people."""
        told = f"{self.problem.goal}, by {self.record.strategy['name']}"
        return f"Study({self.name!r}: {told}; {self.history!r})"

    def _repr_html_(self) -> str:
        """For notebooks."""
        facts = {"goal": self.problem.goal, "strategy": self.record.strategy["name"]}
        return card(f"Study {self.name}", facts) + self.history._repr_html_()
