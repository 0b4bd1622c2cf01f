import numpy as np
import pytest

from tests.declarative.models.conformance import LongerConformance
from tunewise.declarative.models import Data
from tunewise.declarative.schema import parse
from tunewise.declarative.serving import Served
from tunewise.declarative.templates import candidate
from tunewise.testing import ModelConformance


class TestNearest(ModelConformance):
    model = "nearest"


class TestSeq2seq(LongerConformance):
    model = "seq2seq"


class TestSeq2seqAttention(LongerConformance):
    model = "seq2seq_attention"


def test_the_nearest_series_is_found_from_the_first_step_on() -> None:
    program = parse("series(1) -> series(1)")
    inputs = [np.array(x, np.float32)[:, None] for x in ([2, 4, 0, 0], [4, 0, 0, 1])]
    fitted = candidate(program, "nearest").fit(Data(inputs, inputs, program))
    served = Served(fitted.onnx, {"program": str(program), "encoder": fitted.encoder})
    # The first known series ends as the one that is asked, the second begins like it.
    asked = [np.array([4, 0, 0], np.float32)[:, None]]
    (answer,) = served.outputs(served.raw(asked))
    assert answer.ravel() == pytest.approx([4, 0, 0, 1], abs=1e-6)
