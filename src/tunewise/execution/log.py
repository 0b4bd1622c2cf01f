"""The log of a trial: its beginning and its end, however much a job prints."""

import os
from contextlib import suppress
from pathlib import Path

KEPT = 1_000_000
"""Bytes of the beginning, and as many of the end, that are kept."""


BETWEEN = b"\n[another attempt begins here]\n"
"""What stands between two attempts at one trial."""


class BoundedLog:
    """A file that keeps the head and the tail of what is written to it, and says how much it was.

    The file never holds more than the head and twice the tail; memory holds one tail at most.
    Earlier attempts at the trial stay in the file as far as there is room.
    """

    def __init__(self, path: Path, kept: int = KEPT) -> None:
        """Go on behind what is in the file, which earlier attempts have left.

        Where it cannot be opened nothing is kept: a trial may have removed its own folder.
        """
        self._kept = self._tail_at = kept
        self._size, self._broken, self._file = 0, True, -1
        with suppress(OSError):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            self._size, self._broken = os.lseek(self._file, 0, os.SEEK_END), False
        self._total = self._size
        self._again = self._size > 0

    def write(self, data: bytes) -> None:
        """Take more output; a full disk ends the log and nothing else."""
        if self._again:
            self._again, data = False, BETWEEN + data
        self._total += len(data)
        for start in range(0, len(data), self._kept):
            self._append(data[start : start + self._kept])

    def close(self) -> None:
        """Fold once more, so that exactly head and tail are left of a long log."""
        if self._size > self._tail_at + self._kept:
            self._fold()
        if self._file >= 0:
            os.close(self._file)

    def _append(self, data: bytes) -> None:
        if self._broken:
            return
        try:
            os.pwrite(self._file, data, self._size)
            self._size += len(data)
            if self._size > self._tail_at + 2 * self._kept:
                self._fold()
        except OSError:
            self._broken = True

    def _fold(self) -> None:
        """Leave out what is between the head and the last bytes."""
        tail = os.pread(self._file, self._kept, self._size - self._kept)
        left_out = self._total - 2 * self._kept
        note = f"\n[{left_out:,} of {self._total:,} bytes left out here]\n".encode()
        os.pwrite(self._file, note + tail, self._kept)
        self._tail_at = self._kept + len(note)
        self._size = self._tail_at + len(tail)
        os.ftruncate(self._file, self._size)
