"""What is kept about a study besides its trials, with names and types."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tunewise.errors import StorageError
from tunewise.study.owner import Owner


@dataclass(frozen=True)
class PosedProblem:
    """A problem that a study was given later on.

    Attributes:
        since: The number of the first trial that was asked for under it.
        problem: Its description.
        at: When it was posed, in seconds since the epoch.
    """

    since: int
    problem: dict[str, Any]
    at: float | None = None


@dataclass(frozen=True)
class JobText:
    """The job file that a study was run from.

    Attributes:
        path: Where it was.
        text: What it said.
        changes: What the command line said instead.
        withheld: Names of environment variables whose values are kept by no store.
    """

    path: str
    text: str
    changes: dict[str, Any] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()

    @classmethod
    def of(cls, kept: Any) -> "JobText | None":
        """Read what a store keeps; None where there is none, or it is damaged."""
        told = _mapping(kept)
        path, text, changes = (told.get(name) for name in ("path", "text", "changes"))
        if isinstance(path, str) and isinstance(text, str) and isinstance(changes, Mapping):
            names = told.get("withheld")
            return cls(path, text, dict(changes), tuple(map(str, names or ())))
        return None


@dataclass(frozen=True)
class BegunRun:
    """The run that began last.

    Attributes:
        owner: Which process it is.
        at: When it began, in seconds since the epoch.
    """

    owner: Owner
    at: float

    @classmethod
    def of(cls, kept: Any) -> "BegunRun | None":
        """Read what a store keeps; None where there is none, or it is damaged."""
        told = _mapping(kept)
        try:
            return cls(Owner.parse(str(told["owner"])), float(told["at"]))
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(frozen=True)
class Notes:
    """What runs of a study leave for whoever looks at it later.

    Attributes:
        folder: Where logs and results of its trials are.
        job: The job file, where there is one.
        begun: The run that began last.
        stopped: Why the last run ended; None while it goes on, and when it was killed.
        recommended: What the last run recommended, as `Recommendation.describe` tells it.
        recommended_after: After how many ended trials it did.
        stop_requests: How often a person asked for the end of a run.
        prior: What other studies measured, and which they were.
        problems: The problems after the first, in order.
    """

    folder: str | None = None
    job: JobText | None = None
    begun: BegunRun | None = None
    stopped: str | None = None
    recommended: dict[str, Any] | None = None
    recommended_after: int | None = None
    stop_requests: int = 0
    prior: dict[str, Any] | None = None
    problems: tuple[PosedProblem, ...] = ()

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Notes":
        """Read what a store keeps; what another Tunewise added is left alone.

        A damaged note is as good as none, but for those that decide what the study is about.

        Raises:
            StorageError: The problems, or what was learned from others, cannot be read.
        """
        recommended = _mapping(kept.get("recommended"))
        folder, asked = kept.get("folder"), kept.get("stop_requests")
        try:
            problems = tuple(PosedProblem(**posed) for posed in kept.get("problems") or ())
        except TypeError as error:
            raise StorageError(f"the store is damaged: a study's problems: {error}") from error
        stopped = kept.get("stopped")
        return cls(
            folder=folder if isinstance(folder, str) and "\0" not in folder else None,
            job=JobText.of(kept.get("job")),
            begun=BegunRun.of(kept.get("begun")),
            stopped=None if stopped is None else str(stopped),
            recommended={k: v for k, v in recommended.items() if k != "after"} or None,
            recommended_after=recommended.get("after"),
            stop_requests=asked if isinstance(asked, int) else 0,
            prior=kept.get("prior"),
            problems=problems,
        )

    def changed(self, *names: str) -> dict[str, Any]:
        """The named notes as a store keeps them, to be merged into what it has."""
        unknown = [name for name in names if name not in {f.name for f in fields(self)}]
        assert not unknown, unknown
        return {name: self._encoded(name) for name in names}

    def _encoded(self, name: str) -> Any:
        value = getattr(self, name)
        if name == "job" and value is not None:
            kept = {"path": value.path, "text": value.text, "changes": value.changes}
            return {**kept, "withheld": list(value.withheld)}
        if name == "begun" and value is not None:
            return {"owner": str(value.owner), "at": value.at}
        if name == "problems":
            return [{"since": p.since, "problem": p.problem, "at": p.at} for p in value]
        if name == "recommended" and value is not None:
            return {**value, "after": self.recommended_after}
        return value


@dataclass(frozen=True)
class StudyRecord:
    """What a store keeps about a study besides its trials.

    Attributes:
        name: Unique in the store.
        problem: The described problem (`Problem.describe()`) that the study began with.
        strategy: Name and options of the strategy.
        seed: What, with the history, determines every ask.
        notes: Free JSON-able extras; `noted` reads those that Tunewise writes.
        created_at: Seconds since the epoch.
    """

    name: str
    problem: dict[str, Any]
    strategy: dict[str, Any]
    seed: int
    notes: dict[str, Any] = field(default_factory=dict)
    created_at: float | None = field(default=None, compare=False)

    @property
    def noted(self) -> Notes:
        """The notes by name."""
        return Notes.of(self.notes)

    @property
    def current_problem(self) -> dict[str, Any]:
        """The description of the problem that counts now."""
        posed = self.noted.problems
        return posed[-1].problem if posed else self.problem


def _mapping(kept: Any) -> Mapping[str, Any]:
    return kept if isinstance(kept, Mapping) else {}
