"""Which model serves, and how good it is: corrected for having been chosen."""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tunewise.declarative.examples import Files
from tunewise.declarative.quality import (
    Confusion,
    Losses,
    Quality,
    at_best,
    confusion,
    interval,
    never_found,
    optimism,
)
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
        confusion: What it takes for what among the examples that are on.
    """

    card: Card
    quality: Quality
    confusion: Confusion = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """What a person should know before they rely on it; nothing where there is nothing."""
        return "; ".join(filter(None, (self.quality.verdict, never_found(self.confusion))))


@dataclass(frozen=True, eq=False)
class Measured:
    """What a model's answers to its validation examples were worth.

    Attributes:
        card: Of the model.
        keys: What the examples are known by.
        losses: Of its answers.
        told: Its answers where they are classes, else nothing.
    """

    card: Card
    keys: list[str]
    losses: Losses
    told: list[str]


def standing(
    cards: Sequence[Card],
    files: Files,
    on: Mapping[str, str | None],
    latency: float | None = None,
) -> Standing | None:
    """The best of these models on the examples that are on, with their labels; None without any.

    A model slower than the limit on latency, in seconds an answer, never serves.
    """
    fit = [c for c in cards if latency is None or c["latency"] <= latency]
    first = sorted(fit, key=lambda card: (-card["quality"], -card["version"]))[:MOST]
    measured = [_measured(files, card, on) for card in first]
    measured = [one for one in measured if len(one.losses)] or [
        _measured(files, card, None) for card in first
    ]
    if not measured:
        return None
    best = max(
        measured,
        key=lambda one: (one.losses.value, one.card["version"], -one.card["latency"]),
    )
    card, losses = best.card, best.losses
    rivals = [one for one in measured if one.card["version"] == card["version"]]
    luck = optimism(rivals.index(best), _aligned(best.keys, rivals))
    value = max(losses.value - luck, 0.0)
    # Both are unsure: luck may have been none, and more examples may have helped.
    low, high = interval(losses, value)[0], at_best(interval(losses)[1], card.get("grown", 1.0))
    baseline, usual = _without_model(best, on)
    told = card["measure"], len(losses), losses.value - value, usual
    quality = Quality(value, low, high, baseline, *told)
    given = [on.get(key) or "" for key in best.keys]
    return Standing(card, quality, confusion(given, best.told) if best.told else {})


def _without_model(best: Measured, on: Mapping[str, str | None]) -> tuple[float, str]:
    """The quality of always answering the most frequent class, and which that is.

    Both of the examples that are on now: a refine may have changed them.
    """
    labels = Counter(on.values())
    if best.card["measure"] != "accuracy" or not labels or None in labels:
        return best.card["baseline"], ""
    usual = min(labels, key=lambda label: (-labels[label], str(label)))
    return sum(on.get(key) == usual for key in best.keys) / max(len(best.keys), 1), str(usual)


def _aligned(keys: Sequence[str], rivals: Sequence[Measured]) -> Any:
    """Losses of all on the same examples in the same order."""
    common = set(keys).intersection(*(set(each.keys) for each in rivals))
    aligned = []
    for each in rivals:
        place = {key: at for at, key in enumerate(each.keys)}
        aligned.append(each.losses.at([place[key] for key in keys if key in common]))
    return aligned


def _measured(files: Files, card: Card, on: Mapping[str, str | None] | None) -> Measured:
    """What a model measured on those of its validation examples that are still on."""
    try:
        with np.load(io.BytesIO(files.get(card["losses"])), allow_pickle=False) as found:
            keys = [row.tobytes().hex() for row in found["keys"]]
            loss, base = found["loss"].astype(float), found["base"].astype(float)
            told = found["names"][found["told"]] if "told" in found else None
    except (ValueError, KeyError, IndexError, OSError) as error:
        raise TaskError(f"what {card['model']} measured is damaged ({error!s:.80})") from error
    wanted = [at for at, key in enumerate(keys) if on is None or key in on]
    answers = [] if told is None else [str(told[at]) for at in wanted]
    return Measured(card, [keys[at] for at in wanted], Losses(loss, base).at(wanted), answers)
