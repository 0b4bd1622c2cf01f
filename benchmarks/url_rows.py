"""A LIBSVM file as large as the malicious-URL set: `python -m benchmarks.url_rows rows.svm`.

Binary features, a few popular and very many rare ones, as `paramserver.data.url_like` makes
them; written in blocks, so that it needs little memory whatever its size.
"""

import argparse
from pathlib import Path

import numpy as np

_BLOCK = 20_000


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=2_400_000)
    parser.add_argument("--features", type=int, default=3_200_000)
    parser.add_argument("--per-row", type=int, default=115)
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args()
    rng = np.random.default_rng(told.seed)
    truth = rng.standard_normal(told.features)
    with told.file.open("w", encoding="ascii") as file:
        for start in range(0, told.rows, _BLOCK):
            file.writelines(_lines(min(_BLOCK, told.rows - start), told.per_row, truth, rng))


def _lines(rows: int, per_row: int, truth: np.ndarray, rng: np.random.Generator) -> list[str]:
    count = rng.poisson(per_row - 1, rows) + 1
    # Log-uniform over the keys: popularity falls as one over the rank.
    drawn = np.exp(rng.uniform(0, np.log(len(truth) + 1), int(count.sum()))).astype(np.int64)
    lines = []
    for keys in np.split(np.minimum(drawn, len(truth)), np.cumsum(count)[:-1]):
        own = np.unique(keys)
        margin = 4 * truth[own - 1].sum() / np.sqrt(len(own)) + 0.5 * rng.logistic()
        words = ":1 ".join(map(str, own.tolist()))
        lines.append(f"{1 if margin > 0 else -1} {words}:1\n")
    return lines


if __name__ == "__main__":
    main()
