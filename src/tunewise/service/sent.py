"""Files that were sent with job files, kept until their study is deleted."""

import os
import tempfile
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

FOLDER = "jobs"
"""Among the folders of tasks, which are called by numbers."""


class Sent:
    """One archive for each study: that of the job file which was submitted last."""

    def __init__(self, files: Path) -> None:
        """In the folder of all files of a store."""
        self._root = files / FOLDER

    def keep(self, namespace: str, name: str, files: Mapping[str, bytes]) -> None:
        """Keep the files of a study's job by their paths, in place of those before."""
        archive = self._archive(namespace, name)
        if not files:
            return archive.unlink(missing_ok=True)
        archive.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Its owner's alone, and there as a whole or not at all.
        number, passing = tempfile.mkstemp(dir=archive.parent, prefix=".")
        with os.fdopen(number, "wb") as kept, zipfile.ZipFile(kept, "w") as made:
            for path, content in files.items():
                made.writestr(path, content)
        os.replace(passing, archive)

    def unpack(self, namespace: str, name: str, folder: Path) -> None:
        """Put the files of a study's job into a folder."""
        archive = self._archive(namespace, name)
        if archive.exists():
            with zipfile.ZipFile(archive) as kept:
                kept.extractall(folder)

    def forget(self, namespace: str, name: str) -> None:
        """Drop the files of a study's job."""
        self._archive(namespace, name).unlink(missing_ok=True)

    def bytes(self, namespace: str) -> int:
        """Of all that a tenant has sent."""
        place = self._archive(namespace, "").parent
        return sum(file.stat().st_size for file in place.glob("*.zip"))

    def _archive(self, namespace: str, name: str) -> Path:
        """Names of files are checksums: those of people and studies may be anything."""
        whose, which = (sha256(text.encode()).hexdigest() for text in (namespace, name))
        return self._root / whose / f"{which}.zip"
