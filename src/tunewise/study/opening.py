"""How a study begins, or goes on: its store, its record, and what a resumed one may not change."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tunewise.errors import StorageError, StudyError, nearest
from tunewise.problem import Problem
from tunewise.problem.changes import changes
from tunewise.registry import Registry
from tunewise.strategy.spec import StrategySpec, default_strategy
from tunewise.study.record import PosedProblem, StudyRecord
from tunewise.study.store import Store
from tunewise.study.warm_start import Sources, gathered

INSTEAD = {
    "study_name": "name={}",
    "load_if_exists": "nothing: a study of the same name in the storage is resumed",
    "direction": "maximize= or minimize= in tunewise.Problem",
    "directions": "maximize=[...] and minimize=[...] in tunewise.Problem",
    "sampler": "strategy='cherrypick', or nothing: then one that suits the problem is taken",
    "pruner": "fractions=(1/16, 1/4, 1) in tunewise.Problem: reports stop trials that cannot win",
    "random_state": "seed={}",
}
"""What to write for arguments that other tools have."""

_ON_CHANGE = ("refuse", "new problem")

STORES = Registry("storage", "tunewise.stores", StorageError)


@dataclass(frozen=True)
class Opening:
    """What a study is opened with.

    Attributes:
        problem: What is wanted.
        strategy: Who decides, None for who suits the problem or decided before.
        seed: None for the one it has, or a new one.
        others: Studies to learn from besides.
        on_change: "refuse" another problem than it had, or take it as a "new problem".
    """

    problem: Problem
    strategy: StrategySpec | None
    seed: int | None
    others: Sources
    on_change: str

    def __post_init__(self) -> None:
        """Refuse what nobody could do."""
        if self.on_change not in _ON_CHANGE:
            raise StudyError(
                f"on_change is {self.on_change!r}{nearest(str(self.on_change), _ON_CHANGE)}"
            )

    def record(self, store: Store, name: str) -> StudyRecord:
        """The record of the study of this name, made if there is none."""
        spec = self.strategy or default_strategy(self.problem)
        wanted = StudyRecord(
            name=name,
            problem=self.problem.describe(),
            strategy=spec.describe(),
            seed=_checked_seed(self.seed) if self.seed is not None else secrets.randbelow(2**31),
            notes=gathered(store, self.problem, name, self.others),
            created_at=time.time(),
        )
        found = store.create(wanted)
        return posed_anew(store, found, wanted.problem) if self.poses_anew(found) else found

    def poses_anew(self, found: StudyRecord) -> bool:
        """Whether it would be another problem on the trials of this study; refused if unwanted."""
        _refuse_other(found, self.strategy, self.seed)
        before, wanted = found.current_problem, self.problem.describe()
        if self.problem.discovers and before.get("discovers"):
            wanted["space"] = before["space"]  # what its trainings have told of by now
        changed = changes(before, wanted)
        if changed and self.on_change == "refuse":
            raise _changed(found.name, changed)
        return bool(changed)


def posed_anew(store: Store, found: StudyRecord, problem: dict[str, Any]) -> StudyRecord:
    """The record after another problem was posed on its trials."""
    since = len(store.history(found.name))
    posed = PosedProblem(since, problem, time.time())
    # What was recommended answered the question before.
    notes = replace(
        found.noted,
        problems=(*found.noted.problems, posed),
        recommended=None,
        recommended_after=None,
    )
    store.annotate(found.name, notes.changed("problems", "recommended"))
    return store.load(found.name)


def open_store(storage: str | Path | Store | None, namespace: str | None = None) -> Store:
    """The store behind a URL or a file name; None is a new one in memory.

    A store that is open already keeps its namespace unless another is given.
    """
    opened = storage if isinstance(storage, Store) else _opened_store(storage)
    return opened if namespace is None else opened.within(namespace)


def _opened_store(storage: str | Path | None) -> Store:
    if storage is None:
        scheme, url = "memory", ""
    else:
        url = str(storage)
        scheme = url.partition(":")[0].partition("+")[0] if "://" in url else "sqlite"
    opened = STORES.load("postgresql" if scheme == "postgres" else scheme)(url or None)
    assert isinstance(opened, Store)
    return opened


def new_name() -> str:
    """A name that no other study has."""
    return time.strftime("study-%Y%m%d-%H%M%S-") + secrets.token_hex(2)


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or seed.__index__() < 0:
        raise StudyError(f"seed is {seed!r}; expected a whole number, 0 or above")
    return int(seed)


def _refuse_other(found: StudyRecord, strategy: StrategySpec | None, seed: int | None) -> None:
    """A resumed study must go on as it began."""
    if strategy is not None and found.strategy != strategy.describe():
        raise StudyError(
            f"study {found.name!r} exists with strategy {_named(found.strategy)}, not"
            f" {_named(strategy.describe())}; choose another name, or resume it with its own"
        )
    if seed is not None and found.seed != seed:
        raise StudyError(
            f"study {found.name!r} exists with seed {found.seed}, not {seed};"
            " choose another name, or resume it with its own"
        )


def _changed(name: str, changed: Sequence[str]) -> StudyError:
    """Its trials would answer another question, which only a person can want."""
    return StudyError(
        f"study {name!r} exists with another problem: {'; '.join(changed)}. Choose another name,"
        ' delete it first, or accept the change with on_change="new problem" (tunewise tune'
        " --on-change new-problem)"
    )


def _named(strategy: Mapping[str, Any]) -> str:
    """A strategy as people write it: its name, and its options where it has any."""
    options = ", ".join(f"{k}={v!r}" for k, v in strategy.items() if k != "name")
    return _short(f"{strategy['name']}({options})" if options else strategy["name"])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:117] + "..."
