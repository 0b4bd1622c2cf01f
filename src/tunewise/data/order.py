"""A random order of items that is the same on every machine: by hashes, in whole numbers."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def by_place(count: int, seed: int) -> npt.NDArray[np.uint64]:
    """One hash per item, from its place and the seed: SplitMix64, which is made for counters."""
    start = np.uint64(by_name([f"seed {seed}"], 0)[0])
    with np.errstate(over="ignore"):  # arithmetic modulo 2**64 is what is meant
        state = start + np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
        for factor, shift in zip(_MIX, _SHIFTS, strict=False):
            state = (state ^ (state >> shift)) * factor
    return state ^ (state >> _SHIFTS[2])


def by_name(names: Iterable[str], seed: int) -> npt.NDArray[np.uint64]:
    """One hash per name: it stays when the list is in another order, or has other names too."""
    key = f"{seed}\n"
    # File names that are no UTF-8 come with lone surrogates, which are hashed as they are.
    digests = [
        hashlib.blake2b((key + name).encode(errors="surrogatepass"), digest_size=8).digest()
        for name in names
    ]
    if not digests:
        return np.empty(0, dtype=np.uint64)
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)


def ranks(hashes: Sequence[int] | npt.NDArray[np.uint64]) -> npt.NDArray[np.intp]:
    """Places in the order of the hashes; of equal ones the first comes first."""
    return np.argsort(np.asarray(hashes, dtype=np.uint64), kind="stable")
