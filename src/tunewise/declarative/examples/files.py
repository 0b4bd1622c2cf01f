"""Bytes by their checksum, in a folder beside the store."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tunewise.errors import TaskError

_NAME = re.compile("[0-9a-f]{64}")


class Files:
    """Files of one task. What was put is on the disk before its checksum is given back."""

    def __init__(
        self, folder: Path, quota: int | None = None, room: Callable[[int], None] | None = None
    ) -> None:
        """Nothing is made before the first file; all together take at most the quota of bytes.

        Before each, `room` is called with its bytes, and may refuse them.
        """
        self.folder, self.quota, self._room = folder, quota, room

    def put(self, content: bytes) -> str:
        """Keep bytes: their checksum.

        Raises:
            TaskError: Where they would take more than the quota.
        """
        name = hashlib.sha256(content).hexdigest()
        path = self._path(name)
        if path.exists():
            return name
        self._check_room(len(content))
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, passing = tempfile.mkstemp(prefix=".", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(passing, path)
        except BaseException:
            Path(passing).unlink(missing_ok=True)
            raise
        _sync(path.parent)
        return name

    def get(self, name: str) -> bytes:
        """The bytes of a checksum.

        Raises:
            TaskError: Where they are gone or others.
        """
        path = self._path(name)
        try:
            content = path.read_bytes()
        except OSError as error:
            said = f"the file {name[:12]}… of the task cannot be read ({error.strerror})"
            raise TaskError(said) from error
        if hashlib.sha256(content).hexdigest() != name:
            raise TaskError(
                f"the file {path.name[:12]}… of the task is damaged: its checksum differs"
            )
        return content

    def bytes(self) -> int:
        """How much all files take."""
        return sum(file.stat().st_size for file in self.folder.glob("*/*") if file.is_file())

    def forget(self) -> None:
        """Remove all files."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _check_room(self, wanted: int) -> None:
        if self.quota is not None and (taken := self.bytes()) + wanted > self.quota:
            raise TaskError(
                f"the task's files take {taken:,} of its quota of {self.quota:,} bytes,"
                f" and {wanted:,} more were to be kept"
            )
        if self._room is not None:
            self._room(wanted)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise TaskError(f"{name!r:.80} is no checksum of a file")
        return self.folder / name[:2] / name


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
