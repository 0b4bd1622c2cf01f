"""Where the trials of a stored study keep logs and results: beside the storage."""

import re
from pathlib import Path


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite storage, None for any other."""
    if "://" not in url:
        return Path(url).expanduser()
    scheme, _, path = url.partition(":///")
    return Path(path).expanduser() if scheme.partition("+")[0] == "sqlite" and path else None


def trials_folder(url: str, study: str) -> Path:
    """A folder of the study's own, beside its SQLite file, else in the folder we are in."""
    file = sqlite_file(url) or Path("tunewise.db")
    safe = re.sub(r"[^\w.+-]", "_", study).lstrip(".") or "_"
    return Path(f"{file.absolute()}.runs") / safe
