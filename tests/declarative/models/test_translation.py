from tests.declarative.models.short import SHORT
from tunewise.testing import ModelConformance


class TestNearest(ModelConformance):
    model = "nearest"


class TestSeq2seq(ModelConformance):
    model = "seq2seq"
    options = SHORT


class TestSeq2seqAttention(ModelConformance):
    model = "seq2seq_attention"
    options = SHORT
