"""Three small networks that tell clothes apart, as wide as asked."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from fashion import SIDE

from tunewise.errors import optional

CLASSES = 10


class Network(NamedTuple):
    """A network: what is learned, and from pictures to a score for each class."""

    parameters: list[Any]
    scores: Callable[[Any], Any]


def cnn(width: int) -> Network:
    """Two layers of convolutions, each halving the picture, and a linear one."""
    nn = _nn()
    rest = SIDE // 2 // 2
    return _chain(
        nn.Unflatten(1, (1, SIDE)),
        nn.Conv2d(1, width, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(2 * width * rest * rest, CLASSES),
    )


def mlp(width: int) -> Network:
    """One hidden layer."""
    nn = _nn()
    return _chain(nn.Flatten(), nn.Linear(SIDE * SIDE, width), nn.ReLU(), nn.Linear(width, CLASSES))


def lstm(width: int) -> Network:
    """Reads a picture row by row, and decides after the last."""
    nn = _nn()
    reader, head = nn.LSTM(SIDE, width, batch_first=True), nn.Linear(width, CLASSES)

    def scores(images: Any) -> Any:
        return head(reader(images)[0][:, -1])

    return Network(_parameters((reader, head)), scores)


def _chain(*layers: Any) -> Network:
    network = _nn().Sequential(*layers)
    return Network(_parameters((network,)), network)


def _parameters(modules: Iterable[Any]) -> list[Any]:
    return [parameter for module in modules for parameter in module.parameters()]


def _nn() -> Any:
    return optional("torch.nn", extra="torch")
