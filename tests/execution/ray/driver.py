"""The process of a study on a Ray cluster, which may lose its head.

Usage: python -m tests.execution.ray.driver ADDRESS STORAGE FOLDER SECONDS

Runs four trials of so many seconds each, two at once; each notes in the folder that it began.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import tunewise as tw
from tunewise.execution.ray import RayExecutor

TRIALS = 4


def problem() -> tw.Problem:
    """Of which a second costs a dollar."""
    space = tw.Space(tw.Real("x", 0.0, 1.0))
    return tw.Problem(space, maximize="accuracy", price=lambda config: 3600.0)


def main() -> None:
    """Run what is left of the study."""
    address, storage, folder, seconds = sys.argv[1:]
    each = float(seconds)

    def job(trial: Any) -> dict[str, float]:
        Path(folder, f"{trial.number}.{os.getpid()}").touch()
        time.sleep(each)
        return {"accuracy": 0.5}

    with (
        tw.Study(problem(), "random", 0, storage, "s") as study,
        RayExecutor(2, address=address) as executor,
    ):
        study.optimize(job, TRIALS, parallel=2, executor=executor, progress=False)


if __name__ == "__main__":
    main()
