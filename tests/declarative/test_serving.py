"""Stored models are data: whatever is wrong with them is a sentence, and nothing is executed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.extras import needs
from tunewise.declarative.encoders import learned
from tunewise.declarative.models import Data
from tunewise.declarative.schema import parse
from tunewise.declarative.serving import Served
from tunewise.declarative.task.exporting import open_folder
from tunewise.errors import TunewiseError

needs("onnx", "tasks")
needs("onnxruntime", "tasks")

PROGRAM = parse("table(2) -> number")
DATA = Data(np.eye(2, dtype=np.float32), np.zeros((2, 1), np.float32), PROGRAM)
WIDER = Data(np.eye(3, dtype=np.float32), np.zeros((3, 1), np.float32), PROGRAM)
CARD: dict[str, Any] = {"program": str(PROGRAM), "classes": None, "encoder": learned(DATA)}


def _graph(outside: str | None) -> bytes:
    import onnx

    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weight = helper.make_tensor("w", kind, [2, 1], [1.0, 2.0])
    if outside is not None:
        weight.ClearField("float_data")
        weight.data_location = onnx.TensorProto.EXTERNAL
        weight.external_data.add(key="location", value=outside)
    x = helper.make_tensor_value_info("x", kind, [None, 2])
    y = helper.make_tensor_value_info("y", kind, [None, 1])
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "model", [x], [y], [weight])
    versions = [helper.make_opsetid("", 17)]
    return bytes(helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString())


@pytest.mark.parametrize("content", [b"", b"no graph", None])
def test_a_hostile_graph_is_refused(content: bytes | None) -> None:
    content = _graph("../../../etc/hostname") if content is None else content
    with pytest.raises(TunewiseError):
        Served(content, CARD).raw(np.zeros((1, 2), np.float32))


def test_a_sound_graph_answers_and_a_damaged_card_is_refused() -> None:
    assert Served(_graph(None), CARD).raw(np.zeros((3, 2), np.float32)).shape == (3, 1)
    for damaged in ({}, {**CARD, "encoder": {"kind": "numbers"}}, {**CARD, "encoder": None}):
        with pytest.raises(TunewiseError):
            Served(_graph(None), damaged)


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TunewiseError, match="no exported model"):
        open_folder(tmp_path)
    (tmp_path / "card.json").write_text("{}")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(TunewiseError, match="damaged"):
        open_folder(tmp_path)


def test_a_card_that_does_not_fit_its_graph_is_a_sentence() -> None:
    rows = np.zeros((3, 2), np.float32)
    for other in ({"classes": ["a", "b"]}, {"encoder": learned(WIDER)}):
        with pytest.raises(TunewiseError, match="the model"):
            Served(_graph(None), {**CARD, **other}).answers(rows)
