"""How long `import tunewise` and `tunewise --help` take: the best of several new processes."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import machine


def main() -> None:
    """Print a table for benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    python = [sys.executable, "-c"]
    command = str(Path(sys.executable).with_name("tunewise"))
    nothing = best([*python, "pass"], runs)
    print(machine.described() + "\n")
    print("| what | seconds | of which Python itself |\n|---|---|---|")
    print(f"| `import tunewise` | {best([*python, 'import tunewise'], runs):.2f} | {nothing:.2f} |")
    print(f"| `tunewise --help` | {best([command, '--help'], runs):.2f} | {nothing:.2f} |")


def best(command: list[str], runs: int) -> float:
    """The shortest wall time of a command."""
    return min(_seconds(command) for _ in range(runs))


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
