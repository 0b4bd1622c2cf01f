"""The example of the digits trains for real, keeps its cap, and says what it found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import TUNEWISE, clean_environment
from tunewise.history import History, TimedOut, TrialState
from tunewise.storage import open_store

pytest.importorskip(
    "sklearn", reason="the examples need scikit-learn: pip install 'tunewise[examples]'"
)

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits"
TRIALS = 6
"""Of the example's twenty."""
PRICES = {1: 0.18, 2: 0.342}
"""USD an hour of so many threads, a twentieth of the example's: there, the cap of a training is a
second of an idle machine, and this one may be busy."""


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the tuned example, and what was printed."""
    folder = tmp_path_factory.mktemp("digits")
    shutil.copy(DIGITS / "train.py", folder)
    job = (DIGITS / "job.yaml").read_text()
    (folder / "job.yaml").write_text(job.replace("trials: 20", f"trials: {TRIALS}"))
    listed = (DIGITS / "prices.csv").read_text()
    listed = listed.replace("3.60", str(PRICES[1])).replace("6.84", str(PRICES[2]))
    (folder / "prices.csv").write_text(listed)
    done = subprocess.run(
        [TUNEWISE, "tune", "job.yaml", "--report", "report.html"],
        cwd=folder,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return folder, done.stdout


def trials(folder: Path) -> History:
    store = open_store(folder / "tunewise.db")
    history = store.history("digits")
    store.close()
    return history


def test_every_training_ends_or_is_stopped_at_what_it_may_cost(
    tuned: tuple[Path, str],
) -> None:
    history = trials(tuned[0])
    assert len(history) == TRIALS
    for trial in history:
        stopped = isinstance(trial.outcome, TimedOut) and trial.metrics["cost"] > 0.001
        assert trial.state is TrialState.COMPLETE or stopped, trial


def test_it_says_what_was_tried_what_it_cost_and_what_to_deploy(
    tuned: tuple[Path, str],
) -> None:
    _, printed = tuned
    assert f"{TRIALS} trials: " in printed
    for said in ("complete", "spent", "of 0.05 USD", "Recommended", "accuracy", "±"):
        assert said in printed
    assert "probability of keeping all limits" in printed
    assert "report.html" in printed


def test_it_finds_an_accurate_network_within_the_cap(tuned: tuple[Path, str]) -> None:
    store = open_store(tuned[0] / "tunewise.db")
    history, notes = trials(tuned[0]), store.load("digits").notes
    store.close()
    kept = [t for t in history.complete if t.metrics["cost"] <= 0.001]
    assert max(t.metrics["accuracy"] for t in kept) > 0.95
    assert notes["recommended"]["predicted"]["accuracy"]["mean"] > 0.9
    for trial in history.complete:
        hourly = PRICES[trial.config["threads"]]
        assert trial.metrics["cost"] == pytest.approx(hourly * trial.metrics["time"] / 3600)


def test_the_logs_have_no_warnings(tuned: tuple[Path, str]) -> None:
    folder = tuned[0] / "tunewise.db.runs" / "digits"
    logs = {int(log.parent.name): log.read_text() for log in folder.glob("*/log.txt")}
    assert len(logs) == TRIALS
    assert not any("Warning" in log for log in logs.values())
    assert all(logs[t.number].startswith("1257 images") for t in trials(tuned[0]).complete)
    assert "Warning" not in tuned[1]


def test_the_report_is_whole(tuned: tuple[Path, str]) -> None:
    page = (tuned[0] / "report.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")


def test_the_version_in_python_does_the_same(tmp_path: Path) -> None:
    code = "import tune; tune.main(trials=2)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={**clean_environment(), "PYTHONPATH": str(DIGITS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "2 trials" in done.stdout
    assert "deploy {'learning_rate'" in done.stdout
    assert "it keeps the limit with probability" in done.stdout


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
    assert len(images) == len(labels) == 314
    monkeypatch.setitem(sys.modules, "sklearn", None)
    from tunewise import Trial, TunewiseError

    with pytest.raises(TunewiseError, match=r"pip install 'tunewise\[examples\]'"):
        train.train(Trial(0, {"threads": 1}))
