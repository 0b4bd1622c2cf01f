"""ONNX graphs written node by node, and run with one thread."""

from functools import lru_cache
from typing import Any

import numpy as np

from tunewise.declarative.models.model import Array, Feeds, Fitted
from tunewise.errors import optional

OPSET, ML_OPSET, FORMAT = 17, 3, 8
"""Versions that every onnxruntime since 1.14 reads."""

LOT = 2048
"""Rows that a graph is given at once, so that memory does not grow with the number of rows."""

ML = "ai.onnx.ml"


class Graph:
    """A graph under construction: each call adds a node and returns the name of its result."""

    def __init__(self, **inputs: tuple[int | None, ...]) -> None:
        """Name the inputs with their shapes after the row; None is any length."""
        self._onnx = optional("onnx", extra="tasks")
        self._inputs = inputs
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, values: Any, dtype: Any = np.float32) -> str:
        """Numbers that belong to the model."""
        name = f"c{len(self._constants)}"
        array = np.ascontiguousarray(values, dtype)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def whole(self, *values: int) -> str:
        """Whole numbers, such as axes and shapes."""
        return self.constant(values, np.int64)

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        """One node with one result."""
        return self.several(op, 1, *inputs, **attributes)[0]

    def several(self, op: str, results: int, *inputs: str, **attributes: Any) -> list[str]:
        """One node with several results."""
        names = [f"n{len(self._nodes)}_{k}" for k in range(results)]
        node = self._onnx.helper.make_node(op, list(inputs), names, **attributes)
        self._nodes.append(node)
        return names

    def trees(self, source: str, targets: int, **arrays: Array | list[str]) -> str:
        """A sum of trees over the columns of a matrix; the arrays are the node's attributes."""
        name = self.add("TreeEnsembleRegressor", source, domain=ML, n_targets=targets)
        kinds = self._onnx.AttributeProto
        for key, values in sorted(arrays.items()):
            attribute = self._nodes[-1].attribute.add()
            attribute.name = key
            if isinstance(values, list):
                attribute.type = kinds.STRINGS
                attribute.strings.extend(value.encode() for value in values)
            elif values.dtype.kind == "f":
                attribute.type = kinds.FLOATS
                attribute.floats.extend(values.tolist())
            else:
                attribute.type = kinds.INTS
                attribute.ints.extend(values.tolist())
        return name

    def affine(self, source: str, weights: Array, bias: Array) -> str:
        """`x @ weights + bias`."""
        return self.add("Gemm", source, self.constant(weights), self.constant(bias))

    def scaled(self, source: str, factor: Any, offset: Any = 0.0) -> str:
        """`x * factor + offset`, each number of it."""
        product = self.add("Mul", source, self.constant(factor))
        return self.add("Add", product, self.constant(offset))

    def softmax(self, source: str) -> str:
        """Scores as probabilities."""
        return self.add("Softmax", source, axis=-1)

    def bytes(self, result: str, *shape: int | None) -> bytes:
        """The finished graph; its output is called `y`."""
        helper, kind = self._onnx.helper, self._onnx.TensorProto.FLOAT
        self._nodes.append(helper.make_node("Identity", [result], ["y"]))
        inputs = [
            helper.make_tensor_value_info(name, kind, [None, *dims])
            for name, dims in self._inputs.items()
        ]
        output = helper.make_tensor_value_info("y", kind, [None, *shape])
        graph = helper.make_graph(self._nodes, "model", inputs, [output], self._constants)
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=FORMAT)
        return bytes(model.SerializeToString())


@lru_cache(maxsize=8)
def session(onnx: bytes) -> Any:
    """A graph ready to answer, with one thread."""
    runtime = optional("onnxruntime", extra="tasks")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])


def answers(onnx: bytes, feeds: Feeds, lot: int = LOT) -> Array:
    """What the graph puts out for encoded inputs, one row an example; some rows at once."""
    running = session(onnx)
    rows = len(next(iter(feeds.values())))
    parts = [
        running.run(None, {name: array[first : first + lot] for name, array in feeds.items()})[0]
        for first in range(0, max(rows, 1), lot)
    ]
    return np.concatenate(parts) if len(parts) > 1 else np.asarray(parts[0])


def disagreement(fitted: Fitted, feeds: Feeds) -> float:
    """The largest difference between the graph's answers and the model's own.

    It is relative to the largest answer, where that is above 1.
    """
    if fitted.native is None:
        return 0.0
    own, written = fitted.native(feeds), answers(fitted.onnx, feeds)
    if own.shape != written.shape:
        return float("inf")
    scale = max(1.0, float(np.abs(own).max(initial=0.0)))
    return float(np.abs(own - written).max(initial=0.0)) / scale
