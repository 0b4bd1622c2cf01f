"""Tuning a training while it runs: what is left of it, which setting ends it soonest.

A training is anything that runs iterations under a setting and can change to another one. The tuner
never asks a person to rewrite it: it is told of iterations, and says when to change.
"""

from tunewise.execution.training.reconfigurable import Iteration, Reconfigurable, Switch
from tunewise.online.follow import follow
from tunewise.online.loader import change_loader
from tunewise.online.record.reader import Reader
from tunewise.online.tuner import Tuner
from tunewise.online.until import Until

__all__ = [
    "Iteration",
    "Reader",
    "Reconfigurable",
    "Switch",
    "Tuner",
    "Until",
    "change_loader",
    "follow",
]
