"""A pair as it was found, before anybody has looked whether it fits."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Raw:
    """A pair, or an input alone.

    Attributes:
        where: The file and line that it came from.
        input: What goes in.
        output: What comes out; None where there is only an input.
        nth: Equal pairs that the same feed had in earlier requests.
    """

    where: str
    input: Any
    output: Any = None
    nth: int = 0


@dataclass(frozen=True)
class Refused:
    """Something that is no example.

    Attributes:
        where: The file and line.
        reason: What is wrong with it.
    """

    where: str
    reason: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.where}: {self.reason}"


Found = Raw | Refused


@dataclass
class Notes:
    """What was done to inputs on the way, told once at the end."""

    resized: dict[tuple[int, ...], int] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    stacks: int = 0

    def lines(self, shape: tuple[int, ...]) -> list[str]:
        """All of it in sentences; images were brought to the shape."""
        count, told = sum(self.resized.values()), list(self.sentences)
        if self.stacks:
            told.append(f"{_images(self.stacks)} a stack: the first of its images is taken")
        if not count:
            return told
        sizes = [f"{h} x {w}" for h, w in list(self.resized)[:3]]
        more = ", …" if len(self.resized) > 3 else ""
        to = " x ".join(map(str, shape[:2]))
        said = f"{_images(count)} resized to {to} (from {', '.join(sizes)}{more})"
        return [*told, said]


def _images(count: int) -> str:
    return "1 image was" if count == 1 else f"{count} images were"
