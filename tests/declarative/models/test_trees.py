from tests.declarative.models.conformance import NetworkConformance
from tunewise.testing import ModelConformance


class TestSubtrees(ModelConformance):
    model = "subtrees"


class TestTreeKernel(ModelConformance):
    model = "tree_kernel"


class TestTreeRnn(NetworkConformance):
    model = "tree_rnn"
