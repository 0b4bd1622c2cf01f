"""The fields of a job file, as data: what each may hold, and how that is said to a person.

A field's description completes the sentence "expected ..."; the message of every mistake is made
from it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_SWITCH = {"on": True, "yes": True, "off": False, "no": False}


def _switched(value: Any) -> Any:
    return _SWITCH.get(value.lower(), value) if isinstance(value, str) else value


def listed(value: Any) -> Any:
    """A bare list of numbers is ordered, any other an unordered choice."""
    if not isinstance(value, list):
        return value
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    return {"ordinal" if numbers and value else "choice": value}


Switch: TypeAlias = Annotated[bool, BeforeValidator(_switched)]
Scalar: TypeAlias = str | int | float | bool | None
Amount: TypeAlias = int | float | str


class Fields(BaseModel):
    """Only what is listed, and nothing converted behind a person's back."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ClusterFields(Fields):
    """VM types and counts that form clusters."""

    types: list[str] | None = Field(None, description="a list of VM types, such as [t2.small]")
    counts: list[int] | dict[str, list[int]] = Field(
        [1], description="a list of numbers of VMs, or such a list for each VM type"
    )
    helpers: list[str] = Field([], description="a list of VM types; `same` is the workers' own")
    catalogue: str | None = Field(None, description="the path of a CSV file with prices")
    spot: Switch = Field(False, description="true or false")
    min_memory: float = Field(0.0, description="GiB that the VMs need together")
    max_price: float | None = Field(None, description="USD per hour for all VMs together")


class ParameterFields(Fields):
    """One parameter: a short form such as `real: [0, 1]`, or kind with low and high or values."""

    choice: list[Scalar] | None = Field(None, description="a list of values")
    ordinal: list[Scalar] | None = Field(None, description="a list of values in order")
    integer: list[int] | None = Field(
        None, min_length=2, max_length=2, description="two whole numbers, such as [1, 4]"
    )
    real: list[float] | None = Field(
        None, min_length=2, max_length=2, description="two numbers, such as [1e-5, 1e-1]"
    )
    cluster: ClusterFields | None = Field(None, description="types and counts of VMs")
    log: Switch = Field(False, description="true or false")
    step: float | None = Field(None, description="a number above 0")
    kind: Literal["choice", "ordinal", "integer", "real"] | None = Field(
        None, description="choice, ordinal, integer or real"
    )
    low: float | None = Field(None, description="a number")
    high: float | None = Field(None, description="a number")
    values: list[Scalar] | None = Field(None, description="a list of values")
    prior: Scalar = Field(None, description="the value that you expect to be best")
    confidence: Literal["low", "medium", "high"] | None = Field(
        None, description="low, medium or high"
    )
    when: dict[str, Scalar | list[Scalar]] | None = Field(
        None, description="values of other parameters, such as {optimizer: sgd}"
    )


class PriceFields(Fields):
    """A price out of a catalogue."""

    vm: str = Field(description='a VM type, which may name parameters, such as "{vm}"')
    count: int | str = Field(1, description="a number of VMs, or an expression such as vms")
    helpers: list[str] = Field([], description="a list of VM types; `same` is the workers' own")
    catalogue: str | None = Field(None, description="the path of a CSV file with prices")
    spot: Switch = Field(False, description="true or false")


class BillingFields(Fields):
    """How time is billed."""

    tick: Amount = Field(0.0, description="a time such as 60 or '1 min'")
    minimum: Amount = Field(0.0, description="a time such as 60 or '1 min'")


class SpaceFields(Fields):
    """What may be chosen."""

    space: dict[str, Annotated[ParameterFields, BeforeValidator(listed)]] = Field(
        min_length=1,
        description="parameters by name, each a list of values or such as {real: [0, 1]}",
    )
    where: str | list[str] = Field(
        [], description="conditions on parameters, such as \"vm != 't2.small' or vms >= 4\""
    )


class JobFields(SpaceFields):
    """Everything a job file may say."""

    name: str | None = Field(None, description="a name for the study")
    command: str | list[Scalar] | None = Field(
        None, description="a command, such as python train.py --rate {rate}, as text or a list"
    )
    python: str | None = Field(
        None, description="a function, as module:function or file.py:function"
    )
    preload: Switch = Field(False, description="true or false")
    shell: Switch = Field(False, description="true or false")
    cwd: str | None = Field(None, description="the path of a folder")
    env: dict[str, Scalar] = Field({}, description="environment variables with their values")
    maximize: str | list[str] | None = Field(
        None, description="the name of a metric, such as accuracy, or a list of names"
    )
    minimize: str | list[str] | None = Field(
        None, description="the name of a metric, such as cost, or a list of names"
    )
    subject_to: str | list[str | list[Scalar]] = Field(
        [], description='a list of limits, such as "cost <= 0.10" or "time <= 5 min"'
    )
    fractions: list[Amount] = Field([1.0], description="a list of shares, such as [1/10, 1]")
    resource: Literal["data", "epochs"] = Field("data", description="data or epochs")
    deploy: Literal["full", "any"] = Field("full", description="full or any")
    budget: Amount | None = Field(None, description="an amount such as 5 or '5 USD'")
    price: float | str | PriceFields | None = Field(
        None,
        description="USD per hour as a number, as an expression such as 0.05 * threads, or as"
        " {vm: ..., catalogue: ...}",
    )
    billing: BillingFields | None = Field(None, description="{tick: ..., minimum: ...}")
    metrics: list[str] | dict[str, str] = Field(
        [], description="names of metrics, or names with real, share or positive"
    )
    strategy: str | dict[str, Any] | None = Field(
        None, description="a strategy's name, or {name: ..., and its options}"
    )
    warm_start: str | list[str] = Field(
        [], description="the name of a study in the same storage, or a list of them"
    )
    seed: int | None = Field(None, ge=0, description="a whole number, 0 or above")
    trials: int | None = Field(None, ge=1, description="a whole number, 1 or above")
    timeout: Amount | None = Field(None, description="a time such as 600 or '10 min'")
    trial_timeout: Amount | None = Field(None, description="a time such as 600 or '10 min'")
    retries: int = Field(0, ge=0, description="a whole number, 0 or above")
    parallel: int = Field(1, ge=1, description="a whole number, 1 or above")
    target: float | None = Field(
        None, allow_inf_nan=False, description="a value of the objective: a finite number"
    )
    min_gain: Amount | None = Field(None, description="a number, 0 or above, or such as '10 %'")
    min_trials: int | None = Field(None, ge=1, description="a whole number, 1 or above")
    executor: str | dict[str, Any] | None = Field(
        None, description="the name of an executor, such as process, or {name: ..., its options}"
    )
    memory: Amount | None = Field(None, description="an amount of memory such as '2 GB'")
    storage: str | None = Field(None, description="a file, or a URL such as sqlite:///tunewise.db")
    namespace: str | None = Field(None, description="whose study it is, in a shared storage")
    report: str | None = Field(None, description="the path of an HTML file")


Nested: TypeAlias = Mapping[tuple[str, ...], type[Fields]]

NESTED: Nested = {
    (): JobFields,
    ("space", "*"): ParameterFields,
    ("space", "*", "cluster"): ClusterFields,
    ("price",): PriceFields,
    ("billing",): BillingFields,
}
"""Which fields stand at which path; `*` is any name."""
