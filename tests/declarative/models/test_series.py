from tests.declarative.models.conformance import CLASSES_ONLY, LongerConformance
from tunewise.testing import ModelConformance


class TestMinirocket(ModelConformance):
    model = "minirocket"


class TestSeriesFeatures(ModelConformance):
    model = "series_features"


class TestRnn(LongerConformance):
    model = "rnn"
    kinds = CLASSES_ONLY


class TestLstm(LongerConformance):
    model = "lstm"
    kinds = CLASSES_ONLY


class TestBiLstm(LongerConformance):
    model = "bi_lstm"
    kinds = CLASSES_ONLY


class TestGru(LongerConformance):
    model = "gru"
    kinds = CLASSES_ONLY
