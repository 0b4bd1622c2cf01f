"""Convolutional networks after those that were published, sized to the input."""

from tunewise.declarative.models.networks.layers import (
    Branches,
    Chain,
    Conv,
    Dense,
    Drop,
    Each,
    Layer,
    Mean,
    Norm,
    Pool,
    Same,
    Shape,
    To,
    chain,
)
from tunewise.declarative.models.networks.network import NetworkModel

RELU = Each("Relu")


class LeNet(NetworkModel):
    """Two convolutions with pooling, then two dense layers."""

    name, year, citations = "lenet", 1998, 60000
    templates = ("images",)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """With rectified units and 3 by 3 kernels."""
        return chain(
            Conv(16),
            RELU,
            Pool(),
            Conv(32),
            RELU,
            Pool(),
            To(),
            Dense(96),
            RELU,
            Drop(0.3),
            Dense(*outputs),
        )


class AlexNet(NetworkModel):
    """Five convolutions, then dropped dense layers."""

    name, year, citations = "alexnet", 2012, 120000
    templates = ("images",)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """A tenth of the published width."""
        return _alexnet(outputs)


class BnAlexNet(NetworkModel):
    """AlexNet with batch normalisation."""

    name, year, citations = "bn_alexnet", 2015, 45000
    templates = ("images",)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Normalised after each convolution."""
        return _alexnet(outputs, Norm())


def _alexnet(outputs: Shape, *after: Layer) -> Chain:
    return chain(
        Conv(24, 5),
        *after,
        RELU,
        Pool(),
        Conv(48),
        *after,
        RELU,
        Pool(),
        Conv(64),
        *after,
        RELU,
        Conv(64),
        *after,
        RELU,
        Conv(48),
        *after,
        RELU,
        Pool(),
        To(),
        Drop(),
        Dense(128),
        RELU,
        Drop(),
        Dense(*outputs),
    )


class Nin(NetworkModel):
    """Networks in networks: convolutions of one pixel between others, and no dense layer."""

    name, year, citations = "nin", 2013, 8000
    templates = ("images",)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Three blocks."""
        blocks = [
            chain(Conv(width, kernel), RELU, Conv(width, 1), RELU, Conv(width, 1), RELU)
            for width, kernel in ((32, 5), (48, 3))
        ]
        last = chain(Conv(64), RELU, Conv(64, 1), RELU, Conv(outputs[0], 1))
        return chain(blocks[0], Pool(), Drop(0.3), blocks[1], Pool(), Drop(0.3), last, Mean())


class Vgg16(NetworkModel):
    """Thirteen small convolutions and three dense layers."""

    name, year, citations = "vgg16", 2014, 110000
    templates = ("images",)
    epochs = 6

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """An eighth of the published width; normalised, as so deep a one does not start else."""
        layers: list[Layer] = []
        for width, count in ((8, 2), (16, 2), (32, 3), (64, 3), (64, 3)):
            for _ in range(count):
                layers += [Conv(width), Norm(), RELU]
            layers.append(Pool())
        dense = (To(), Dense(128), RELU, Drop(), Dense(128), RELU, Drop(), Dense(*outputs))
        return chain(*layers, *dense)


class SqueezeNet(NetworkModel):
    """Fire modules: few channels, then one-pixel and 3 by 3 convolutions side by side."""

    name, year, citations = "squeezenet", 2016, 9000
    templates = ("images",)

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Six modules."""
        return chain(
            Conv(24),
            RELU,
            Pool(),
            _fire(8, 24),
            _fire(8, 24),
            Pool(),
            _fire(12, 32),
            _fire(12, 32),
            Pool(),
            _fire(16, 48),
            Drop(0.3),
            Conv(outputs[0], 1),
            Mean(),
        )


def _fire(squeezed: int, expanded: int) -> Layer:
    both = Branches((chain(Conv(expanded, 1), RELU), chain(Conv(expanded), RELU)))
    return chain(Conv(squeezed, 1), RELU, both)


class GoogLeNet(NetworkModel):
    """Inception modules: kernels of several sizes side by side."""

    name, year, citations = "googlenet", 2014, 55000
    templates = ("images",)
    epochs = 6

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """Four modules, normalised."""
        return chain(
            Conv(16),
            Norm(),
            RELU,
            Pool(),
            _inception(8),
            _inception(12),
            Pool(),
            _inception(16),
            _inception(16),
            Mean(),
            Drop(0.2),
            Dense(*outputs),
        )


def _inception(width: int) -> Layer:
    def of(kernel: int) -> Layer:
        return chain(Conv(width, 1), RELU, Conv(width, kernel), Norm(), RELU)

    return Branches((chain(Conv(width, 1), Norm(), RELU), of(3), of(5)))


class ResNet18(NetworkModel):
    """Eight residual blocks of two convolutions."""

    name, year, citations = "resnet18", 2015, 200000
    templates = ("images",)
    epochs = 5

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """A quarter of the published width."""
        stages = [_basic(w, s) for w, s in ((16, 1), (32, 2), (64, 2), (128, 2))]
        return chain(Conv(16), Norm(), RELU, *stages, Mean(), Dense(*outputs))


def _basic(width: int, stride: int) -> Layer:
    def block(first: int, short: Layer) -> Layer:
        body = chain(Conv(width, 3, first), Norm(), RELU, Conv(width), Norm())
        return chain(Branches((body, short), added=True), RELU)

    return chain(block(stride, _short(width, stride)), block(1, Same()))


def _short(width: int, stride: int) -> Layer:
    return chain(Conv(width, 1, stride), Norm())


class ResNet50(NetworkModel):
    """Sixteen residual blocks of three convolutions, the middle one narrow."""

    name, year, citations = "resnet50", 2015, 200000
    templates = ("images",)
    epochs = 5

    def network(self, shape: Shape, outputs: Shape) -> Layer:
        """An eighth of the published width."""
        sizes = ((8, 3, 1), (16, 4, 2), (32, 6, 2), (64, 3, 2))
        stages = [_narrow(width, count, stride) for width, count, stride in sizes]
        return chain(Conv(16), Norm(), RELU, *stages, Mean(), Dense(*outputs))


def _narrow(width: int, count: int, stride: int) -> Layer:
    def block(first: int, short: Layer) -> Layer:
        inner = chain(Conv(width, 1), Norm(), RELU, Conv(width, 3, first), Norm(), RELU)
        body = chain(inner, Conv(4 * width, 1), Norm())
        return chain(Branches((body, short), added=True), RELU)

    rest = [block(1, Same()) for _ in range(count - 1)]
    return chain(block(stride, _short(4 * width, stride)), *rest)
