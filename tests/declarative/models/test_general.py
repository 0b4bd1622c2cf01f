from tests.declarative.models.short import SHORT
from tunewise.testing import ModelConformance


class TestBitRnn(ModelConformance):
    model = "bit_rnn"
    options = SHORT


class TestBitAutoencoder(ModelConformance):
    model = "bit_autoencoder"
    options = SHORT
