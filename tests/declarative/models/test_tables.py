from tests.declarative.models.conformance import NetworkConformance
from tunewise.testing import ModelConformance


class TestRidge(ModelConformance):
    model = "ridge"


class TestLogistic(ModelConformance):
    model = "logistic"


class TestExtraTrees(ModelConformance):
    model = "extra_trees"


class TestForest(ModelConformance):
    model = "forest"


class TestSupportVectors(ModelConformance):
    model = "support_vectors"


class TestBoosting(ModelConformance):
    model = "boosting"


class TestMlp(NetworkConformance):
    model = "mlp"
