from tests.declarative.models.conformance import NetworkConformance


class TestBitRnn(NetworkConformance):
    model = "bit_rnn"


class TestBitAutoencoder(NetworkConformance):
    model = "bit_autoencoder"
