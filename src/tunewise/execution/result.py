"""The file that keeps a finished trial's outcome until it is told.

The file is written before the study hears of the result, so a study that is killed in between
finds it again:

```json
{
  "tunewise": 1,
  "trial": {"number": 7, "config": {"layers": 2}, "fraction": 1.0, "lost": {}},
  "outcome": {"kind": "measurement", "metrics": {"accuracy": 0.9, "time": 12.5},
              "snapshots": {"0.1": {"accuracy": 0.6}}, "deviations": {}}
}
```

`lost` is what earlier attempts have spent: it tells the attempts of a trial apart.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tunewise.errors import MeasurementError
from tunewise.history import Outcome, Trial, outcome_as_json, outcome_from_json

FILE = "result.json"
SCHEMA = 1


def identity(trial: Trial) -> dict[str, Any]:
    """What tells this attempt at this trial from any other, as plain data."""
    described = {
        "number": trial.number,
        "config": trial.config,
        "fraction": trial.fraction,
        "lost": trial.lost,
    }
    plain: dict[str, Any] = json.loads(json.dumps(described, default=_plain))
    return plain


def save(folder: Path, trial: dict[str, Any], outcome: Outcome) -> None:
    """Write the outcome of a trial (its `identity`), all of it or nothing."""
    text = json.dumps(
        {"tunewise": SCHEMA, "trial": trial, "outcome": outcome_as_json(outcome)}, indent=1
    )
    passing = folder / f".{FILE}.{os.getpid()}"
    descriptor = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(passing, folder / FILE)


def keep(folder: Path, trial: dict[str, Any], outcome: Outcome) -> None:
    """Save, but go on where the disk is full or read-only: only the safety net is lost."""
    try:
        save(folder, trial, outcome)
    except OSError as error:
        print(f"cannot keep the result in {folder}: {error.strerror}", file=sys.stderr)


def recover(folder: Path, trial: Trial) -> Outcome | None:
    """The outcome of this attempt at the trial, where it ended but may not have been told."""
    try:
        kept = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if kept["tunewise"] != SCHEMA or kept["trial"] != identity(trial):
            return None
        return outcome_from_json(kept["outcome"])
    except (OSError, ValueError, KeyError, TypeError, MeasurementError):
        return None  # no result, or not one of ours: the trial has to run


def _plain(value: Any) -> Any:
    """Numbers of numpy as Python's; what JSON cannot hold by its repr."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else repr(value)
