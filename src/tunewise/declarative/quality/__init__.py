"""How good a model is: a number from 0 to 1 with an interval, beside what needs no model at all.

Each example of the validation part has a loss, and a base: the loss of knowing nothing. Quality is
1 - sum(loss) / sum(base). For classes the loss is 1 for a wrong answer and the base is 1, so that
quality is the accuracy; for numbers and tensors both are squared errors, the base those of the
training part's mean, so that it is R².
"""

from tunewise.declarative.quality.choice import optimism
from tunewise.declarative.quality.confusion import Confusion, confusion, never_found, recalls
from tunewise.declarative.quality.curve import at_best
from tunewise.declarative.quality.intervals import interval
from tunewise.declarative.quality.losses import Losses, baseline, losses
from tunewise.declarative.quality.quality import Quality

__all__ = [
    "Confusion",
    "Losses",
    "Quality",
    "at_best",
    "baseline",
    "confusion",
    "interval",
    "losses",
    "never_found",
    "optimism",
    "recalls",
]
