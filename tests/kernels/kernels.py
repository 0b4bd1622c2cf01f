"""The kernels that numpy and OpenBLAS choose by the processor, chosen by hand instead.

Each computes the same numbers with other last digits. Names that are not known are ignored in
silence by both, so what really runs is looked up in a new process.
"""

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

_LOOK = """
import json, sys, numpy, scipy.linalg, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
found = {i["architecture"] for i in threadpoolctl.threadpool_info() if "openblas" in i["filepath"]}
used = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
json.dump({"openblas": sorted(found), "numpy": used}, sys.stdout)
"""

_OPENBLAS = {
    "SkylakeX": ("SkylakeX", "avx512f"),
    "Haswell": ("Haswell", "avx2"),
    "Sandybridge": ("Sandybridge", "avx"),
    # OpenBLAS calls the kernels for Prescott by the name of an older processor that shares them.
    "Prescott": ("Katmai", "sse3"),
}
"""What OpenBLAS then calls itself, and what the processor must have: it dies of it otherwise."""
_ALIASES = {"sse3": "pni"}


@dataclass(frozen=True)
class Kernel:
    """A choice of kernels: a name, and the variables that choose it before numpy is loaded."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """This process's variables and the kernel's."""
        return {**os.environ, "OMP_NUM_THREADS": "1", **self.variables}

    def missed(self, runs: dict[str, list[str]]) -> str:
        """What runs (see `in_use`) that was not asked for, in a sentence; empty for nothing."""
        wanted = self.variables.get("OPENBLAS_CORETYPE")
        if wanted and runs["openblas"] != [_OPENBLAS[wanted][0]]:
            return f"OpenBLAS was asked for {wanted} and runs {runs['openblas']}"
        disabled = self.variables.get("NPY_DISABLE_CPU_FEATURES", "").split()
        kept = sorted(set(disabled).intersection(runs["numpy"]))
        return f"numpy was asked to do without {kept} and uses them" if kept else ""


def in_use(variables: dict[str, str] | None = None) -> dict[str, list[str]]:
    """What a new process with these variables runs, of OpenBLAS and of numpy."""
    environment = {**os.environ, **(variables or {})}
    command = [sys.executable, "-c", _LOOK]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(told.stdout))


@cache
def kernels() -> list[Kernel]:
    """All kernels that this machine can run; the last is numpy's and OpenBLAS's most modest."""
    own = in_use()
    if platform.machine() != "x86_64" or not own["openblas"]:
        return []
    flags = set(Path("/proc/cpuinfo").read_text().split())
    chosen = [
        Kernel(name, {"OPENBLAS_CORETYPE": name})
        for name, (_, needed) in _OPENBLAS.items()
        if _ALIASES.get(needed, needed) in flags
    ]
    # One feature alone would leave numpy with the larger ones.
    plain = {"NPY_DISABLE_CPU_FEATURES": " ".join(own["numpy"])}
    return [*chosen[:-1], Kernel("Prescott, plain numpy", {**chosen[-1].variables, **plain})]


def others() -> list[Kernel]:
    """Those that differ from what this machine chooses by itself, which every test run uses."""
    own = in_use()["openblas"]
    return [
        kernel
        for kernel in kernels()
        if len(kernel.variables) > 1 or [_OPENBLAS[kernel.name][0]] != own
    ]
