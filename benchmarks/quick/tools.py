"""Who races, and one run of one of them."""

import logging
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import inf
from typing import Literal, TypedDict

from benchmarks.course import course
from benchmarks.quick.ground import Enough, Ground
from benchmarks.quick.questions import Question, questions
from tunewise.strategy import StrategySpec

OURS = "tunewise"
DEFAULTS = {True: "trimtuner", False: "cherrypick"}
"""Our default strategy, with slices and without."""


@dataclass(frozen=True)
class Tool:
    """A tool in one of its uses.

    Attributes:
        said: How people call it.
        package: What must be installed.
        search: Module and function of its adapter.
        use: Where it takes part: with slices, without, or both.
        seeds: Runs at most; fewer for those that take seconds an ask.
        most: Trials in a run, at most.
    """

    said: str
    package: str
    search: str
    use: Literal["slices", "plain", "both"] = "both"
    seeds: int = 10
    most: int = 400

    def asked(self, question: Question) -> bool:
        """Whether it takes part in a question."""
        return self.use == "both" or (self.use == "slices") == question.sliced

    @property
    def version(self) -> str | None:
        """Of its package; None where that is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


TOOLS = {
    OURS: Tool("**Tunewise**, as it comes", "tunewise", "", seeds=5, most=80),
    "random": Tool("random search, full data", "tunewise", "", most=80),
    "optuna_tpe": Tool("Optuna, TPE", "optuna", "with_optuna:tpe"),
    "optuna_gp": Tool("Optuna, GP", "optuna", "with_optuna:gp", seeds=3),
    "optuna_hyperband": Tool(
        "Optuna, TPE + Hyperband", "optuna", "with_optuna:hyperband", "slices"
    ),
    "botorch_ei": Tool("BoTorch, constrained EI", "botorch", "with_botorch:ei", seeds=3, most=60),
    "botorch_mf": Tool(
        "BoTorch, multi-fidelity entropy", "botorch", "with_botorch:entropy", "slices", 2, 60
    ),
    "smac": Tool("SMAC3, random forest", "smac", "with_smac:forest", "plain", seeds=5),
    "smac_hyperband": Tool("SMAC3, Hyperband", "smac", "with_smac:hyperband", "slices", seeds=5),
    "syne_density": Tool(
        "Syne Tune, density estimates", "syne-tune", "with_syne_tune:density", "plain"
    ),
    "syne_asha": Tool("Syne Tune, ASHA", "syne-tune", "with_syne_tune:asha", "slices"),
    "syne_bohb": Tool("Syne Tune, BOHB", "syne-tune", "with_syne_tune:bohb", "slices"),
    "neps_hyperband": Tool(
        "NePS, Hyperband", "neural-pipeline-search", "with_neps:hyperband", "slices"
    ),
    "neps_priorband": Tool(
        "NePS, PriorBand", "neural-pipeline-search", "with_neps:priorband", "slices"
    ),
    "flaml": Tool("FLAML, BlendSearch", "flaml", "with_flaml:blend_search"),
}


class Run(TypedDict):
    """One search: its regret at each mark of the question, and the processor's seconds per ask."""

    question: str
    tool: str
    version: str
    seed: int
    regrets: list[float]
    trials: int
    ask: float


def raced(name: str, asked: str, seed: int, until: float = inf) -> Run | None:
    """One run; None when its time has come too late."""
    if time.time() > until:
        return None
    tool, question = TOOLS[name], questions()[asked]
    ran = _ours if tool.package == OURS else _theirs
    regrets, trials, seconds = ran(name, question, seed)
    said = tool.version or ""
    return Run(question=asked, tool=name, version=said, seed=seed, regrets=regrets, trials=trials,
               ask=seconds / max(trials, 1))  # fmt: skip


def _ours(name: str, question: Question, seed: int) -> tuple[list[float], int, float]:
    world, marks, began = question.world, question.marks, time.process_time()
    own = DEFAULTS[question.sliced] if name == OURS else name
    strategy = StrategySpec.of(own).build(world.problem, seed)
    ran = course(world, strategy, own, marks[-1], TOOLS[name].most, marks)
    return ran.regrets(marks), ran.trials, time.process_time() - began


def _theirs(name: str, question: Question, seed: int) -> tuple[list[float], int, float]:
    tool = TOOLS[name]
    module, _, function = tool.search.partition(":")
    search = getattr(import_module(f"benchmarks.quick.{module}"), function)
    ground = Ground(question, seed, tool.most)
    with suppress(Enough):
        search(ground, seed)
    return [ground.at(mark) for mark in question.marks], ground.trials, ground.cpu


def quiet() -> None:
    """Hear no warnings: the tools warn of experimental parts, and of fits that they then repeat."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
