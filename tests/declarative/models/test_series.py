from tests.declarative.models.short import SHORT
from tunewise.testing import ModelConformance


class TestMinirocket(ModelConformance):
    model = "minirocket"


class TestSeriesFeatures(ModelConformance):
    model = "series_features"


class TestRnn(ModelConformance):
    model = "rnn"
    options = SHORT


class TestLstm(ModelConformance):
    model = "lstm"
    options = SHORT


class TestBiLstm(ModelConformance):
    model = "bi_lstm"
    options = SHORT


class TestGru(ModelConformance):
    model = "gru"
    options = SHORT
