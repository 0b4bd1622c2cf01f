"""A stored model, ready to answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tunewise.declarative.encoders import decode, ready
from tunewise.declarative.models.graph import LOT, session
from tunewise.declarative.schema import Program, parse
from tunewise.declarative.serving.answer import Answer
from tunewise.errors import TaskError

MOST_SCORES = 20
"""Classes that an answer lists: nobody reads the thousandth."""


class Served:
    """A graph with its encoder and its classes. It needs onnxruntime and numpy alone."""

    def __init__(self, onnx: bytes, card: Mapping[str, Any]) -> None:
        """Load the graph; the card says how inputs are encoded and what the outputs mean."""
        self.card = card
        try:
            self.program: Program = parse(str(card["program"]))
            self.classes = None if card.get("classes") is None else tuple(card["classes"])
            self._encode = ready(card["encoder"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TaskError(f"the card of the model is damaged ({error!r:.80})") from error
        try:
            self._session = session(onnx)
        except Exception as error:  # noqa: BLE001 - whatever a hostile graph makes of the runtime
            raise TaskError(f"the model cannot be loaded ({error!s:.120})") from error

    def raw(self, inputs: Any) -> Any:
        """What the graph puts out: probabilities (n, classes), or values."""
        if len(inputs) <= LOT:
            return self._run(inputs)
        parts = [self._run(inputs[at : at + LOT]) for at in range(0, len(inputs), LOT)]
        return np.concatenate(parts)

    def outputs(self, raw: Any) -> Sequence[Any]:
        """Labels, arrays or sequences of what the graph put out."""
        if self.classes is not None:
            return [self.classes[place] for place in raw.argmax(axis=1)]
        decoded = decode(self.card["encoder"], raw)
        single = self.program.output.single
        if single is not None and not single.text and isinstance(decoded, np.ndarray):
            return list(decoded.reshape(len(decoded), *single.shape))
        return list(decoded)

    def answers(self, inputs: Any, **told: Any) -> list[Answer]:
        """The answers to inputs as the schema keeps them."""
        raw = self.raw(inputs)
        if self.classes is not None:
            return [self._classified(row, told) for row in raw]
        return [self._valued(value, told) for value in self.outputs(raw)]

    def _run(self, inputs: Any) -> Any:
        try:
            found = self._session.run(None, self._encode(inputs))[0]
        except TaskError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a hostile graph makes of the runtime
            raise TaskError(f"the model cannot answer ({error!s:.120})") from error
        if self.classes is not None and found.shape[1:] != (len(self.classes),):
            raise TaskError(f"the model tells {found.shape[1:]} of {len(self.classes)} classes")
        return found

    def _classified(self, row: Any, told: dict[str, Any]) -> Answer:
        assert self.classes is not None
        order = np.argsort(-row, kind="stable")[:MOST_SCORES].tolist()
        scores = {self.classes[place]: float(row[place]) for place in order}
        return Answer(self.classes[order[0]], scores, **told)

    def _valued(self, value: Any, told: dict[str, Any]) -> Answer:
        away = self.card.get("residual")
        single = self.program.output.single
        if single is None or len(single.shape) != 1 or not isinstance(value, np.ndarray):
            return Answer(value, **told)
        numbers = value.ravel().astype(float)
        low, high = (None, None) if away is None else (numbers - away, numbers + np.array(away))
        if len(numbers) == 1:
            ends = (None, None) if low is None else (float(low[0]), float(high[0]))  # type: ignore[index] # both or none
            return Answer(float(numbers[0]), {}, *ends, **told)
        lists = (None, None) if low is None else (low.tolist(), high.tolist())  # type: ignore[union-attr] # both or none
        return Answer(numbers.tolist(), {}, *lists, **told)
