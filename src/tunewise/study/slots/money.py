"""Money that is set aside for running trials: the same rule for every store."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tunewise.history import Trial
from tunewise.study.slots.slot import Slot
from tunewise.study.store import Allocation


def funded(
    slot: Slot, allocation: Allocation | None, trials: Iterable[Trial], held: Mapping[int, float]
) -> Slot:
    """The slot with its money, where it needs some.

    Args:
        slot: A trial that was given out; one that has ended needs nothing.
        allocation: What decides how much it gets.
        trials: All trials of the study, as they are in the transaction that gives this one out.
        held: What is set aside for those that run.
    """
    own = slot.trial.number
    if allocation is None or slot.owner is None or not slot.trial.state.pending:
        return slot
    every = [*(trial for trial in trials if trial.number != own), slot.trial]
    booked = math.fsum(trial.spent.get("cost", 0.0) for trial in every)
    others = [usd for number, usd in held.items() if number != own]
    free = max(allocation.budget - booked - math.fsum(others), 0.0)
    waiting = sum(usd <= 0 for usd in others)
    return replace(slot, held=min(max(allocation.take(slot.trial, free, waiting), 0.0), free))
