"""From pairs as they were found to pairs that fit the program, with checksums."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.declarative.examples.raw import Found, Refused
from tunewise.declarative.schema.program import Program
from tunewise.declarative.schema.values import read_input, read_output
from tunewise.errors import TaskError


@dataclass(frozen=True)
class Checked:
    """A pair that fits.

    Attributes:
        where: The file and line that it came from.
        input: As the schema keeps it.
        output: As the schema keeps it.
        key: The checksum of the input; what has the same is in the same part of the data.
        content: The checksum of both; what has the same is one example.
        nth: Equal pairs that the same feed had in earlier requests.
    """

    where: str
    input: Any
    output: Any
    key: str
    content: str
    nth: int = 0

    @property
    def label(self) -> str | None:
        """The output as a word or number, None where it is larger."""
        if isinstance(self.output, str):
            return self.output[:200]
        if isinstance(self.output, np.ndarray) and self.output.size == 1:
            return f"{self.output.item():.9g}"
        return None


def checked(program: Program, found: Iterable[Found]) -> Iterator[Checked | Refused]:
    """Each pair as it is kept, or why it is not."""
    for raw in found:
        if isinstance(raw, Refused):
            yield raw
            continue
        try:
            value = read_input(program, raw.input)
            answer = read_output(program, raw.output)
        except TaskError as error:
            yield Refused(raw.where, str(error))
            continue
        except RecursionError:
            yield Refused(raw.where, "it is nested too deeply")
            continue
        key = checksum(value)
        yield Checked(raw.where, value, answer, key, checksum([key, answer]), raw.nth)


def checksum(value: Any) -> str:
    """SHA-256 of a value as the schema keeps it."""
    digest = hashlib.sha256()
    _add(digest, value)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"a{value.shape}".encode())
        digest.update(np.ascontiguousarray(value, "<f4").tobytes())
    elif isinstance(value, list):
        digest.update(f"l{len(value)}".encode())
        for part in value:
            _add(digest, part)
    elif isinstance(value, dict):
        digest.update(f"d{len(value)}".encode())
        for name in sorted(value):
            _add(digest, name)
            _add(digest, value[name])
    else:
        digest.update(json.dumps(value).encode() + b";")
