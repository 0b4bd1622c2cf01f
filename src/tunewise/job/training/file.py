"""A training's job file, read and found sound."""

import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tunewise.errors import ProblemError, nearest
from tunewise.job import process
from tunewise.job.diagnostics import Diagnostics
from tunewise.job.jobfile import read_text
from tunewise.job.price import price as stated_price
from tunewise.job.problem import space as stated_space
from tunewise.job.training.fields import NESTED, TrainFields
from tunewise.job.training.settings import check_group, check_settings, looked_at, workers_of
from tunewise.job.yaml_document import read
from tunewise.online import Tuner, Until
from tunewise.online.checks import checked_price, first_of
from tunewise.online.managers.manager import Manager
from tunewise.online.managers.named import NAMES, Each, thesis_manager
from tunewise.problem import Price, Problem, quantity
from tunewise.space import Config, Space


@dataclass(frozen=True)
class TrainFile:
    """What a training's job file states.

    Attributes:
        path: Where it is; paths inside it start from its folder.
        fields: What it says, as data.
        space: The settings that may be chosen.
        until: When the training is done.
        default: The setting to begin with, None for the first of the space.
        price: USD per hour of a setting, where prices are known.
        deadline: Seconds by which the training must be done.
        manager: Who decides.
    """

    path: Path
    fields: TrainFields
    space: Space
    until: Until
    default: Config | None
    price: Callable[[Config], float] | None
    deadline: float | None
    manager: str | Manager = "pace"

    @property
    def first(self) -> Config:
        """The setting to begin with."""
        return self.default or first_of(self.space)

    @property
    def name(self) -> str:
        """The training's name: as stated, or the file's."""
        return self.fields.name or self.path.stem

    def spent(self, tuner: Tuner) -> float | None:
        """USD so far; None without prices."""
        return None if self.price is None else tuner.cost_at(self.price)

    @property
    def saved_price(self) -> Callable[[Config], float] | None:
        """The price, where USD are to be saved instead of seconds."""
        return self.price if self.fields.minimize == "cost" else None


def load(path: Path, changes: dict[str, Any] | None = None) -> TrainFile:
    """Read and check a training's job file; `changes` replace its fields.

    Raises:
        JobFileError: All mistakes at once, each with line, field and the nearest right thing.
    """
    text = read_text(path)
    document = read(text, str(path))
    diagnostics = Diagnostics(document, str(path), NESTED)
    if not isinstance(document.data, dict):
        diagnostics.add((), "expected fields with values, such as until: loss <= 0.1")
    elif "until" not in document.data and not _OF_STUDIES.isdisjoint(document.data):
        diagnostics.add((), f"is a job file of a study; run it with: tunewise tune {path}")
    diagnostics.refuse()
    try:
        fields = TrainFields.model_validate(document.data)
    except ValidationError as error:
        diagnostics.add_all(error)
        diagnostics.refuse()
        raise
    fields = fields.model_copy(update=changes or {})
    stated = _stated(fields, path.absolute(), diagnostics)
    diagnostics.refuse()
    assert stated is not None, "a file without mistakes states a training"
    return stated


_OF_STUDIES = frozenset({"maximize", "budget", "fractions", "strategy", "stop", "trials"})
"""Fields that only the job files of studies have."""


def _stated(fields: TrainFields, path: Path, diagnostics: Diagnostics) -> TrainFile | None:
    """The training that the fields state; mistakes are noted."""
    if sum(each is not None for each in (fields.command, fields.torchrun, fields.paramserver)) != 1:
        diagnostics.add((), "expected one of command, torchrun and paramserver, to say what trains")
    if fields.torchrun is not None and "restart" in fields.model_fields_set:
        diagnostics.add(("restart",), " is for a command: under torchrun every group starts anew")
    _check_kind(fields, diagnostics)
    _check_place(fields, diagnostics)
    if fields.manager not in NAMES:
        diagnostics.add(("manager",), f" is {fields.manager!r}; expected one of {', '.join(NAMES)}")
    space = stated_space(fields, path.parent, diagnostics)
    until, default, price, deadline = None, None, None, None
    with diagnostics.at("until"):
        until = Until.of(fields.until)
    _check_process(fields, path.parent, diagnostics)
    if space is None:
        return None
    with diagnostics.at("default"):
        default = None if fields.default is None else space.check(fields.default)
    first = default or first_of(space)
    if fields.paramserver is not None:
        check_settings(fields.paramserver, space, first, diagnostics)
    if fields.torchrun is not None:
        check_group(space, diagnostics)
    with diagnostics.at("price"):
        price = _price(fields, space, first, path.parent)
    with diagnostics.at("subject_to"):
        deadline = _deadline(fields, space)
    if until is None:
        return None
    manager = _manager(fields, space, until, diagnostics)
    return TrainFile(path, fields, space, until, default, price, deadline, manager)


def _manager(
    fields: TrainFields, space: Space, until: Until, diagnostics: Diagnostics
) -> str | Manager:
    """Who decides; what the thesis' manager cannot do is noted."""
    name, said = fields.manager, fields.selftf
    if name == "pace" and said is not None:
        diagnostics.add(("selftf",), " is for the managers selftf; expected manager: selftf beside")
    if name == "pace" or name not in NAMES:
        return "pace"
    told = {} if said is None else said.model_dump()
    with diagnostics.at("manager"):
        return thesis_manager(name, space, until, _workers(fields), fields.seed or 0, **told)
    return "pace"


def _workers(fields: TrainFields) -> Each:
    """`a`: as stated, or as many as there are workers; of a parameter server, one by default."""
    return fields.each or (None if fields.paramserver is None else workers_of)


def _price(fields: TrainFields, space: Space, first: Config, folder: Path) -> Price | None:
    """USD per hour of a setting, known to be some for every setting that is looked at."""
    if fields.price is None:
        if fields.minimize == "cost":
            raise ProblemError("cost is to be small; expected what an hour of a setting costs")
        return None
    price = stated_price(fields.price, [p.name for p in space.parameters], folder)
    positive = checked_price(price, space, first) if fields.minimize == "cost" else None
    for setting in looked_at(space, first):
        (positive or price)(setting)
    return price


def _check_process(fields: TrainFields, folder: Path, diagnostics: Diagnostics) -> None:
    """Note what cannot be started, or kept now and then."""
    for name in ("command", "torchrun"):
        with diagnostics.at(name):
            _check_names(process.words(getattr(fields, name) or ()), fields)
    with diagnostics.at("cwd"):
        process.folder(fields.cwd, folder)
    with diagnostics.at("env"):
        process.refuse_impossible(fields.env)
    with diagnostics.at("checkpoint"):
        if not 0 <= quantity(fields.checkpoint, "time") < math.inf:
            said = f"{fields.checkpoint!r} is no time"
            raise ProblemError(f"{said}; expected one such as 30 or '1 min'")


def _check_names(words: list[str], fields: TrainFields) -> None:
    """Refuse values of settings in a command that would go stale, and names that are mistyped."""
    known = list(fields.space) if isinstance(fields.space, dict) else []
    for name in {each for word in words for each in re.findall(r"\{(\w+)\}", word)}:
        if name not in known and difflib.get_close_matches(name, known, 1, 0.75):
            raise ProblemError(f"'{{{name}}}' is no parameter of the space{nearest(name, known)}")
        if name in known and not (fields.restart or fields.torchrun):
            raise ProblemError(
                f"'{{{name}}}' is filled in when the command starts; expected restart: true beside,"
                " so that it is started again for each setting"
            )


_OF = {
    "restart": ("command", "torchrun"),
    "cwd": ("command", "torchrun"),
    "env": ("command", "torchrun"),
    "nnodes": ("torchrun",),
    "address": ("torchrun",),
}
"""Fields that mean something beside some of what can train."""


def _check_kind(fields: TrainFields, diagnostics: Diagnostics) -> None:
    """Note fields that say nothing about what trains, and would be passed over."""
    for name, kinds in _OF.items():
        told = name in fields.model_fields_set and any(
            getattr(fields, kind) is not None for kind in ("command", "torchrun", "paramserver")
        )
        if told and all(getattr(fields, kind) is None for kind in kinds):
            diagnostics.add((name,), f" is for {' and '.join(kinds)} alone")


_ONLY = {"simulated": ("machines",), "ray": ("address", "per_worker", "per_server")}
"""Fields of a parameter server that mean something in one place alone."""


def _check_place(fields: TrainFields, diagnostics: Diagnostics) -> None:
    """Note fields that say nothing about where the parameter server runs."""
    said = fields.paramserver
    for place, names in _ONLY.items():
        for name in names if said is not None and said.on != place else ():
            if said is not None and name in said.model_fields_set:
                diagnostics.add(("paramserver", name), f" is for `on: {place}` alone")
    if said is not None and said.loss is not None and said.network is None:
        diagnostics.add(("paramserver", "loss"), " is for a `network` of your own")


def _deadline(fields: TrainFields, space: Space) -> float | None:
    """Seconds, from a limit on the time: the only one that a training may have."""
    limits = [fields.subject_to] if isinstance(fields.subject_to, str) else fields.subject_to
    deadline: float | None = None
    for limit in Problem(space, minimize="cost", subject_to=limits).constraints if limits else ():
        if limit.metric != "time" or limit.sign != "<=":
            raise ProblemError(f"{limit} cannot be kept while a training runs; expected time <= …")
        deadline = min(limit.bound, deadline or limit.bound)
    return deadline
