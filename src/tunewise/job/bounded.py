"""Files that people name, read only as far as any sound one is long: a device may be endless."""

import os
from pathlib import Path


class TooLong(ValueError):
    """The file has more bytes than any sound one."""


def bounded_text(path: Path, most: int) -> str:
    """What a file of at most so many bytes says; a pipe that nobody writes to is empty.

    Raises:
        OSError: It cannot be read.
        UnicodeDecodeError: It is no text.
        TooLong: It is longer.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "rb") as opened:
        found = opened.read(most + 1)
    if len(found) > most:
        raise TooLong(f"has more than {most:,} bytes")
    return found.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
