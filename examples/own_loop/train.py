"""A plain PyTorch loop that finds its own loader, threads, cores, batches and precision.

    pip install 'tunewise[torch]'
    python examples/own_loop/train.py --samples 200000

An update is always of 256 rows, whatever batches they come in: what is learned is the same, but for
the rounding of a lower precision.
"""

import argparse
import os
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import tunewise as tw

ROWS = 256
"""Rows of an update."""

SPACE = tw.Space(
    tw.Ordinal("loader_workers", [0, 1, 2]),
    tw.Ordinal("threads", [1, 2]),
    tw.Ordinal("cores", [1, 2]),  # that the process may run on
    tw.Ordinal("batch_size", [64, 256]),  # gradients of ROWS / batch_size batches accumulate
    tw.Choice("precision", ["float32", "bfloat16"]),
    tw.Choice("compiled", ["no", "yes"]),
    where=lambda setting: setting["threads"] <= setting["cores"],
)

DEFAULT = {
    "loader_workers": 0,
    "threads": 1,
    "cores": 2,
    "batch_size": 256,
    "precision": "float32",
    "compiled": "no",
}


def batches(data: Any, setting: dict[str, Any]) -> Any:
    """Batches without end."""
    while True:
        yield from DataLoader(
            data,
            setting["batch_size"],
            shuffle=True,
            drop_last=True,
            num_workers=setting["loader_workers"],
        )


def go_over(network: nn.Module, setting: dict[str, Any]) -> Any:
    """Make a setting hold in this process; the network as it is to be called."""
    torch.set_num_threads(setting["threads"])
    if hasattr(os, "sched_setaffinity"):  # Linux
        os.sched_setaffinity(0, ALLOWED[: setting["cores"]])
    return torch.compile(network) if setting["compiled"] == "yes" else network


def update(network: Any, optimizer: Any, rows: Any, setting: dict[str, Any]) -> float:
    """One update, from as many batches as make up its rows."""
    times = ROWS // setting["batch_size"]
    low = setting["precision"] == "bfloat16"
    optimizer.zero_grad()
    total = 0.0
    for _ in range(times):
        x, y = next(rows)
        with torch.autocast("cpu", torch.bfloat16, enabled=low):
            loss = nn.functional.cross_entropy(network(x), y) / times
        loss.backward()
        total += float(loss.detach())
    optimizer.step()
    return total


ALLOWED = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def main() -> None:
    """Train, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--no-compile", action="store_true", help="where there is no C++ compiler")
    asked = parser.parse_args()
    torch.manual_seed(0)
    x = torch.randn(20_000, 64)
    data = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())
    network = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 2))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    space = SPACE
    if asked.no_compile:
        space = tw.Space.of([each for each in SPACE.configs if each["compiled"] == "no"])
    tuner = tw.online.Tuner(space, until=f"samples >= {asked.samples}", default=DEFAULT)
    for setting in tuner:
        called, rows = go_over(network, setting), batches(data, setting)
        while True:
            tuner.report(loss=update(called, optimizer, rows, setting), samples=ROWS)
            if tuner.changed:  # or done
                break
    print(f"{tuner.setting}: {tuner.seconds:.1f} s; the first setting: {tuner.staying.mean:.1f} s")


if __name__ == "__main__":
    main()
