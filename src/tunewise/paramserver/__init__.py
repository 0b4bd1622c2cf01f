"""The training system that `online` tunes: servers, workers, consistency, relocation.

Servers and workers are plain objects that neither send nor wait: whoever runs them, a simulation or
a real cluster, carries their messages. Nothing here decides which setting is good.
"""

from tunewise.paramserver.data import Dataset, dense, url_like
from tunewise.paramserver.linear import Logistic, Svm
from tunewise.paramserver.machine import Machines
from tunewise.paramserver.setting import Setting
from tunewise.paramserver.simulation import Simulation
from tunewise.paramserver.training import Training

__all__ = [
    "Dataset",
    "Logistic",
    "Machines",
    "Setting",
    "Simulation",
    "Svm",
    "Training",
    "dense",
    "url_like",
]
