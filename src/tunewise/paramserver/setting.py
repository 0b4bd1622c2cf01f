"""The system settings of a parameter-server training, and what changing them moves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tunewise.errors import ExecutionError, nearest
from tunewise.online.affinity import check_affinity
from tunewise.paramserver.compression import compression
from tunewise.paramserver.consistency import Consistency
from tunewise.paramserver.partition import KINDS

_MODEL = ("servers", "partition")
"""A change of these moves parameters (type I-b)."""

_DATA = ("workers", "group", "data_partition")
"""A change of these moves rows of the training data (type I-a)."""


@dataclass(frozen=True)
class Setting:
    """How a training is laid out over a cluster; none of it changes what is trained.

    Attributes:
        servers: How many nodes hold parameters.
        workers: How many nodes compute.
        consistency: "bsp", "asp", or "ssp:3".
        batch_size: Rows of a worker's batch.
        threads: Cores that a worker computes with.
        group: Workers that share one replica of the model.
        compression: "none", "fp16" or "topk".
        partition: Parameters over servers: "range" or "hash".
        data_partition: Rows over workers: "range" or "hash".
        affinity: Cores of a worker's threads: "none", "packed" side by side, or "spread".
    """

    servers: int = 1
    workers: int = 1
    consistency: str = "bsp"
    batch_size: int = 100
    threads: int = 1
    group: int = 1
    compression: str = "none"
    partition: str = "range"
    data_partition: str = "range"
    affinity: str = "none"

    def __post_init__(self) -> None:
        """Refuse what cannot be, by name."""
        for name in ("servers", "workers", "batch_size", "threads", "group"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ExecutionError(f"{name} is {value!r}; expected a whole number, 1 or above")
        if self.workers % self.group:
            raise ExecutionError(
                f"{self.workers} workers cannot be in groups of {self.group}: expected a divisor"
                f" of {self.workers}"
            )
        Consistency.named(self.consistency)
        compression(self.compression)
        check_affinity(self.affinity)
        for name in ("partition", "data_partition"):
            if (kind := getattr(self, name)) not in KINDS:
                raise ExecutionError(f"unknown {name} {kind!r}{nearest(kind, KINDS)}")

    @classmethod
    def of(cls, chosen: Mapping[str, Any]) -> "Setting":
        """The setting of some parameters' values; others keep their defaults."""
        for name in chosen:
            if name not in cls.__dataclass_fields__:
                known = nearest(name, cls.__dataclass_fields__)
                raise ExecutionError(f"unknown setting {name!r}{known}")
        return cls(**dict(chosen))

    @property
    def replicas(self) -> int:
        """How many copies of the model are trained on side by side."""
        return self.workers // self.group

    def changes_to(self, other: "Setting") -> frozenset[str]:
        """What kinds of change lead to another setting: "I-a", "I-b", "II" (section 3.3)."""
        differ = {
            name
            for name in self.__dataclass_fields__
            if getattr(self, name) != getattr(other, name)
        }
        kinds = set()
        if differ & set(_DATA):
            kinds.add("I-a")
        if differ & set(_MODEL):
            kinds.add("I-b")
        if differ - set(_DATA) - set(_MODEL):
            kinds.add("II")
        return frozenset(kinds)


Scheme = Literal[1, 2, "background"]
"""How a training is reconfigured (section 3.3 of the thesis).

1 stops for every change: a changed system setting is a restart (SSR), parameters that move are
written and read (CKP and MDR), rows that move are fetched (TDR). 2 differs in parameters alone,
which move on demand while training goes on (ODMR). "background" is ours: as 2, and rows are fetched
while training goes on.
"""


def check_scheme(scheme: Scheme) -> Scheme:
    """Refuse what is no scheme."""
    if isinstance(scheme, bool) or scheme not in get_args(Scheme):
        raise ExecutionError(f"scheme is {scheme!r}; expected 1, 2 or 'background'")
    return scheme


def check_setting(setting: object) -> None:
    """Refuse what is no setting, such as a dict."""
    if not isinstance(setting, Setting):
        raise ExecutionError(
            f"the setting is {setting!r}; expected a Setting, such as Setting(workers=3), or"
            " Setting.of(…) of a dict"
        )


def check_nodes(setting: Setting, nodes: int) -> None:
    """Refuse a setting that needs more nodes than there are."""
    if setting.servers + setting.workers > nodes:
        raise ExecutionError(
            f"{setting.servers} servers and {setting.workers} workers need more than the"
            f" {nodes} nodes of the cluster"
        )


def check_count(iterations: object) -> None:
    """Refuse what is no number of iterations."""
    whole = isinstance(iterations, int) and not isinstance(iterations, bool)
    if not whole or iterations < 0:  # type: ignore[operator] # a whole number by now
        raise ExecutionError(f"iterations are {iterations!r}; expected a whole number, 0 or above")
