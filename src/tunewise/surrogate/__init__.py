"""What is believed about one metric over (config, fraction).

The Gaussian process lives in `tunewise.surrogate.gaussian_process` and is looked up by name, so
that importing this room stays light.
"""

from tunewise.surrogate.fantasy import Fantasy
from tunewise.surrogate.normal import Array, Normal
from tunewise.surrogate.surrogate import Surrogate

__all__ = ["Array", "Fantasy", "Normal", "Surrogate"]
