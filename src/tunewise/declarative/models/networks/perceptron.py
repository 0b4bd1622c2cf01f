"""The multi-layer perceptron for tables."""

from tunewise.declarative.models.networks.layers import Dense, Drop, Each, Layer, Shape, chain
from tunewise.declarative.models.networks.network import NetworkModel


class Mlp(NetworkModel):
    """Two hidden layers."""

    name, year, citations = "mlp", 1986, 30000
    templates = ("tables",)
    epochs = 30

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """128 and 64 units."""
        relu = Each("Relu")
        return chain(Dense(128), relu, Drop(0.1), Dense(64), relu, Dense(*outputs))
