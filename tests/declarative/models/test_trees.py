from tests.declarative.models.short import SHORT
from tunewise.testing import ModelConformance


class TestSubtrees(ModelConformance):
    model = "subtrees"


class TestTreeKernel(ModelConformance):
    model = "tree_kernel"


class TestTreeRnn(ModelConformance):
    model = "tree_rnn"
    options = SHORT
