import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tunewise.declarative.models import Data, Fitted, answers
from tunewise.declarative.models.networks.perceptron import Mlp
from tunewise.declarative.models.networks.training import RATES, Plan
from tunewise.declarative.models.text import read
from tunewise.declarative.models.threads import threads, with_threads
from tunewise.declarative.schema import parse
from tunewise.declarative.templates import Candidate, candidate, encode
from tunewise.errors import DataError, TaskError
from tunewise.testing.examples import made_up

pytest.importorskip("torch", reason="needs PyTorch: pip install 'tunewise[torch]'")

FEW = Plan(epochs=1, batch=16, least=2, rates="adam")


def right(fitted: Fitted) -> float:
    judged = made_up("tables")[1]
    found = answers(fitted.onnx, encode(fitted.encoder, judged.inputs))
    return float(np.mean(found.argmax(axis=1) == judged.outputs))


def test_a_training_goes_on_from_a_smaller_slice() -> None:
    data = made_up("tables")[0]
    slice_ = Mlp(plan=Plan(epochs=10, batch=16)).fit(data, fraction=0.5)
    going_on = Mlp(plan=FEW).fit(data, start=slice_.checkpoint)
    assert right(going_on) > right(Mlp(plan=FEW).fit(data)) + 0.1


def test_a_checkpoint_of_another_shape_is_not_gone_on_from() -> None:
    data = made_up("tables")[0]
    narrow = Data(data.inputs[:, :2], data.outputs, parse("table(2) -> [no, yes]"), data.classes)
    other = Mlp(plan=FEW).fit(narrow)
    with_it, without = (Mlp(plan=FEW).fit(data, start=s) for s in (other.checkpoint, None))
    assert with_it.onnx == without.onnx


@pytest.mark.parametrize("rates", RATES)
def test_learning_rates_are_chosen_by_name(rates: str) -> None:
    data = made_up("tables")[0]
    fitted = Mlp(plan=Plan(epochs=1, batch=16, least=40, rates=rates)).fit(data)
    assert np.isfinite(answers(fitted.onnx, encode(fitted.encoder, data.inputs))).all()


def test_unknown_rates_are_answered_with_the_nearest() -> None:
    with pytest.raises(TaskError, match="did you mean 'paper'"):
        Mlp(rates="papers")


def test_word_vectors_are_read_from_a_file_in_gloves_format(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("good 1.0 0.5\nbad -1.0 0.5\nother 0 0\n", encoding="utf-8")
    assert read(file, ["bad", "unknown"]).tolist() == [[-1.0, 0.5], [0.0, 0.0]]


@pytest.mark.parametrize("by", ["task", "environment"])
def test_a_file_of_word_vectors_makes_one_more_candidate(
    by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("good 1.0 0.5\nfine 1.0 0.4\nbad -1.0 0.5\n", encoding="utf-8")
    data, judged = made_up("general")
    settings = {"vectors": str(file)} if by == "task" else {}
    if by == "environment":
        monkeypatch.setenv("TUNEWISE_WORD_VECTORS", str(file))
    fitted = candidate(data.program, "word_vectors@file", settings).fit(data)
    found = answers(fitted.onnx, encode(fitted.encoder, judged.inputs))
    assert np.mean(found.argmax(axis=1) == judged.outputs) > 0.9


def test_a_broken_file_of_word_vectors_is_answered_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("good 1.0 0.5\nbad -1.0\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"vectors.txt:2 has 1 numbers; expected 2"):
        read(file, ["bad"])


def test_a_training_has_one_thread_unless_more_are_meant() -> None:
    seen = []

    class Seen(Mlp):
        def fit(self, data: Data, **rest: Any) -> Any:
            seen.append((threads(), sys.modules["torch"].get_num_threads()))

    nothing = Data([], [], parse("table(1) -> number"))
    Candidate("mlp", Seen()).fit(nothing)
    with with_threads(2):
        Candidate("mlp", Seen()).fit(nothing)
    assert seen == [(1, 1), (2, 2)]
