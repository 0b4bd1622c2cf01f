"""What may be chosen: parameters, configs, encodings, the cloud catalogue and its prices."""

from tunewise.space.cloud.billing import Billing
from tunewise.space.cloud.catalogue import Catalogue
from tunewise.space.cloud.fleet import Fleet
from tunewise.space.cloud.vm import VM
from tunewise.space.cluster import Cluster
from tunewise.space.listed import Choice, Ordinal
from tunewise.space.numeric import Integer, Real
from tunewise.space.parameter import Config, Parameter
from tunewise.space.space import Space

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
