"""Where the trials of a stored study keep logs and results: beside the storage."""

import errno
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tunewise.errors import StudyError
from tunewise.history import Trial
from tunewise.study.store import Store, StudyRecord

LOG = "log.txt"
"""What a trial printed, in its folder."""

_CHECKPOINTS = "checkpoints"

_MARK = ".study"
"""The file that says to which study a folder belongs."""


def within(folder: Path, path: str | Path) -> Path:
    """A path from a folder, where it is not whole itself; `~` is the person's own folder.

    Raises:
        StudyError: When it begins with a user that this machine does not know.
    """
    try:
        return folder / Path(path).expanduser()
    except RuntimeError as error:
        user = Path(path).parts[0]
        raise StudyError(f"{str(path)!r} begins with {user!r}, which is no user here") from error


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite storage, None for any other."""
    if "://" not in url:
        return within(Path(), url)
    scheme, _, path = url.partition(":///")
    return within(Path(), path) if scheme.partition("+")[0] == "sqlite" and path else None


def trials_folder(url: str, record: StudyRecord) -> Path:
    """A folder for logs and results of a study's trials, beside its storage, made at first call.

    It is named after the study. One that belongs to another study, of an odd name or in a storage
    that was deleted, is left alone: its results would be taken for those of this study.
    """
    file = sqlite_file(url) or Path("tunewise")
    base = Path(f"{file.absolute()}.runs")
    name = re.sub(r"[^\w.+-]", "_", record.name).lstrip(".")[:100] or "_"
    mark = f"{record.name}\n{record.created_at!r}\n"
    base.mkdir(parents=True, exist_ok=True)
    folders = (base / (name if i == 1 else f"{name}-{i}") for i in count(1))
    return next(folder for folder in folders if _taken(folder, mark))


def noted_folder(store: Store, study: str, folder: Path) -> Path:
    """The folder, which whoever looks at the study from outside finds in the store."""
    noted = store.load(study).noted.folder
    # One that is not here is on the machine that began the study: people look there first.
    if noted is None or (noted != str(folder) and Path(noted).is_dir()):
        store.annotate(study, {"folder": str(folder)})
    return folder


def checkpoints(folder: Path, trial: Trial) -> Path:
    """Where trials of one config at one fraction keep what they could go on from.

    A trial that was pruned and runs again, for longer, is another trial: so it is not by number.
    """
    told = json.dumps([trial.config, trial.fraction], sort_keys=True, default=repr)
    return folder / _CHECKPOINTS / hashlib.sha256(told.encode()).hexdigest()[:16]


def add_to_log(folder: Path, sentence: str) -> None:
    """Say something below what a trial printed, where its log can be written."""
    with suppress(OSError), (folder / LOG).open("a", encoding="utf-8") as file:
        file.write(f"tunewise: {sentence}\n")


def delete_study(store: Store, study: str, agree: Callable[[int], None]) -> int:
    """Forget a study with its folder, unless a person does not agree: how many trials it had."""
    folder, count = store.load(study).noted.folder, len(store.history(study))
    agree(count)
    store.delete(study)
    # Results that stay behind would be taken for those of a new study of this name.
    if folder:
        forget(Path(folder), count)
    return count


def forget(folder: Path, trials: int) -> None:
    """Remove the logs and results of a study's trials; what else a person keeps there stays."""
    if (folder / _MARK).is_file():
        shutil.rmtree(folder, ignore_errors=True)
        return
    shutil.rmtree(folder / _CHECKPOINTS, ignore_errors=True)
    for number in range(trials):
        shutil.rmtree(folder / str(number), ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()


def _taken(folder: Path, mark: str) -> bool:
    """Whether the folder is ours, now or since before: it appears together with our mark."""
    with TemporaryDirectory(prefix=".", dir=folder.parent) as passing:
        ours = Path(passing, "new")
        ours.mkdir()
        (ours / _MARK).write_text(mark, encoding="utf-8")
        try:
            ours.rename(folder)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
    found = folder / _MARK
    return found.is_file() and found.read_text(encoding="utf-8") == mark


@contextmanager
def kept_or_passing(folder: Path | None) -> Iterator[Path]:
    """The folder for logs and results; a passing one when nobody asked to keep them."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    passing = Path(tempfile.mkdtemp(prefix="tunewise-"))
    try:
        yield passing
    finally:
        shutil.rmtree(passing, ignore_errors=True)
