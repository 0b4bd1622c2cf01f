"""The process of a study, to be killed: runs two trials with a folder each.

Usage: python -m tests.execution.study_process FOLDER WAY
"""

import os
import signal
import sys
import time
from pathlib import Path

from tests.execution.processes import FOREVER, sleepers
from tunewise.execution import ProcessExecutor
from tunewise.history import Trial

folder, way = Path(sys.argv[1]), sys.argv[2]
study = os.getpid()


def job(trial: Trial) -> dict[str, float]:
    own = folder / str(trial.number)
    if way == "silence the study":
        # From now on the study cannot hear of anything: its result can only be on the disk.
        os.kill(study, signal.SIGSTOP)
        return {"accuracy": 0.5 + trial.number, "time": 12.5}
    pids = [os.getpid(), os.getppid(), *sleepers()]
    if way == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (own / "draft").write_text(" ".join(map(str, pids)))
    (own / "draft").rename(own / "pids")
    time.sleep(FOREVER)
    return {}


executor = ProcessExecutor(2)
futures = [executor.submit(job, Trial(i, {"x": i}), folder=folder / str(i)) for i in range(2)]
executor.wait(futures, timeout=FOREVER)
