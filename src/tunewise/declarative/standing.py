"""Which model serves, and how good it is: corrected for having been chosen."""

import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunewise.declarative.examples import Files
from tunewise.declarative.quality import Losses, Quality, at_best, interval, optimism
from tunewise.errors import TaskError

MOST = 12
"""Models that are compared example by example: the others are far behind."""

Card = Mapping[str, Any]


@dataclass(frozen=True)
class Standing:
    """The best model so far.

    Attributes:
        card: All that is known of it.
        quality: What a user is told.
    """

    card: Card
    quality: Quality


def standing(
    cards: Sequence[Card], files: Files, on: Collection[str], latency: float | None = None
) -> Standing | None:
    """The best of these models on the examples that are on; None where there is none.

    A model slower than the limit on latency, in seconds an answer, never serves.
    """
    fit = [c for c in cards if latency is None or c["latency"] <= latency]
    first = sorted(fit, key=lambda card: (-card["quality"], -card["version"]))[:MOST]
    measured = [(card, *_losses(files, card, on)) for card in first]
    measured = [one for one in measured if len(one[2])] or [
        (card, *_losses(files, card, None)) for card in first
    ]
    if not measured:
        return None
    best = max(measured, key=lambda one: (one[2].value, one[0]["version"], -one[0]["latency"]))
    card, keys, losses = best
    rivals = [one for one in measured if one[0]["version"] == card["version"]]
    luck = optimism(rivals.index(best), _aligned(keys, rivals))
    value = max(losses.value - luck, 0.0)
    # Both are unsure: luck may have been none, and more examples may have helped.
    low, high = interval(losses, value)[0], at_best(interval(losses)[1], card.get("grown", 1.0))
    quality = Quality(
        value, low, high, card["baseline"], card["measure"], len(losses), losses.value - value
    )
    return Standing(card, quality)


def _aligned(keys: Sequence[bytes], rivals: Sequence[tuple[Card, list[bytes], Losses]]) -> Any:
    """Losses of all on the same examples in the same order."""
    common = set(keys).intersection(*(set(each[1]) for each in rivals))
    aligned = []
    for _, own, losses in rivals:
        place = {key: at for at, key in enumerate(own)}
        aligned.append(losses.at([place[key] for key in keys if key in common]))
    return aligned


def _losses(files: Files, card: Card, on: Collection[str] | None) -> tuple[list[bytes], Losses]:
    """The losses of a model on those of its validation examples that are still on."""
    try:
        with np.load(io.BytesIO(files.get(card["losses"])), allow_pickle=False) as found:
            keys = [row.tobytes() for row in found["keys"]]
            loss, base = found["loss"].astype(float), found["base"].astype(float)
    except (ValueError, KeyError, OSError) as error:
        raise TaskError(f"what {card['model']} measured is damaged ({error!s:.80})") from error
    wanted = [at for at, key in enumerate(keys) if on is None or key.hex() in on]
    return [keys[at] for at in wanted], Losses(loss, base).at(wanted)
