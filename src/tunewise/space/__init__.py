"""What may be chosen: parameters, configs, encodings, the cloud catalogue and its prices."""

from tunewise.space.billing import Billing
from tunewise.space.listed import Choice, Ordinal
from tunewise.space.numeric import Integer, Real
from tunewise.space.parameter import Config, Parameter
from tunewise.space.space import Space

__all__ = ["Billing", "Choice", "Config", "Integer", "Ordinal", "Parameter", "Real", "Space"]
