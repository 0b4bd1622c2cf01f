"""Makes the tables beside it: python -m tests.data.generate.

They resemble the measured tables in shape, columns and behaviour, so that a plain clone runs the
tests that need a table. Nothing in them was measured: facts that were published about the measured
tables hold there alone.

The numbers come from Python's own generator, whose stream is promised to stay the same, and are
rounded, so that every machine makes the same files.
"""

import math
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
PRICES = {"t2.small": 0.023, "t2.medium": 0.0464, "t2.xlarge": 0.1856, "t2.2xlarge": 0.3712}
CORES = {"t2.small": 1, "t2.medium": 2, "t2.xlarge": 4, "t2.2xlarge": 8}
COUNTS = {
    "t2.small": (8, 16, 32, 48, 64, 80),
    "t2.medium": (4, 8, 16, 24, 32, 40),
    "t2.xlarge": (2, 4, 8, 12, 16, 20),
    "t2.2xlarge": (1, 2, 4, 6, 8, 10),
}
RATES, BATCHES, MODES = (1e-05, 0.0001, 0.001), (16, 256), ("async", "sync")
FRACTIONS = (0.016667, 0.1, 0.25, 0.5, 1.0)
LONGEST = 600.0
"""Seconds after which a training is stopped."""


def tables() -> dict[str, str]:
    """The text of each file, by its name."""
    cnn = list(_cnn(random.Random(1)))
    full = [[*row[:5], *row[7:]] for row in cnn if row[5] == 1.0]
    named = "vm,vms,learning_rate,batch_size,mode"
    return {
        "cnn.csv": _text(f"{named},fraction,accuracy,time,cost", cnn),
        "cnn_full.csv": _text(f"{named},time,cost", full),
        "clusters.csv": _text("vm,vms,time,cost,completed", _clusters(random.Random(2))),
        "vms.csv": _text(
            "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region",
            _vms(random.Random(3)),
        ),
    }


def _cnn(rng: random.Random) -> Iterator[list[object]]:
    """A training on clusters: the parameters, the fraction, accuracy, seconds and USD."""
    for vm, rate, batch, mode in product(PRICES, RATES, BATCHES, MODES):
        for vms in COUNTS[vm]:
            noise, haste = rng.gauss(0, 0.1), rng.gauss(0, 0.05)
            for fraction in FRACTIONS:
                needed = _seconds(vm, vms, batch, mode) * fraction * math.exp(haste) + 3.0
                seconds = min(needed, LONGEST)
                seen = fraction * seconds / needed
                steps = math.log10(60_000 * seen / batch)
                logit = -1.0 + 0.9 * steps + 1.1 * math.log10(rate / 1e-5)
                logit -= 0.5 * (mode == "sync") - 0.25 * (batch == 256) * math.log10(rate / 1e-5)
                logit -= 0.02 * math.log2(vms) * (mode == "async") * (1 + math.log10(rate / 1e-5))
                accuracy = 1 / (1 + math.exp(-logit - noise - rng.gauss(0, 0.05)))
                usd = _hourly(vm, vms) * seconds / 3600
                told = [round(accuracy, 6), round(seconds, 4), round(usd, 8)]
                yield [vm, vms, rate, batch, mode, fraction, *told]


def _seconds(vm: str, vms: int, batch: int, mode: str) -> float:
    """All data, on a cluster that talks the more the more machines it has."""
    work = 24_000.0 * math.pow(16 / batch, 0.75)
    cores = CORES[vm] * vms
    talk = (2.0 if mode == "sync" else 0.8) * vms * math.sqrt(16 / batch)
    return work / math.pow(cores, 0.9) + talk


def _hourly(vm: str, vms: int) -> float:
    """A machine of the same type and one of the largest type help the workers."""
    return (vms + 1) * PRICES[vm] + PRICES["t2.2xlarge"]


def _clusters(rng: random.Random) -> Iterator[list[object]]:
    """A job of one kind on 69 clusters, of which those with little memory do not complete it."""
    sizes = {"large": 2, "xlarge": 4, "2xlarge": 8}
    for family, memory in (("c4", 1.875), ("m4", 4.0), ("r4", 7.625)):
        for size, cores in sizes.items():
            for vms in (4, 6, 8, 10, 12, 16, 20, 24)[: 8 if cores < 8 else 7]:
                price = {"c4": 0.0498, "m4": 0.05, "r4": 0.0665}[family] * cores * vms
                seconds = 40.0 + 60_000 / (cores * vms) ** 0.95 * math.exp(rng.gauss(0, 0.08))
                whole = memory * cores * vms >= 120
                seconds *= 1.0 if whole else 1.8
                usd = price * seconds / 3600
                yield [f"{family}.{size}", vms, round(seconds, 3), round(usd, 6), whole]


def _vms(rng: random.Random) -> Iterator[list[object]]:
    """A price list as SkyPilot keeps it: 120 types in two regions, some of them with a GPU."""
    for number, region in product(range(120), ("east-1", "west-2")):
        cores = 2 ** (number % 7)
        gpu = ["T4", 1 + number % 4] if number % 10 == 9 else ["", ""]
        price = 0.04 * cores + (0.5 * (1 + number % 4) if gpu[0] else 0.0)
        price *= 1 + 0.2 * rng.random()
        spot = round(price * 0.35, 5) if number % 3 else ""
        memory = cores * (2, 4, 8)[number % 3]
        yield [f"n{number}-{cores}", *gpu, cores, memory, round(price, 5), spot, region]


def _text(header: str, rows: Iterator[list[object]] | list[list[object]]) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


if __name__ == "__main__":
    for name, text in tables().items():
        (HERE / name).write_text(text)
