"""Counts the studies that are the same under every kernel: python -m tests.kernels.agreement 20."""

import sys
from collections import Counter

from tests.kernels.kernels import Kernel, kernels
from tests.kernels.studies import names, run

TRIALS = 14


def main(seeds: int) -> None:
    """Run them all under this machine's own kernel and under each other one, and compare."""
    studies = names(seeds)
    expected = run(Kernel("own"), {name: [] for name in studies}, TRIALS)
    for kernel in kernels():
        found = run(kernel, {name: [] for name in studies}, TRIALS)
        other = Counter(name.split()[0] for name in studies if found[name] != expected[name])
        same = len(studies) - other.total()
        print(f"{kernel.name}: {same} of {len(studies)} studies are the same", dict(other))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
