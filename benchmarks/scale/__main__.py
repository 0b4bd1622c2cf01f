"""Measures processor seconds and memory as problems grow, and draws docs/how-far.md.

Every figure is taken in a process of its own, which is ended after so many seconds of processor.
What was measured is kept in docs/pictures/how-far.json, from which `--draw` draws the page again.
Figures of another state of the source are measured again: those of two never stand side by side.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.results import state
from benchmarks.scale.asks import AXES, TOOLS, Size
from benchmarks.scale.page import write
from benchmarks.scale.places import PLACES

KEPT = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "how-far.json"
WARM = Size(trials=12, parameters=2)
SECONDS = 120
"""Of processor, after which one figure is given up."""


def main() -> None:
    """Measure what is missing at this commit, and draw."""
    given = _options()
    if given.one:
        print(json.dumps(_one(*given.one)))
        return
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}
    if not given.draw:
        kept = _measured(kept, _places(given.only), given.seconds)
    write(kept)


def _measured(kept: dict[str, Any], places: list[str], seconds: int) -> dict[str, Any]:
    """What was kept of this state of the source, with the places; each is kept at once."""
    now, where = state(), machine.described().replace("-dirty", "")  # the page itself changes
    if kept.get("state") != now:
        kept = {"state": now, "machine": where, "measured": {}}
    for place in places:
        if place not in kept["measured"]:
            kept["measured"][place] = found = _apart(place, seconds)
            print(f"{place}: {found}", file=sys.stderr, flush=True)
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return kept


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--only", default="", help="figures whose names have one of A,B in them")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of processor for a figure")
    parser.add_argument("--draw", action="store_true", help="draw what was measured before")
    parser.add_argument("--one", nargs=3, metavar=("WHAT", "SIZE", "WHO"), help="one figure alone")
    return parser.parse_args()


def _places(only: str) -> list[str]:
    """`what/size/who`, small ones first, so that a short run has something of everything."""
    asked = [(a, v, t) for a, values in AXES.items() for v in values for t in TOOLS]
    asked += [(name, size, "tunewise") for name, (_, sizes) in PLACES.items() for size in sizes]
    return [
        place
        for what, size, who in asked
        if any(part in (place := f"{what}/{size}/{who}") for part in only.split(","))
    ]


def _apart(place: str, seconds: int) -> dict[str, Any]:
    what, size, who = place.split("/")
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", "--one", what, size, who],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5)),
    )  # fmt: skip
    if ran.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"over": True}
    if "ModuleNotFoundError" in ran.stderr:
        return {"missing": True}
    if ran.returncode:
        return {"error": ran.stderr.strip().splitlines()[-1]}
    told: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return told


def _one(what: str, size: str, who: str) -> dict[str, float]:
    if what in PLACES:
        found = PLACES[what][0](int(size))
    else:
        TOOLS[who](WARM)()  # a tool's first ask also imports what it needs
        ask = TOOLS[who](Size(**{what: int(size)}))
        before, began = _memory(), time.process_time()
        ask()
        found = {"ask": time.process_time() - began, "more_mb": _memory() - before}
    return {name: round(value, 6) for name, value in {**found, "mb": _memory()}.items()}


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
