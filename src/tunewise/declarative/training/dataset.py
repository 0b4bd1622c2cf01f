"""The examples of a task that are on, as models want them."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.declarative.examples import Files, in_validation, unpack
from tunewise.declarative.examples.parts import FEW, FOLDS, place
from tunewise.declarative.models import Data
from tunewise.declarative.schema import DataType, Program, parse
from tunewise.errors import TaskError
from tunewise.storage.tasks import ExampleRow, TaskRow, TaskStore


@dataclass(frozen=True, eq=False)
class Dataset:
    """All examples that are on, in the order in which they were fed.

    Attributes:
        program: What was declared, decided by the examples where it left something open.
        rows: Of the store.
        inputs: As the schema keeps them.
        outputs: As the schema keeps them.
        version: Of the data.
        settings: Of the task: the salt of the validation part, and options of models.
    """

    program: Program
    rows: Sequence[ExampleRow]
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    version: int
    settings: Mapping[str, Any]

    def __len__(self) -> int:
        """How many examples are on."""
        return len(self.rows)

    @property
    def salt(self) -> str:
        """Of the validation part."""
        return str(self.settings["salt"])

    @property
    def few(self) -> bool:
        """Whether quality is measured by cross-validation."""
        return len(self) < FEW

    def parts(self) -> tuple[list[int], list[int]]:
        """Places of the training part and of the validation part."""
        held = [in_validation(self.salt, row.input) for row in self.rows]
        return (
            [at for at, out in enumerate(held) if not out],
            [at for at, out in enumerate(held) if out],
        )

    def folds(self) -> list[tuple[list[int], list[int]]]:
        """Training and validation places of each fold; every class is in as many as it can be."""
        order = sorted(range(len(self)), key=lambda at: place(self.salt, self.rows[at].input))
        dealt: dict[str, int] = {}
        seen: defaultdict[Any, int] = defaultdict(int)
        for at in order:
            key, label = self.rows[at].input, self.rows[at].label if self.labelled else ""
            if key not in dealt:
                dealt[key] = seen[label] % FOLDS
                seen[label] += 1
        fold = [dealt[row.input] for row in self.rows]
        every = range(len(self))
        return [
            ([at for at in every if fold[at] != one], [at for at in every if fold[at] == one])
            for one in sorted(set(fold))
        ]

    @property
    def labelled(self) -> bool:
        """Whether outputs are labels."""
        return self.program.labels is not None

    @property
    def text(self) -> bool:
        """Whether outputs are texts."""
        return self.program.output.single is not None and self.program.output.single.text

    @property
    def measure(self) -> str:
        """What quality is."""
        if self.labelled:
            return "accuracy"
        return "share of bytes" if self.text else "R²"

    def data(self, places: Sequence[int]) -> Data:
        """These examples for a model to learn from; its classes are those that occur here."""
        inputs = stacked([self.inputs[at] for at in places], self.program.input)
        outputs = [self.outputs[at] for at in places]
        if not self.labelled:
            return Data(inputs, stacked(outputs, self.program.output), self.program)
        classes = tuple(sorted(set(outputs), key=label_order))
        index = {label: number for number, label in enumerate(classes)}
        return Data(inputs, np.array([index[o] for o in outputs], np.int64), self.program, classes)


def load_dataset(
    store: TaskStore,
    files: Files,
    task: TaskRow,
    chosen: Callable[[ExampleRow], bool] | None = None,
) -> Dataset:
    """The examples of a task that are on, or those that are chosen.

    Raises:
        TaskError: Where a file is gone or damaged.
    """
    wanted = chosen or (lambda row: row.on)
    rows = [row for row in store.examples(task.id) if wanted(row)]
    found: dict[str, tuple[list[Any], list[Any]]] = {}
    for row in rows:
        if row.file not in found:
            found[row.file] = unpack(files.get(row.file))
        if row.place >= len(found[row.file][0]):
            raise TaskError(f"the file of example e{row.number} holds less than it should")
    inputs = [found[row.file][0][row.place] for row in rows]
    outputs = [found[row.file][1][row.place] for row in rows]
    return Dataset(parse(task.program), rows, inputs, outputs, task.version, task.settings)


def stacked(values: Sequence[Any], kind: DataType) -> Any:
    """One array where the type is a single tensor, else the list as it is."""
    single = kind.single
    if single is None or single.text or single.columns:
        return list(values)
    return np.stack(values) if values else np.empty((0, *single.shape), np.float32)


def label_order(label: str) -> tuple[int, float, str]:
    """Numbers by size, then words by name."""
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
