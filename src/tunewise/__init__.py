"""Find the cloud resources and hyper-parameters that train a model best.

Everything public is here; each name is imported when it is first used, so `import tunewise` is
quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tunewise.benchmark import ReplayExecutor, Table
    from tunewise.declarative.serving import Answer
    from tunewise.declarative.task import Task
    from tunewise.errors import NotReady, TunewiseError
    from tunewise.execution import Command, ProcessExecutor
    from tunewise.history import (
        Cancelled,
        Failure,
        History,
        Measurement,
        Preempted,
        TimedOut,
        Trial,
        TrialState,
    )
    from tunewise.job.loading import load_study
    from tunewise.problem import Constraint, Problem
    from tunewise.report import plot
    from tunewise.service.client import Client
    from tunewise.space import (
        VM,
        Billing,
        Catalogue,
        Choice,
        Cluster,
        Integer,
        Ordinal,
        Parameter,
        Real,
        Space,
    )
    from tunewise.strategy import Recommendation, Strategy, Suggestion
    from tunewise.strategy.spec import named as strategy
    from tunewise.study import Store, Study, TrialExecutor
    from tunewise.surrogate import Normal

__version__ = "1.0.0rc1"

_HOMES = {
    "tunewise.benchmark": ["ReplayExecutor", "Table"],
    "tunewise.declarative.serving": ["Answer"],
    "tunewise.declarative.task": ["Task"],
    "tunewise.errors": ["NotReady", "TunewiseError"],
    "tunewise.execution": ["Command", "ProcessExecutor"],
    "tunewise.history": [
        "Cancelled",
        "Failure",
        "History",
        "Measurement",
        "Preempted",
        "TimedOut",
        "Trial",
        "TrialState",
    ],
    "tunewise.job.loading": ["load_study"],
    "tunewise.problem": ["Constraint", "Problem"],
    "tunewise.service.client": ["Client"],
    "tunewise.space": [
        "Billing",
        "Catalogue",
        "Choice",
        "Cluster",
        "Integer",
        "Ordinal",
        "Parameter",
        "Real",
        "Space",
        "VM",
    ],
    "tunewise.strategy": ["Recommendation", "Strategy", "Suggestion"],
    "tunewise.study": ["Store", "Study", "TrialExecutor"],
    "tunewise.surrogate": ["Normal"],
}
_MODULES = {
    "data": "tunewise.data",
    "online": "tunewise.online",
    "plot": "tunewise.report.plot",
    "strategy": "tunewise.strategy",
    "tenancy": "tunewise.tenancy",
}
_INSTEAD = {
    "create_study": "; write tunewise.Study(tunewise.Problem(space, maximize='accuracy'),"
    " storage=..., name=...)",
    "Float": "; write tunewise.Real('lr', 1e-5, 1e-1, log=True)",
    "Int": "; write tunewise.Integer('layers', 1, 8)",
    "Categorical": "; write tunewise.Choice('optimizer', ['sgd', 'adam'])",
    "delete_study": "; write tunewise.load_study(storage, name).store.delete(name), or"
    " tunewise delete NAME in a terminal",
    "visualization": "; write tunewise.plot.best_so_far(study), and others of tunewise.plot",
    "Tuner": "; write tunewise.online.Tuner(space, until='samples >= 60000')",
    "Scheduler": "; write tunewise.tenancy.Scheduler(models)",
    "samplers": "; write strategy='cherrypick' in tunewise.Study, or nothing",
    "pruners": "; leave it out: a trial that cannot win any more is stopped when it reports",
    "TrialPruned": "; leave it out: a trial that cannot win any more is stopped when it reports",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Billing",
    "Cancelled",
    "Catalogue",
    "Choice",
    "Client",
    "Cluster",
    "Command",
    "Constraint",
    "Failure",
    "History",
    "Integer",
    "Measurement",
    "Normal",
    "NotReady",
    "Ordinal",
    "Parameter",
    "Preempted",
    "Problem",
    "ProcessExecutor",
    "Real",
    "Recommendation",
    "ReplayExecutor",
    "Space",
    "Store",
    "Strategy",
    "Study",
    "Suggestion",
    "Table",
    "Task",
    "TimedOut",
    "Trial",
    "TrialExecutor",
    "TrialState",
    "TunewiseError",
    "VM",
    "load_study",
    "plot",
    "strategy",
]


def _prices() -> Any:
    """The prices of clusters: those that a person imported, then the shipped ones."""
    return import_module("tunewise.job.pricebook").known()


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tunewise' has no attribute {name!r}{_INSTEAD.get(name, '')}")
    home = import_module(_HOME_OF[name])
    if name in ("Cluster", "Problem"):
        import_module("tunewise.space").Catalogue.make_usual(_prices)
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return __all__
