"""Tells equal pairs of one file apart: rows of a table are examples, a copy of a file adds none.

Each pair is known by its content and by how many equal ones its file, or call, had before. So a
table keeps how often each of its rows occurs, and the same file fed again adds nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tunewise.declarative.examples.checking import Checked, checksum
from tunewise.declarative.examples.raw import Refused

COPIES = 3
"""Equal pairs of one file that may be copies of each other, so they are in one part of the data.
More of them are a cell of a table: each further one is put into a part by itself. Were they put
there by the dozen, a quality would be less sure than its interval says."""


def numbered(
    pairs: Iterable[Checked | Refused], *, call: bool = False
) -> Iterator[Checked | Refused]:
    """The pairs with checksums that tell equal ones apart; those of a call are all of one feed."""
    seen: Counter[str] = Counter()
    file = ""
    for pair in pairs:
        if isinstance(pair, Refused):
            yield pair
            continue
        own = "" if call else pair.where.rpartition(":")[0] or pair.where
        if own != file:
            file, seen = own, Counter()
        nth = max(seen[pair.content], pair.nth)
        seen[pair.content] += 1
        yield _nth(pair, nth)


def _nth(pair: Checked, nth: int) -> Checked:
    if nth == 0:
        return pair
    key = pair.key if nth < COPIES else checksum([pair.key, nth])
    return replace(pair, key=key, content=checksum([pair.content, nth]))
