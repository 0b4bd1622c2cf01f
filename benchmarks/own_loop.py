"""A plain PyTorch loop on Fashion-MNIST that tunes its own loader: `python -m benchmarks.own_loop`.

Slow loader: each picture is decompressed, turned, stretched and scaled down by the processor, which
takes a little longer than a step of the network; nothing sleeps.
Fast loader: pictures are at hand, so that more processes only cost. Every fixed setting is run as
long as the self-tuned loop is, switches and tries included. Needs PyTorch and Debian's
`dataset-fashion-mnist`; run it on a quiet machine.
"""

import argparse
import gc
import gzip
import os
import time
import zlib
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.ndimage import affine_transform
from torch import nn
from torch.utils.data import DataLoader

from benchmarks import machine
from tunewise.online import Tuner
from tunewise.space import Config, Ordinal, Space

FOLDER = Path("/usr/share/datasets/fashion-mnist")
BATCH = 64
LARGER = 3
"""Pictures of a slow loader are so many times as wide and high before they are scaled down."""

SPACE = Space(
    Ordinal("loader_workers", [0, 1, 2]),
    Ordinal("prefetch", [2, 8]),
    Ordinal("threads", [1, 2]),
)
DEFAULT: Config = {"loader_workers": 0, "prefetch": 2, "threads": 2}
"""What `DataLoader(dataset)` and PyTorch do by themselves on two cores."""


class Pictures:
    """Clothes; where the loader is slow, large compressed ones that are turned and stretched."""

    def __init__(self, slow: bool, count: int = 20_000) -> None:
        """Read them."""
        with gzip.open(FOLDER / "train-images-idx3-ubyte.gz") as file:
            pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28)[:count]
        with gzip.open(FOLDER / "train-labels-idx1-ubyte.gz") as file:
            self._labels = np.frombuffer(file.read(), np.uint8, offset=8)[:count].astype(np.int64)
        self._slow = slow
        large = (each.repeat(LARGER, 0).repeat(LARGER, 1) for each in pixels)
        self._pictures = [zlib.compress(each.tobytes()) for each in large] if slow else None
        self._tensors = None if slow else torch.from_numpy(pixels.astype(np.float32) / 255)[:, None]

    def __len__(self) -> int:
        """How many."""
        return len(self._labels)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        """One picture with its label."""
        label = int(self._labels[index])
        if self._pictures is None:
            assert self._tensors is not None, "fast pictures are tensors"
            return self._tensors[index], label
        side = 28 * LARGER
        stored = np.frombuffer(zlib.decompress(self._pictures[index]), np.uint8)
        pixels = stored.reshape(side, side)
        angle, stretch = np.random.uniform(-0.2, 0.2), np.random.uniform(0.9, 1.1)  # noqa: NPY002 - the loader's own seed
        turn = stretch * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        middle = np.full(2, (side - 1) / 2)
        turned = affine_transform(
            pixels.astype(np.float32) / 255, turn, middle - turn @ middle, order=1
        )
        small = turned.reshape(28, LARGER, 28, LARGER).mean((1, 3))
        return torch.from_numpy(small)[None], label


@dataclass
class Loop:
    """A network and its optimiser, and the pictures they learn from."""

    pictures: Pictures
    seed: int

    def __post_init__(self) -> None:
        """Begin anew."""
        torch.manual_seed(self.seed)
        self.network = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 49, 10),
        )  # fmt: skip
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.05, momentum=0.9)

    def batches(self, setting: Config) -> Generator[Any, None, None]:
        """Batches without end, from a loader of a setting."""
        torch.set_num_threads(setting["threads"])
        workers = setting["loader_workers"]
        options = {"prefetch_factor": setting["prefetch"]} if workers else {}
        while True:
            yield from DataLoader(
                self.pictures, BATCH, shuffle=True, drop_last=True, num_workers=workers, **options
            )

    def step(self, batch: Any) -> float:
        """One update."""
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.network(batch[0]), batch[1])
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())


class Watch:
    """Seconds since it was made, and those of the processor, loaders that have ended included."""

    def __init__(self) -> None:
        """Begin."""
        self._began, self._used = time.perf_counter(), sum(os.times()[:4])

    def read(self) -> tuple[float, float]:
        """Both."""
        gc.collect()  # an iterator that is left ends its processes when it is collected
        return time.perf_counter() - self._began, sum(os.times()[:4]) - self._used


def fixed(pictures: Pictures, setting: Config, samples: int, seed: int) -> tuple[float, float]:
    """Seconds, and those of the processor, of a loop that never changes."""
    loop, done = Loop(pictures, seed), 0
    watch = Watch()
    batches = loop.batches(setting)
    for batch in batches:
        loop.step(batch)
        done += BATCH
        if done >= samples:
            break
    batches.close()
    return watch.read()


def tuned(pictures: Pictures, samples: int, seed: int) -> tuple[tuple[float, float], float, Tuner]:
    """Both seconds of a loop that tunes itself, those of the tuner itself, and the tuner."""
    loop, own = Loop(pictures, seed), 0.0
    watch = Watch()
    tuner = Tuner(SPACE, f"samples >= {samples}", default=DEFAULT, seed=seed)
    for setting in tuner:
        batches = loop.batches(setting)
        for batch in batches:
            loss = loop.step(batch)
            before = time.process_time()
            tuner.report(loss, samples=BATCH)
            own += time.process_time() - before
            if tuner.changed:
                break
        batches.close()
    return watch.read(), own, tuner


def main() -> None:
    """Run both cases, and print each figure as it comes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=40_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cases", default="slow,fast")
    asked = parser.parse_args()
    print(machine.described() + "\n")
    for case in asked.cases.split(","):
        measure(case, asked.samples if case == "slow" else 3 * asked.samples, asked.seeds)


def measure(case: str, samples: int, seeds: int) -> None:
    """Every fixed setting once, then the default and the best one beside each self-tuned loop.

    The default runs before and after it: machines that others share wander by a third in a minute.
    """
    pictures = Pictures(slow=case == "slow")
    alone = {}
    for setting in SPACE.configs:
        if setting["loader_workers"] == 0 and setting["prefetch"] != 2:
            continue  # nothing is fetched ahead
        key = SPACE.key(setting)
        alone[key] = 3 * fixed(pictures, setting, samples // 3, 0)[0]
        print(f"{case} {setting}: {alone[key]:.1f} s (from a third of it)", flush=True)
    best = next(c for c in SPACE.configs if SPACE.key(c) == min(alone, key=lambda k: alone[k]))
    ratios = []
    for seed in range(seeds):
        before, leader = (fixed(pictures, each, samples, seed) for each in (DEFAULT, best))
        (seconds, used), own, tuner = tuned(pictures, samples, seed)
        after = fixed(pictures, DEFAULT, samples, seed)
        default, busy = ((one + other) / 2 for one, other in zip(before, after, strict=True))
        ratios.append((default / seconds, seconds / leader[0], used / busy, own / used))
        print(
            f"{case} seed {seed}: default {default:.1f} s ({busy:.1f} of the processor), best"
            f" {best} {leader[0]:.1f} s ({leader[1]:.1f}), self-tuned {seconds:.1f} s ({used:.1f};"
            f" ended with {tuner.setting}, {len(tuner.switches)} stretches, tuner {own:.2f} s)",
            flush=True,
        )
    middle = np.median(np.array(ratios), axis=0)
    print(
        f"{case}: {middle[0]:.2f}x faster than the default, {middle[1]:.2f}x the best; of the"
        f" processor {middle[2]:.2f}x the default, tuner {middle[3]:.1%} (medians of {seeds})\n",
        flush=True,
    )


if __name__ == "__main__":
    main()
