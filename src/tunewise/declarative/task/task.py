"""A declared task: what goes in, what comes out, examples, and the best model so far."""

import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tunewise.declarative.examples import Files
from tunewise.declarative.examples.parts import FEW
from tunewise.declarative.quality import Confusion, Quality
from tunewise.declarative.quality.curve import shrinkage
from tunewise.declarative.schema import Program, parse
from tunewise.declarative.serving import Answer, Served
from tunewise.declarative.standing import Standing, standing
from tunewise.declarative.task import exporting, feeding, looking
from tunewise.declarative.task.asking import read_any
from tunewise.declarative.task.choosing import chosen, number_of, shown
from tunewise.declarative.task.declaring import check_same, checked_name, declare, found_file
from tunewise.declarative.task.told import Example, Fed, Refined, TrainedModel
from tunewise.declarative.training.events import family
from tunewise.declarative.training.prior import prior
from tunewise.declarative.training.work import Progress, Work
from tunewise.errors import NotReady, TaskError
from tunewise.storage.tasks import TaskRow, TaskStore, open_tasks
from tunewise.storage.tasks.opening import files_beside

FRESH = 1.0
"""Seconds for which the best model is served without asking the store for a better one."""


class Task:
    """Feed it examples, let it train, and ask it: the best model so far answers."""

    def __init__(
        self,
        program: str | Program | None = None,
        *,
        name: str = "task",
        storage: str | Path | None = None,
        namespace: str = "",
        label: str | None = None,
        weight: float = 1.0,
        latency: float | None = None,
        quota: int | None = None,
        shared: bool = True,
        rates: str = "slices",
        vectors: str | Path | None = None,
    ) -> None:
        """Declare a task, or open the one of this name.

        Args:
            program: What goes in and what comes out, such as `image(28, 28) -> 10 classes`; None
                opens a task that was declared before.
            name: Of the task within the store.
            storage: A URL or a .db file; None: gone with this object.
            namespace: Whose it is, where several people share a store.
            label: The column with the answer, where tables are fed.
            weight: How much its gains count where tasks share a machine.
            latency: Seconds that one answer may take; slower models never serve.
            quota: Bytes that its files may take.
            shared: Whether later tasks may learn from how good its models were, and how quick.
            rates: How networks find their learning rates: "slices", "paper" or "adam".
            vectors: A file of word vectors in GloVe's format, for texts.
        """
        if storage is None:
            folder = tempfile.mkdtemp(prefix="tunewise-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            storage = Path(folder, "tunewise.db")
        self.url = str(storage)
        self._store = open_tasks(storage, namespace)
        found = self._store.find(checked_name(name))
        if found is None:
            if program is None:
                self._store.load(name)  # says which are there
            declared = parse(program) if isinstance(program, str) else program
            assert declared is not None
            settings = {"label": label, "weight": float(weight), "latency": latency}
            given = found_file(vectors)
            more = {"quota": quota, "shared": shared, "rates": rates, "vectors": given}
            found = declare(self._store, name, declared, {**settings, **more})
        elif program is not None:
            check_same(found, parse(program) if isinstance(program, str) else program)
        self._became(found)

    def _became(self, row: TaskRow) -> None:
        self._id, self.name = row.id, row.name
        folder, quota = files_beside(self.url) / str(row.id), row.settings.get("quota")
        self._files = Files(folder, quota, self._store.room)
        self._served: tuple[Standing, Served] | None = None
        self._looked, self._marks = -FRESH, (0, 0)
        self._labels: set[str | None] = set()

    @classmethod
    def declare(
        cls, store: TaskStore, url: str, *, name: str, program: str, **settings: Any
    ) -> "Task":
        """Declare a task in a store that is open already, at this URL."""
        declare(store, checked_name(name), parse(program), {"quota": None, **settings})
        return cls.stored(store, url, name)

    @classmethod
    def stored(cls, store: TaskStore, url: str, name: str) -> "Task":
        """The task of this name in a store that is open already, at this URL."""
        task = cls.__new__(cls)
        task.url, task._store = url, store
        task._became(store.load(name))
        return task

    @classmethod
    def from_data(cls, data: Any, label: str | None = None, **options: Any) -> "Task":
        """Propose the program from the data, declare the task and feed it.

        Args:
            data: A file, a folder or a data frame.
            label: The column with the answer.
            options: As of the constructor.
        """
        from tunewise.declarative.proposal import propose

        task = cls(propose(data, label).program, label=label, **options)
        task.feed(data)
        return task

    @property
    def program(self) -> Program:
        """What goes in and what comes out, as far as it is decided."""
        return parse(self._row().program)

    @property
    def version(self) -> int:
        """Of the data: counts every feed and refine."""
        return self._row().version

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
            label: The column with the answer; it is remembered.
            by: A function that labels each input; None where it cannot.
            dry_run: Only say what would be kept.
        """
        task = self._row()
        fed = feeding.feed(
            *(self._store, self._files, task, inputs, outputs), label=label, by=by, dry_run=dry_run
        )
        if label is not None and label != task.settings.get("label") and not dry_run:
            now = self._row()
            self._store.settle(now.id, now.program, {**now.settings, "label": label})
        return fed

    def feed_each(self, requests: Sequence[Any]) -> list[Fed | TaskError]:
        """Add the pairs of several requests in one step; of each, what became of it."""
        return feeding.feed_each(self._store, self._files, self._row(), requests, self._labels)

    def examples(self) -> list[Example]:
        """All pairs that were ever fed."""
        salt, rows = self._row().settings["salt"], self._store.examples(self._id)
        few = sum(row.on for row in rows) < FEW
        return [shown(row, salt, few) for row in rows]

    def some_examples(
        self,
        after: str = "e0",
        limit: int = 100,
        *,
        label: str | None = None,
        on: bool | None = None,
    ) -> list[Example]:
        """So many pairs, in their order, after one of them: of a label, or that are on or off."""
        salt = self._row().settings["salt"]
        rows = self._store.some_examples(self._id, number_of(after), limit, label, on)
        few = self._store.count_on(self._id) < FEW
        return [shown(row, salt, few) for row in rows]

    def example(self, id: str) -> tuple[Any, Any]:
        """Input and output of one example."""
        number = number_of(id)
        dataset = looking.dataset(
            self._store, self._files, self._row(), lambda row: row.number == number
        )
        if not len(dataset):
            raise TaskError(f"there is no example {id!r}")
        return dataset.inputs[0], dataset.outputs[0]

    def contents(self, ids: Iterable[str]) -> dict[str, tuple[Any, str | None]]:
        """By id the input and the label of some examples; ids that are unknown are left out."""
        numbers = {number_of(id) for id in ids}
        dataset = looking.dataset(
            self._store, self._files, self._row(), lambda row: row.number in numbers
        )
        found = zip(dataset.rows, dataset.inputs, strict=True)
        return {f"e{row.number}": (given, row.label) for row, given in found}

    def refine(
        self,
        off: Iterable[str] | str = (),
        on: Iterable[str] | str = (),
        *,
        undo: bool = False,
    ) -> Refined:
        """Turn examples off and on, by ids or by a rule.

        Args:
            off: Ids, or a rule such as `label == "cat" and fed < 2026-01-01`.
            on: Ids, or a rule.
            undo: Take back the last refine that was not taken back.
        """
        rows = self._store.examples(self._id)
        if undo:
            last = looking.last_refine(self._store.changes(self._id))
            turned_on, turned_off, change = last["off"], last["on"], {"undoes": last["version"]}
        else:
            turned_on, turned_off, change = chosen(rows, on or ()), chosen(rows, off or ()), {}
        before = self._standing()
        changed = self._store.switch(self._id, turned_on, turned_off, {"kind": "refine", **change})
        after = self._standing()
        return Refined(
            [f"e{n}" for n in changed if n in set(turned_on)],
            [f"e{n}" for n in changed if n in set(turned_off)],
            self.version,
            None if before is None else before.quality.value,
            None if after is None else after.quality.value,
        )

    def confirm(self, ids: Iterable[str]) -> None:
        """Say that the labels of these examples are right: they are suspected no more."""
        rows = self._store.examples(self._id)
        self._store.confirm(self._id, chosen(rows, list(ids)))

    def suspects(self) -> list[looking.Suspect]:
        """Examples that are worth a look, the most suspicious first; nothing is switched off."""
        best = self._need_standing()
        return looking.suspects(self._store, self._files, self._row(), best)

    def train(
        self,
        seconds: float | None = 60.0,
        *,
        models: int | None = None,
        workers: int = 1,
        rule: str = "hybrid",
        retrain: bool = False,
        hear: Callable[[Progress], None] = lambda progress: None,
    ) -> int:
        """Train models here and now: how many were trained.

        Args:
            seconds: After which it ends; None: when every candidate was trained.
            models: After how many models it ends, if not before.
            workers: Trainings at once, each with one thread.
            rule: Of the scheduler.
            retrain: Train all candidates again, though the data have hardly changed.
            hear: Told of what happens meanwhile.
        """
        self._check_enough()
        if retrain:
            looking.reopen(self._store, self._row())
        folder = files_beside(self.url)
        work = Work(
            self._store,
            self.url,
            folder,
            tasks=[self._id],
            workers=workers,
            rule=rule,
            log=prior([family(self.program)], self._store, [self._id]),
            hear=hear,
        )
        try:
            return work.run(seconds, models=models)
        finally:
            self._looked = -FRESH

    def infer(self, given: Any) -> Any:
        """The best model's answer to an input, or a list of answers to several.

        Args:
            given: An input, several, or a file or folder with one or several. What cannot be read
                of a file or folder of several is told in its answer's place.

        Raises:
            NotReady: Before the first model, with when one is expected.
        """
        best, server = self.serving()
        label = self.label if isinstance(given, str | Path) else None
        read = read_any(server.program, given, label)
        told = {"quality": best.quality, "model": best.card["model"], "data": best.card["version"]}
        answers = server.answers(read.inputs, **told)
        for place, one in sorted(read.refused.items()):
            answers.insert(place, Answer(None, refused=str(one), **told))
        return answers[0] if read.alone else answers

    @property
    def quality(self) -> Quality:
        """Of the model that serves, corrected for its having been chosen."""
        return self._need_standing().quality

    @property
    def confusion(self) -> Confusion:
        """What the model that serves takes for what: of each class how many examples, by answer."""
        return self._need_standing().confusion

    def training_score(self) -> float:
        """The quality of the model that serves on what it has learned from: no measure of it.

        Far above `quality`, the model knows its examples by heart, and more of them would help.
        """
        return looking.training_score(self._store, self._files, self._row(), self.serving()[1])

    def models(self) -> list[TrainedModel]:
        """All models that were trained, and what could not be, in order."""
        return looking.models(self._store, self._id, self._standing())

    def status(self) -> dict[str, Any]:
        """Where the task stands, in words of JSON."""
        best = self._standing()
        more = None if best is None else self.with_more(100)
        told = looking.status(self._store, self._row(), best)
        return {**told, "with_100_more": more, "next": self.outlook()}

    def with_more(self, examples: int = 100) -> float | None:
        """The quality to expect with so many more examples, by the learning curve so far.

        None where the model that serves was not tried on a slice.
        """
        best = self._need_standing()
        left = shrinkage(self._store.models(self._id), best.card, examples)
        return None if left is None else 1 - (1 - best.quality.value) * left

    def outlook(self) -> str:
        """One sentence: what is trained next and why, or what is missing."""
        return looking.outlook(self._store, files_beside(self.url), self._row())

    def export(self, path: str | Path) -> Path:
        """Write the best model: one ONNX file, or a folder that answers by itself."""
        best, _ = self.serving()
        return exporting.export(self._files, best.card, Path(path))

    def delete(self) -> None:
        """Forget the task, its examples and its models."""
        self._store.delete(self._id)
        self._files.forget()

    def close(self) -> None:
        """Give back connections."""
        self._store.close()

    def __repr__(self) -> str:
        """Its name and its program."""
        return f"Task({str(self.program)!r}, name={self.name!r})"

    def _row(self) -> TaskRow:
        row = self._store.by_id(self._id)
        if row is None:
            raise TaskError(f"the task {self.name!r} was deleted")
        return row

    @property
    def label(self) -> str | None:
        """The column with the answer, where tables are fed."""
        return self._row().settings.get("label")

    def _check_enough(self) -> None:
        missing = looking.lacking(self._store, files_beside(self.url), self._row())
        if missing is not None:
            raise NotReady(f"the task {self.name!r} cannot be trained yet: {missing}")

    def _standing(self) -> Standing | None:
        row = self._row()
        rows = self._store.examples(self._id)
        on = {example.content: example.label for example in rows if example.on}
        cards = self._store.models(self._id)
        return standing(cards, self._files, on, row.settings.get("latency"))

    def _need_standing(self) -> Standing:
        best = self._standing()
        if best is None:
            why = looking.no_model(self._store, files_beside(self.url), self._row())
            raise NotReady(f"the task {self.name!r} has no model yet: {why}")
        return best

    @property
    def is_fresh(self) -> bool:
        """Whether `serving` answers at once, without a look into the store."""
        return self._served is not None and time.monotonic() - self._looked < FRESH

    def serving(self) -> tuple[Standing, Served]:
        """The model that serves; a better one is taken over here, between two answers.

        Raises:
            NotReady: Before the first model, with when one is expected.
        """
        now = time.monotonic()
        if self._served is not None and self.is_fresh:
            return self._served
        marks = self._store.marks(self._id)
        if self._served is not None and marks == self._marks:
            self._looked = now
            return self._served
        best = self._need_standing()
        self._marks = marks
        if self._served is None or best.card["number"] != self._served[0].card["number"]:
            self._served = best, exporting.served(self._files, best.card)
        else:
            self._served = best, self._served[1]
        self._looked = now
        return self._served
