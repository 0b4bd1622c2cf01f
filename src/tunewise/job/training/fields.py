"""The fields of a training's job file, as data."""

from typing import Any, Literal

from pydantic import Field

from tunewise.job.fields import (
    Amount,
    ClusterFields,
    Fields,
    Nested,
    ParameterFields,
    PriceFields,
    Scalar,
    SpaceFields,
    Switch,
)
from tunewise.online.managers.named import NAMES
from tunewise.online.managers.pace import TRIES


class DataFields(Fields):
    """A file of training data, or what is made up."""

    file: str | None = Field(None, description="the path of a LIBSVM, CSV, NPZ or Parquet file")
    label: str | None = Field(None, description="the column, or array, of the labels")
    kind: Literal["dense", "url", "pictures"] = Field("dense", description="dense, url or pictures")
    rows: int = Field(20_000, ge=1, description="a number of rows")
    features: int = Field(100, ge=1, description="a number of features")
    per_row: int = Field(60, ge=1, description="features of a row, where they are sparse")
    side: int = Field(24, ge=4, description="pixels of a picture's side")
    colours: int = Field(3, ge=1, description="a number of colours")
    classes: int = Field(10, ge=2, description="a number of classes of pictures")
    seed: int = Field(0, ge=0, description="a whole number, 0 or above")


class MachineFields(Fields):
    """The cluster that a simulation stands for."""

    nodes: int = Field(36, ge=2, description="a number of nodes")
    cores: int = Field(8, ge=1, description="cores of a node")
    bandwidth: float = Field(125e6, gt=0, description="bytes per second of a link")
    latency: float = Field(1e-4, ge=0, description="seconds of a message on its way")
    per_operation: float = Field(2e-9, gt=0, description="seconds of a multiplication")
    per_iteration: float = Field(1e-3, ge=0, description="seconds of an iteration's beginning")
    per_message: float = Field(5e-5, ge=0, description="seconds of a message at a server")
    restart: float = Field(0.5, ge=0, description="seconds of a restart")
    sockets: int = Field(1, ge=1, description="sockets of a node")
    across: float = Field(0.0, ge=0, description="what a socket more slows a gradient down by")
    crowded: float = Field(0.0, ge=0, description="what a thread more on a socket does to it")


class ResourceFields(Fields):
    """What Ray sets aside for each actor of a kind."""

    num_cpus: float = Field(0, ge=0, description="a number of cores")
    num_gpus: float = Field(0, ge=0, description="a number of GPUs")
    memory: int | None = Field(None, ge=0, description="a number of bytes")
    resources: dict[str, float] = Field({}, description="Ray's resources of your own, with amounts")


def _data() -> DataFields:
    return DataFields.model_validate({})


def _machines() -> MachineFields:
    return MachineFields.model_validate({})


def _resources() -> ResourceFields:
    return ResourceFields.model_validate({})


class ParameterServerFields(Fields):
    """A training by a parameter server."""

    on: Literal["simulated", "ray"] = Field("simulated", description="simulated or ray")
    model: Literal["logistic", "svm", "mlp", "cnn", "thesis_cnn"] = Field(
        "logistic", description="logistic, svm, mlp, cnn or thesis_cnn"
    )
    network: str | None = Field(None, description="a module of your own, such as net.py:Net")
    loss: str | None = Field(None, description="a loss of your own, such as net.py:loss")
    validation: float | str | None = Field(
        None, description="a share of the rows, such as 0.1, or the path of a file"
    )
    hidden: list[int] = Field([64], description="units of each hidden layer of an mlp")
    channels: int = Field(8, ge=1, description="channels of a cnn's first convolution")
    l2: float = Field(1e-4, ge=0, allow_inf_nan=False, description="a number, 0 or above")
    data: DataFields = Field(
        default_factory=_data, description="{kind: ..., rows: ..., features: ...}"
    )
    rate: float = Field(0.1, gt=0, allow_inf_nan=False, description="a learning rate")
    optimizer: Literal["sgd", "momentum", "svrg"] = Field(
        "sgd", description="sgd, momentum or svrg"
    )
    scaling: Literal["none", "linear"] = Field("none", description="none or linear")
    scheme: Literal[1, 2, "background"] = Field("background", description="1, 2 or background")
    machines: MachineFields = Field(
        default_factory=_machines, description="{nodes: ..., cores: ...}"
    )
    address: str | None = Field(None, description="of a Ray cluster, such as auto or 10.0.0.7:6379")
    per_worker: ResourceFields = Field(
        default_factory=_resources, description="{num_cpus: ..., memory: ...}"
    )
    per_server: ResourceFields = Field(
        default_factory=_resources, description="{num_cpus: ..., memory: ...}"
    )


class SelfTfFields(Fields):
    """What the thesis' manager is told."""

    m: int = Field(20, ge=1, description="a number of settings")
    least: float = Field(0.0, allow_inf_nan=False, description="the least possible loss, f*")
    rate: Literal["sublinear", "linear"] = Field("sublinear", description="sublinear or linear")


class TrainFields(SpaceFields):
    """Everything a training's job file may say."""

    name: str | None = Field(None, pattern=r"^$|\S", description="a name for the training")
    command: str | list[Scalar] | None = Field(
        None, description="a command, such as python train.py, as text or a list"
    )
    torchrun: str | list[Scalar] | None = Field(
        None, description="a script for torchrun, such as train.py, as text or a list"
    )
    nnodes: int = Field(1, ge=1, description="over how many nodes torchrun runs")
    address: str | None = Field(None, description="of the first node, such as 10.0.0.7:29400")
    restart: Switch = Field(False, description="true or false")
    cwd: str | None = Field(None, description="the path of a folder")
    env: dict[str, Scalar] = Field({}, description="environment variables with their values")
    paramserver: ParameterServerFields | None = Field(
        None, description="{model: ..., data: ..., rate: ...}"
    )
    default: dict[str, Any] | None = Field(
        None, description="the setting to begin with, such as {workers: 4}"
    )
    until: str = Field(description='the end, such as "loss <= 0.1" or "samples >= 60000"')
    minimize: Literal["time", "cost"] = Field("time", description="time or cost")
    subject_to: str | list[str] = Field([], description='a limit such as "time <= 2 h"')
    price: float | str | PriceFields | None = Field(
        None, description="USD per hour as a number or an expression such as 0.05 * workers"
    )
    each: int | None = Field(None, ge=1, description="iterations for which a setting is tried")
    manager: str = Field("pace", description=", ".join(NAMES))
    selftf: SelfTfFields | None = Field(None, description="{m: ..., least: ..., rate: ...}")
    tries: float = Field(
        TRIES, ge=0, le=1, description="a share of the training, from 0 to 1, such as 0.05"
    )
    transfer: Switch = Field(True, description="true or false")
    checkpoint: Amount = Field(30.0, description="a time between checkpoints, such as '1 min'")
    seed: int | None = Field(None, ge=0, description="a whole number, 0 or above")
    storage: str | None = Field(
        None, min_length=1, description="a file, or a URL such as sqlite:///tunewise.db"
    )
    namespace: str | None = Field(None, description="whose training it is, such as a team's name")
    report: str | None = Field(None, min_length=1, description="the path of an HTML file")


NESTED: Nested = {
    (): TrainFields,
    ("space", "*"): ParameterFields,
    ("space", "*", "cluster"): ClusterFields,
    ("price",): PriceFields,
    ("selftf",): SelfTfFields,
    ("paramserver",): ParameterServerFields,
    ("paramserver", "data"): DataFields,
    ("paramserver", "machines"): MachineFields,
    ("paramserver", "per_worker"): ResourceFields,
    ("paramserver", "per_server"): ResourceFields,
}
"""Which fields stand at which path; `*` is any name."""
