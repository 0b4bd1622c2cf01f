"""A task of a service: the methods of `tw.Task`, by HTTP."""

import io
import json
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tunewise.declarative.examples.loading import from_objects
from tunewise.declarative.examples.loading.paths import files_below
from tunewise.declarative.examples.raw import Refused
from tunewise.declarative.examples.suspicion import Suspect
from tunewise.declarative.quality import Quality
from tunewise.declarative.schema import Program, parse
from tunewise.declarative.serving import Answer
from tunewise.declarative.task.asking import asked
from tunewise.declarative.task.told import Example, Fed, Refined, TrainedModel
from tunewise.errors import NotReady, TaskError, TunewiseError
from tunewise.service.client.http import Http, Part

MOST_PAIRS = 1000
"""Pairs of one request."""

MOST_FILES, MOST_BYTES = 200, 64 * 1024 * 1024
"""Files of one request, and how much they hold unless it is one alone."""


class RemoteTask:
    """Feed it, ask it, look at what it learned from; the service trains."""

    def __init__(self, http: Http, name: str) -> None:
        """Nothing is asked yet."""
        self._http, self.name = http, name
        self._program: Program | None = None

    @property
    def program(self) -> Program:
        """What goes in and what comes out, as far as it is decided."""
        if self._program is None or self._program.undecided:
            self._program = parse(self.status()["program"])
        return self._program

    @property
    def version(self) -> int:
        """Of the data: counts every feed and refine."""
        return int(self.status()["version"])

    def feed(
        self,
        inputs: Any,
        outputs: Any = None,
        *,
        label: str | None = None,
        by: Callable[[Any], Any] | None = None,
        dry_run: bool = False,
    ) -> Fed:
        """Add examples; what does not fit is told, and the rest is kept.

        Args:
            inputs: A file, a folder with one folder for each class, a data frame, pairs, or inputs.
            outputs: Of the inputs.
            label: The column with the answer; of files it is remembered.
            by: A function that labels each input; None where it cannot. It runs here.
            dry_run: Only say what would be kept; of files alone.
        """
        if isinstance(inputs, str | Path) and outputs is None:
            return self._feed_files(Path(inputs).expanduser(), label, dry_run)
        if dry_run:
            raise TaskError("a service tries files alone; give a path, or leave dry_run out")
        told: list[Fed] = []
        found = from_objects(inputs, outputs, self.program, label, by)
        refused = []
        pairs: list[dict[str, Any]] = []
        seen: Counter[str] = Counter()  # a request knows only of its own
        for one in found:
            if isinstance(one, Refused):
                refused.append(one)
                continue
            pair = {"input": _plain(one.input), "output": _plain(one.output)}
            content = json.dumps(pair)
            pairs.append(pair | ({"nth": seen[content]} if seen[content] else {}))
            seen[content] += 1
            if len(pairs) == MOST_PAIRS:
                with _saying_kept(told):
                    told.append(self._feed_pairs(pairs))
                pairs = []
        if pairs or not told:
            with _saying_kept(told):
                told.append(self._feed_pairs(pairs) if pairs else Fed(0, 0, version=self.version))
        return _together([*told, Fed(0, 0, refused, version=told[-1].version)])

    def _feed_pairs(self, pairs: list[dict[str, Any]]) -> Fed:
        return _fed(self._call("POST", "examples", data={"pairs": pairs}))

    def _feed_files(self, path: Path, label: str | None, dry_run: bool) -> Fed:
        fields = {"dry_run": str(dry_run).lower(), **({} if label is None else {"label": label})}
        place = ("tasks", self.name, "uploads")
        told: list[Fed] = []
        for some in _batches(path):
            with _saying_kept(told):
                told.append(_fed(self._http.send(place, some, fields)))
        if not told:
            raise TaskError(f"{path.name} holds no file")
        return _together(told)

    def examples(self) -> list[Example]:
        """All pairs that were ever fed."""
        found: list[Example] = []
        after: str | None = "e0"
        while after is not None:
            page = self._call("GET", "examples", after=after, limit=500)
            found += [Example(**one) for one in page["examples"]]
            after = page["next"]
        return found

    def example(self, id: str) -> tuple[Any, Any]:
        """Input and output of one example."""
        told = self._call("GET", "examples", id)
        return told["input"], told["output"]

    def refine(
        self, off: Iterable[str] | str = (), on: Iterable[str] | str = (), *, undo: bool = False
    ) -> Refined:
        """Turn examples off and on, by ids or by a rule.

        Args:
            off: Ids, or a rule such as `label == "cat" and fed < 2026-01-01`.
            on: Ids, or a rule.
            undo: Take back the last refine that was not taken back.
        """
        meant = {"off": _meant(off), "on": _meant(on), "undo": undo}
        return Refined(**self._call("PATCH", "examples", data=meant))

    def confirm(self, ids: Iterable[str]) -> None:
        """Say that the labels of these examples are right: they are suspected no more."""
        self._call("PATCH", "examples", data={"right": list(ids)})

    def suspects(self) -> list[Suspect]:
        """Examples that are worth a look, the most suspicious first; nothing is switched off."""
        return [Suspect(**one) for one in self._call("GET", "suspects")["suspects"]]

    def wait(
        self, seconds: float | None = 60.0, *, models: int | None = None, every: float = 1.0
    ) -> int:
        """Wait while the service trains by itself: how many models it has trained meanwhile.

        Args:
            seconds: After which it ends; None: when there are so many models.
            models: After how many models it ends, if not before; by default after one.
            every: Seconds between two looks.
        """
        until = float("inf") if seconds is None else time.monotonic() + seconds
        wanted = models or (1 if seconds is None else None)
        before = now = self._trained()
        while time.monotonic() < until and (wanted is None or now - before < wanted):
            time.sleep(min(every, max(until - time.monotonic(), 0.0)))
            now = self._trained()
        return now - before

    def _trained(self) -> int:
        return sum(one.quality is not None for one in self.models())

    def infer(self, given: Any) -> Any:
        """The best model's answer to an input, or a list of answers to several.

        Args:
            given: An input, several, or a file with one or several.

        Raises:
            NotReady: Before the first model, with when one is expected.
        """
        single = self.program.input.single
        text = single is not None and single.text
        if isinstance(given, Path) or (isinstance(given, str) and not text):
            path = Path(given).expanduser()
            if path.is_dir():
                return self._infer_each(path)
            part = Part("file", path.name, _content(path))
            told = self._http.send(("tasks", self.name, "infer"), [part], {})
            answers, alone = told["answers"], bool(told["single"])
        else:
            inputs, alone = asked(self.program, given, None)
            plain = [_plain(one) for one in inputs]
            answers = self._call("POST", "infer", data={"inputs": plain})["answers"]
        made = [self._answer(one) for one in answers]
        return made[0] if alone else made

    def _infer_each(self, folder: Path) -> list[Answer]:
        """An answer for each file of a folder; one that cannot be read is refused, not the rest."""
        made: list[Answer] = []
        for file in files_below(folder):
            try:
                made.append(self.infer(file))
            except NotReady:
                raise
            except TaskError as error:
                made.append(Answer(None, refused=f"{file.relative_to(folder)}: {error}"))
        if not made:
            raise TaskError(f"{folder.name} holds no input")
        return made

    def _answer(self, told: dict[str, Any]) -> Answer:
        field = self.program.output.single
        array = field is not None and not field.text and len(field.shape) > 1
        value = np.asarray(told["value"], np.float32) if array else told["value"]
        return Answer(**{**told, "value": value, "quality": Quality(**told["quality"])})

    @property
    def quality(self) -> Quality:
        """Of the model that serves, corrected for its having been chosen."""
        told = self._call("GET", "models")
        if told["quality"] is None:
            raise NotReady(f"the task {self.name!r} has no model yet: {told['next']}")
        return Quality(**told["quality"])

    def models(self) -> list[TrainedModel]:
        """All models that were trained, and what could not be, in order."""
        return [TrainedModel(**one) for one in self._call("GET", "models")["models"]]

    def status(self) -> dict[str, Any]:
        """Where the task stands, in words of JSON."""
        told: dict[str, Any] = self._call("GET")
        return told

    def outlook(self) -> str:
        """One sentence: what is trained next and why, or what is missing."""
        return str(self.status()["next"])

    def export(self, path: str | Path) -> Path:
        """Write the best model: one ONNX file, or a folder that answers by itself."""
        target = Path(path)
        if target.suffix == ".onnx":
            if target.exists():
                raise TaskError(f"{str(target)!r} is there already; expected a new file")
            target.write_bytes(self._http.get("tasks", self.name, "export", form="onnx"))
            return target
        return _unpacked(self._http.get("tasks", self.name, "export"), target)

    def client(self, folder: str | Path) -> Path:
        """Write programs for this task alone, with a token of their own, into a new folder."""
        return _unpacked(self._http.made("tasks", self.name, "client"), Path(folder))

    def delete(self) -> None:
        """Forget the task, its examples and its models."""
        self._call("DELETE")

    def close(self) -> None:
        """There is nothing to give back."""

    def _call(self, method: str, *path: str, data: Any = None, **query: Any) -> Any:
        return self._http.call(method, "tasks", self.name, *path, data=data, **query)

    def __repr__(self) -> str:
        """Its name and where it is."""
        return f"RemoteTask({self.name!r} at {self._http.address})"


@contextmanager
def _saying_kept(told: list[Fed]) -> Iterator[None]:
    """Where a batch is refused, say that those before it are kept."""
    try:
        yield
    except TunewiseError as error:
        if not told:
            raise
        added = sum(part.added for part in told)
        raise type(error)(f"{error}; {added:,} examples that were sent before are kept") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def _meant(given: Iterable[str] | str) -> list[str] | str:
    return given if isinstance(given, str) else list(given)


def _fed(told: dict[str, Any]) -> Fed:
    refused = [Refused(one["where"], one["reason"]) for one in told["refused"]]
    return Fed(told["added"], told["known"], refused, told["notes"], told["version"])


def _together(parts: list[Fed]) -> Fed:
    return Fed(
        sum(part.added for part in parts),
        sum(part.known for part in parts),
        [one for part in parts for one in part.refused],
        list(dict.fromkeys(note for part in parts for note in part.notes)),
        parts[-1].version,
    )


def _batches(path: Path) -> Iterator[list[Part]]:
    if not path.is_dir():
        yield [Part("files", path.name, _content(path))]
        return
    some: list[Part] = []
    size = 0
    for file in sorted(each for each in path.rglob("*") if each.is_file()):
        part = Part("files", file.relative_to(path).as_posix(), _content(file))
        if some and (len(some) == MOST_FILES or size + len(part.content) > MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(part)
        size += len(part.content)
    if some:
        yield some


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TaskError(f"{str(path)!r} cannot be read ({error.strerror})") from error


def _unpacked(content: bytes, folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TaskError(f"{str(folder)!r} is there already; expected a new or an empty folder")
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    for name in ("feed", "refine", "infer"):
        if (folder / name).is_file():
            (folder / name).chmod(0o755)
    return folder
