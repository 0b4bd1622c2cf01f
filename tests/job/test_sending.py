"""What goes with a job file to where it runs."""

from pathlib import Path

import pytest

from tunewise.errors import JobFileError
from tunewise.job.tuning import sending
from tunewise.job.tuning.sending import files_of

FILES = {
    "train.py": "import model, numpy\nfrom package.part import one\n",
    "model.py": "import missing\nfrom . import train\n",
    "package/__init__.py": "",
    "package/part.py": "from .other import two\n",
    "package/other.py": "",
    "package/unused.py": "",
    "prices.csv": "type,usd\n",
    "data/a.csv": "1",
    "data/.hidden": "1",
    "secret.txt": "1",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


PACKAGE = {"package/__init__.py", "package/part.py", "package/other.py"}
SCRIPTS = {"train.py", "model.py"} | PACKAGE


@pytest.mark.parametrize(
    "text, expected",
    [
        ("command: python train.py --rate={x}", SCRIPTS),
        ("python: train.py:run", SCRIPTS),
        ("python: train:run", SCRIPTS),
        ("command: [python, -m, package.part]", PACKAGE),
        ("command: cat 'prices.csv' ../x /etc/hosts .", {"prices.csv"}),
        ("command: sort data", {"data/a.csv"}),
        ("command: sort a.csv\ncwd: data", {"data/a.csv"}),
        ("command: echo\nprice: {vm: a, catalogue: prices.csv}", {"prices.csv"}),
        ("command: echo {x}\nname: secret.txt", set()),
    ],
)  # fmt: skip
def test_what_a_job_names_and_imports_goes_with_it(
    folder: Path, text: str, expected: set[str]
) -> None:
    assert set(files_of(folder / "job.yaml", text)) == expected


def test_more_is_sent_when_asked_for_but_nothing_from_elsewhere(folder: Path) -> None:
    job = folder / "data" / "job.yaml"
    assert files_of(job, "command: echo", [job.parent]) == {"a.csv": b"1"}
    with pytest.raises(JobFileError, match="secret.txt' cannot be sent; expected a file or folder"):
        files_of(job, "command: echo", [folder / "secret.txt"])


def test_what_is_too_large_says_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "MOST_BYTES", 3)
    with pytest.raises(JobFileError, match="put what is large where the service runs"):
        files_of(folder / "job.yaml", "command: sort prices.csv")
