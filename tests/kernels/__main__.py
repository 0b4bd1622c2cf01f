"""Runs the tests of the numeric rooms under other kernels: python -m tests.kernels."""

import os
import subprocess
import sys
import time

from tests.kernels.kernels import in_use, others

NUMERIC = [
    *("tests/surrogate", "tests/belief", "tests/acquisition", "tests/filtering", "tests/strategy"),
    *("tests/test_history.py", "tests/test_problem.py"),
]
ELSEWHERE = ["tests/strategy/test_conformance.py"]
"""Long, and covered: every strategy is resumed under another kernel by `test_resume`."""
SAMPLE = ["tests/surrogate", "tests/belief", "tests/strategy/test_by_hand.py"]
"""What the kernels between the most modest one, which runs all, and this machine's own run."""
QUICK = "not (mcmc or Mcmc or Literal or Entropy)"
"""Without what is slow and teaches nothing here."""


def main(words: list[str]) -> int:
    """Run them all, saying how long each took; the first that fails ends it."""
    found = others()
    if not found:
        print("kernels: neither OpenBLAS nor an x86-64 processor is here, so there is one kernel")
    for kernel in found:
        if missed := kernel.missed(in_use(kernel.variables)):
            sys.exit(f"kernels: {missed}")
        began, before = time.monotonic(), os.times()
        pytest = [sys.executable, "-m", "pytest", "-q", "--no-header", "-k", QUICK]
        pytest += [f"--ignore={path}" for path in ELSEWHERE]
        pytest += ["-p", "no:cacheprovider", *words]
        pytest += NUMERIC if kernel == found[-1] else SAMPLE
        environment = {**kernel.environment(), "TUNEWISE_EXAMPLES": "10"}
        done = subprocess.run(pytest, env=environment, capture_output=True, text=True)
        worked = os.times().children_user - before.children_user
        spent = f"{time.monotonic() - began:.0f} s, {worked:.0f} s of a processor"
        print(f"kernels: {kernel.name} ({spent}): {done.stdout.splitlines()[-1]}", flush=True)
        if done.returncode:
            print(done.stdout, done.stderr)
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
