from tests.declarative.models.conformance import LongerConformance
from tunewise.testing import ModelConformance


class TestNearest(ModelConformance):
    model = "nearest"


class TestSeq2seq(LongerConformance):
    model = "seq2seq"


class TestSeq2seqAttention(LongerConformance):
    model = "seq2seq_attention"
