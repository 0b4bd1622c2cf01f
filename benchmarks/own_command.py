"""Commands and groups whose speeds are known, with real starts: `python -m benchmarks.own_command`.

A script imports PyTorch, which takes seconds, and then iterates by sleeping. It is run as a command
with `restart: true`, and as a group of two processes under torchrun. Sleeps take as long on a busy
machine as on a quiet one; starts do not, and are measured. In the case "slow" another setting is
three times as fast as the first; in the case "quick" none is faster.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tunewise.execution.training.command import CommandJob
from tunewise.online import Tuner, follow
from tunewise.online.torchrun import TorchrunJob
from tunewise.space import Config, Ordinal, Space

SCRIPT = """\
import json, sys, time
import torch

pause, samples = PAUSE, 0
while True:
    time.sleep(pause[int(sys.argv[1])])
    print(json.dumps({"samples": 1, "checkpoint": True}), flush=True)
"""

GROUP = """\
import time
import torch
from tunewise.online.torchrun.replica import Replica

pause = PAUSE
model = torch.nn.Linear(2, 1)
replica = Replica(model, torch.optim.SGD(model.parameters(), lr=0.1))
rows = torch.ones(1, 2)

def loss(model, batch):
    time.sleep(pause[replica.setting["loader"]])
    return model(batch[0]).mean()

replica.train(loss, lambda replica, epoch: [(rows,)] * 100, lambda batch: 0.5)
"""

PAUSES = {"slow": {0: 0.3, 1: 0.2, 2: 0.1}, "quick": {0: 0.1, 1: 0.15, 2: 0.2}}
SPACE = Space(Ordinal("loader", [0, 1, 2]))
GROUPS = Space(Ordinal("loader", [0, 1, 2]), Ordinal("workers", [2]))


def run(kind: str, case: str, samples: int, seed: int) -> tuple[float, float, int]:
    """Seconds with the first start left out, those of deciding, and how many switches."""
    space = SPACE if kind == "command" else GROUPS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (SCRIPT if kind == "command" else GROUP).replace("PAUSE", repr(PAUSES[case]))
        (folder / "train.py").write_text(text, encoding="utf-8")
        tuner = Tuner(space, f"samples >= {samples}", seed=seed, transfer=False)
        job = _job(kind, folder, tuner.setting)
        began = 0.0
        own = -time.process_time()

        def look(tuner: Tuner) -> None:
            nonlocal began
            began = began or time.perf_counter() - PAUSES[case][0]

        try:
            follow(job, tuner, look=look)
            taken = time.perf_counter() - began
        finally:
            job.stop()
        return taken, own + time.process_time(), len(tuner.switches) - 1


def _job(kind: str, folder: Path, setting: Config) -> CommandJob:
    if kind == "command":
        command = [sys.executable, str(folder / "train.py"), "{loader}"]
        return CommandJob(command, setting, folder / "run", restart=True)
    return TorchrunJob([str(folder / "train.py")], setting, folder / "run")


def main() -> None:
    """Print a line for each kind and case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--kinds", default="command,torchrun")
    parser.add_argument("--cases", default="slow,quick")
    told = parser.parse_args()
    for kind in told.kinds.split(","):
        for case in told.cases.split(","):
            runs = [run(kind, case, told.samples, seed) for seed in range(told.seeds)]
            first = told.samples * PAUSES[case][0]
            taken = statistics.median(each[0] for each in runs)
            worst = max(each[0] for each in runs)
            own = max(each[1] / each[0] for each in runs)
            print(
                f"{kind:9} {case:6} first setting {first:.0f} s, tuned {taken:.1f} s"
                f" ({taken / first:.2f} x, worst {worst / first:.2f} x), switches"
                f" {[each[2] for each in runs]}, processor of the tuner {own:.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
