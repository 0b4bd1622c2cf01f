"""What the API takes and gives, as types."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field

from tunewise.job.tuning.sending import MOST_FILES
from tunewise.service.problems import NAME

Name = Annotated[str, Path(min_length=1, max_length=100, description="The name.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many.")]
After = Annotated[
    str | None, Query(max_length=100, description="The last name of the page before.")
]


class Given(BaseModel):
    """What a program sends: nothing that nobody knows."""

    model_config = ConfigDict(extra="forbid")


class ProblemDetails(BaseModel):
    """What is wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    error: str | None = None


class NewTask(Given):
    """A task to declare."""

    name: str = Field(min_length=1, max_length=100, pattern=NAME)
    program: str = Field(min_length=1, max_length=100_000)
    label: str | None = Field(None, max_length=200)
    weight: float = Field(1.0, gt=0, le=1000)
    latency: float | None = Field(None, gt=0, le=3600)
    shared: bool = True
    rates: str = Field("slices", max_length=100)
    quota: int | None = Field(None, ge=1, le=10**18)


class TaskHead(BaseModel):
    """A task in a list."""

    name: str
    program: str
    version: int
    revision: int
    created_at: float
    seconds: float


class TaskPage(BaseModel):
    """Some tasks; `next` is what to ask after."""

    tasks: list[TaskHead]
    next: str | None


class TaskStatus(BaseModel):
    """Where a task stands."""

    task: str
    program: str
    examples: int
    on: int
    version: int
    revision: int
    quality: float | None
    model: str | None
    trained: int
    verdict: str
    recall: dict[str, float]
    with_100_more: float | None
    next: str


class QualityOf(BaseModel):
    """How good the model that serves is."""

    model_config = ConfigDict(extra="allow")
    value: float
    low: float
    high: float
    baseline: float


class Models(BaseModel):
    """What was trained, with the quality of what serves."""

    models: list[dict[str, Any]]
    quality: QualityOf | None
    next: str


class Pair(Given):
    """An input with its output."""

    input: Any
    output: Any
    nth: int = Field(0, ge=0, description="Equal pairs that earlier requests of this feed had.")


class Pairs(Given):
    """Examples to add."""

    pairs: list[Pair] = Field(min_length=1, max_length=10_000)


class RefusedPair(BaseModel):
    """What is no example, and why."""

    where: str
    reason: str


class FedPairs(BaseModel):
    """What became of what was fed."""

    added: int
    known: int
    refused: list[RefusedPair]
    notes: list[str]
    version: int


class ExampleOf(BaseModel):
    """One pair that was fed, without its content."""

    id: str
    label: str | None
    on: bool
    part: str
    fed: float
    source: str
    by: str


class ExamplePage(BaseModel):
    """Some examples; `next` is what to ask after."""

    examples: list[ExampleOf]
    next: str | None


class Content(BaseModel):
    """Input and output of an example."""

    id: str
    input: Any
    output: Any


class Refine(Given):
    """Examples to turn on and off: ids, or a rule; and ids of those whose label is right."""

    on: list[str] | str = Field(default_factory=list)
    off: list[str] | str = Field(default_factory=list)
    undo: bool = False
    right: list[str] = Field(default_factory=list, max_length=10_000)


class RefinedBy(BaseModel):
    """What a refine has changed."""

    on: list[str]
    off: list[str]
    version: int
    before: float | None
    after: float | None


class SuspectOf(BaseModel):
    """An example that is worth a look."""

    id: str
    kind: str
    score: float
    why: str
    part: str
    source: str


class Suspects(BaseModel):
    """Examples that are worth a look, the most suspicious first."""

    suspects: list[SuspectOf]


class ProgramText(Given):
    """A program as it is typed."""

    program: str = Field(max_length=100_000)


class ProgramCheck(BaseModel):
    """What a program is taken for, or what is wrong with it."""

    ok: bool
    sentence: str
    program: str | None = None
    template: str | None = None
    models: list[str] = []


class Proposed(BaseModel):
    """A program that fits the data."""

    program: str
    shown: list[tuple[str, str]]
    notes: list[str]
    columns: list[str]
    answer: str


class StudyHead(BaseModel):
    """A study in a list."""

    name: str
    created_at: float
    strategy: str | None
    revision: int
    trials: int
    complete: int
    failed: int
    running: int
    spent: dict[str, float]
    objective: str | None
    best: float | None
    stopped: str | None


class StudyPage(BaseModel):
    """Some studies; `next` is what to ask after."""

    studies: list[StudyHead]
    next: str | None


class StudyOf(BaseModel):
    """A study without its trials."""

    model_config = ConfigDict(extra="allow")
    study: str
    revision: int
    strategy: dict[str, Any]
    problem: dict[str, Any]


class TrialPage(BaseModel):
    """Some trials; `next` is what to ask after."""

    trials: list[dict[str, Any]]
    next: int | None


class Enqueue(Given):
    """A config to try next; what it does not say is drawn."""

    config: dict[str, Any] = Field(max_length=1000)
    fraction: float = Field(1.0, gt=0, le=1)


class Enqueued(BaseModel):
    """The trial that waits."""

    trial: int
    config: dict[str, Any]
    fraction: float


class StudyNotes(Given):
    """What a person says about a study."""

    text: str = Field(max_length=10_000)


class Said(BaseModel):
    """What became of it, in a sentence."""

    sentence: str


class TrainingPage(BaseModel):
    """Some trainings; `next` is what to ask after."""

    trainings: list[dict[str, Any]]
    next: str | None


class TrainingOf(BaseModel):
    """A training that is tuned while it runs."""

    model_config = ConfigDict(extra="allow")
    name: str


class NewJob(Given):
    """A job file to run."""

    text: str = Field(min_length=1, max_length=200_000)
    name: str | None = Field(None, min_length=1, max_length=100, pattern=NAME)
    changes: dict[str, Any] = Field(default_factory=dict, max_length=20)
    files: dict[str, Base64Bytes] = Field(
        default_factory=dict,
        max_length=MOST_FILES,
        description="What it runs and reads, by its path from the job file's folder.",
    )


class JobOf(BaseModel):
    """A job that was submitted."""

    study: str
    state: str
    said: str | None
    created_at: float
