"""What may be chosen: parameters, configs, encodings, the cloud catalogue and its prices."""

from tunewise.space.billing import Billing
from tunewise.space.catalogue import Catalogue
from tunewise.space.cluster import Cluster
from tunewise.space.fleet import Fleet
from tunewise.space.listed import Choice, Ordinal
from tunewise.space.numeric import Integer, Real
from tunewise.space.parameter import Config, Parameter
from tunewise.space.space import Space
from tunewise.space.vm import VM

__all__ = [
    "Billing",
    "Catalogue",
    "Choice",
    "Cluster",
    "Config",
    "Fleet",
    "Integer",
    "Ordinal",
    "Parameter",
    "Real",
    "Space",
    "VM",
]
