"""The example of the digits trains for real, and measures what its slices save."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import TUNEWISE, clean_environment
from tests.extras import needs
from tunewise.format import money
from tunewise.history import History
from tunewise.storage import open_store

needs("sklearn", "examples")

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits"
TRIALS = 6
STRICT = ("-W", "error", "-W", "default:no config was found")
"""Few trials on a busy machine may not find a config that surely keeps its limit."""
PRICES = {1: 0.18, 2: 0.342}
"""USD an hour of so many threads, a twentieth of the example's: there, the cap of a training is a
second of an idle machine, and this one may be busy."""


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the tuned example, and what was printed."""
    folder = tmp_path_factory.mktemp("digits")
    for name in ("job.yaml", "train.py", "tune.py", "full.py"):
        shutil.copy(DIGITS / name, folder)
    listed = (DIGITS / "prices.csv").read_text()
    listed = listed.replace("3.60", str(PRICES[1])).replace("6.84", str(PRICES[2]))
    (folder / "prices.csv").write_text(listed)
    command: list[str | Path] = [
        TUNEWISE,
        "tune",
        "job.yaml",
        "--report",
        "report.html",
        "--trials",
        str(TRIALS),
    ]
    return folder, ran(folder, command)


def ran(folder: Path, command: list[str | Path]) -> str:
    """What a command prints that has to succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def trials(folder: Path, study: str = "digits") -> History:
    store = open_store(folder / "tunewise.db")
    history = store.history(study)
    store.close()
    return history


def test_it_trains_on_slices_within_a_limit_on_cost_and_a_budget(
    tuned: tuple[Path, str],
) -> None:
    folder, printed = tuned
    history = trials(folder)
    assert len(history) == TRIALS
    assert min(trial.fraction for trial in history) < 1
    assert "by trimtuner" in printed
    assert "cost ≤ 0.001 USD" in printed
    assert "of 0.03 USD" in printed
    for trial in history.complete:
        hourly = PRICES[trial.config["threads"]]
        assert trial.metrics["cost"] == pytest.approx(hourly * trial.metrics["time"] / 3600)


def test_it_says_what_was_tried_what_it_cost_and_what_to_deploy(tuned: tuple[Path, str]) -> None:
    for said in (f"{TRIALS} trials: ", "complete", "spent", "Recommended", "report.html"):
        assert said in tuned[1]


@pytest.mark.long
def test_at_its_end_it_measures_what_full_trainings_would_have_cost(
    tuned: tuple[Path, str],
) -> None:
    folder = tuned[0]
    short = "import full; full.TRIALS = 2; full.main('tunewise.db')"
    command: list[str | Path] = [sys.executable, *STRICT, "-c", short]
    line = ran(folder, command).splitlines()[-1]
    on_slices = trials(folder).spent["cost"]
    full = trials(folder, "digits-full")
    assert all(trial.fraction == 1 for trial in full)
    assert f"took {money(on_slices)}; on full trainings" in line
    assert money(full.spent["cost"]) in line
    assert f"({full.spent['cost'] / on_slices:.1f} times as much)" in line
    assert ran(folder, command).splitlines()[-1] == line  # and once is enough


def test_the_logs_have_no_warnings(tuned: tuple[Path, str]) -> None:
    folder = tuned[0] / "tunewise.db.runs" / "digits"
    logs = {int(log.parent.name): log.read_text() for log in folder.glob("*/log.txt")}
    assert len(logs) == TRIALS
    assert not any("Warning" in log for log in logs.values())
    assert all("images" in logs[t.number] for t in trials(tuned[0]).complete)
    assert "Warning" not in tuned[1]


def test_the_report_is_whole(tuned: tuple[Path, str]) -> None:
    page = (tuned[0] / "report.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")


@pytest.mark.long
def test_the_version_in_python_does_the_same(tmp_path: Path) -> None:
    code = "import tune; tune.main(trials=2)"
    done = subprocess.run(
        [sys.executable, *STRICT, "-c", code],
        cwd=tmp_path,
        env={**clean_environment(), "PYTHONPATH": str(DIGITS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "2 trials" in done.stdout
    assert "deploy {'learning_rate'" in done.stdout


def test_both_versions_state_the_same_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    from tunewise.job.jobfile import load

    monkeypatch.syspath_prepend(str(DIGITS))
    import tune

    stated, written = tune.problem(), load(DIGITS / "job.yaml").problem
    assert stated.describe() == written.describe()
    for config in stated.space.latin(5, __import__("numpy").random.default_rng(0)):
        assert stated.price(config) == written.price(config)  # type: ignore[misc] # both have one


def test_a_part_of_the_data_takes_less_time_and_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(DIGITS))
    import train

    images, labels, *_ = train.digits(0.25)
    assert len(images) == len(labels) == 5 * 315
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.delitem(sys.modules, "train")
    from tunewise import TunewiseError

    with pytest.raises(TunewiseError, match=r"pip install 'tunewise\[examples\]'"):
        importlib.import_module("train")
