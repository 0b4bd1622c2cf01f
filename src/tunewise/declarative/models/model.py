"""The contract of a candidate model: it learns from examples and becomes an ONNX graph."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from tunewise import data as slices
from tunewise.declarative.schema import Program

Array = npt.NDArray[Any]
Feeds = dict[str, Array]

CLASSES, NUMBERS, TENSORS, SEQUENCES = "classes", "numbers", "tensors", "sequences"


@dataclass(frozen=True)
class Size:
    """How large a training is, known before it runs.

    Attributes:
        examples: Pairs in the training part.
        shape: Of one input tensor; of one step, where the input is a sequence or a tree.
        outputs: Classes, or numbers of one output.
        length: Steps, nodes or bytes of a usual input.
    """

    examples: int
    shape: tuple[int, ...] = (1,)
    outputs: int = 2
    length: int = 1

    @property
    def inputs(self) -> int:
        """Numbers in one input."""
        return prod(self.shape) * self.length

    def at(self, fraction: float) -> "Size":
        """The size of a slice."""
        kept = max(1, round(self.examples * fraction))
        return Size(kept, self.shape, self.outputs, self.length)


@dataclass(frozen=True)
class Data:
    """Examples of the training part, all of them on.

    Attributes:
        inputs: An array (n, ...) of float32 for tensors and tables of numbers. Otherwise a list:
            texts, rows (values in the order of the columns, None where missing), chains and trees.
        outputs: int64 classes, float32 numbers or tensors (n, ...), or a list of sequences.
        program: What was declared.
        classes: Their names, or None where outputs are no classes.
    """

    inputs: Any
    outputs: Any
    program: Program
    classes: tuple[str, ...] | None = None

    def __len__(self) -> int:
        """How many examples."""
        return len(self.inputs)

    @property
    def kind(self) -> str:
        """What comes out: classes, numbers, tensors or sequences."""
        if self.classes is not None:
            return CLASSES
        if not isinstance(self.outputs, np.ndarray):
            return SEQUENCES
        return TENSORS if self.outputs.ndim > 2 else NUMBERS

    def slice(self, fraction: float, seed: int) -> "Data":
        """A part of the examples, stratified and nested within larger parts of the same seed."""
        if fraction >= 1:
            return self
        labels = self.outputs if self.classes is not None else None
        kept = slices.indices(len(self), fraction, stratify=labels, seed=seed)
        return self.at(kept)

    def at(self, places: Array) -> "Data":
        """The examples at these places."""
        return Data(
            _taken(self.inputs, places), _taken(self.outputs, places), self.program, self.classes
        )

    def targets(self) -> Array:
        """Class indices (n,), or numbers (n, m)."""
        if self.classes is not None:
            return np.asarray(self.outputs, np.int64)
        return np.asarray(self.outputs, np.float32).reshape(len(self), -1)

    def width(self) -> int:
        """Classes, or numbers of one output."""
        return len(self.classes) if self.classes is not None else int(self.targets().shape[1])


def _taken(values: Any, places: Array) -> Any:
    if isinstance(values, np.ndarray):
        return values[places]
    return [values[place] for place in places]


@dataclass(frozen=True)
class Fitted:
    """What a training gave, without any code.

    Attributes:
        onnx: The graph. Its one output is probabilities (n, classes) or values.
        encoder: How raw inputs become the graph's input tensors, as JSON.
        checkpoint: Weights (safetensors) that a training on more data may go on from.
        native: The model's own answers to encoded inputs: what the graph is compared with.
    """

    onnx: bytes
    encoder: Mapping[str, Any]
    checkpoint: bytes | None = None
    native: Callable[[Feeds], Array] | None = field(default=None, compare=False, repr=False)


class Model(ABC):
    """One candidate: a class of its own."""

    name: ClassVar[str]
    """As users read it."""
    templates: ClassVar[tuple[str, ...]]
    """Names of the templates that it is a candidate of."""
    outputs: ClassVar[tuple[str, ...]] = (CLASSES, NUMBERS)
    """What it can put out: classes, numbers, tensors, sequences."""
    year: ClassVar[int]
    """Of its publication, for the order from the newest."""
    citations: ClassVar[int]
    """Roughly, for the order from the most cited."""
    needs: ClassVar[tuple[str, ...]] = ("tasks",)
    """The extras it needs."""
    options: ClassVar[tuple[str, ...]] = ()
    """Keywords of its constructor that a task may set."""
    normalised: ClassVar[bool] = True
    """Whether normalised inputs make another candidate, where its template has any."""

    def __init__(self, *, power: float | None = None) -> None:
        """Take the k of a normalisation of tensors; plain scaling without."""
        self.power = power

    @classmethod
    def suits(cls, program: Program) -> bool:
        """Whether it can be used for a program of its templates; most can for all."""
        return True

    @classmethod
    def variants(cls, settings: Mapping[str, Any]) -> dict[str, "Model"]:
        """More candidates for a task of these settings, by what follows the `@` in their names."""
        return {}

    @abstractmethod
    def seconds(self, size: Size) -> float:
        """An estimate of its processor seconds before it has run, on one core."""

    @abstractmethod
    def fit(
        self, data: Data, *, fraction: float = 1.0, seed: int = 0, start: bytes | None = None
    ) -> Fitted:
        """Learn from a slice of the data with one thread.

        Args:
            data: The training part.
            fraction: The slice to learn from.
            seed: Of the slice and of all that is drawn.
            start: The checkpoint of a training on a smaller slice; it may be ignored.
        """
