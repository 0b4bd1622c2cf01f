"""scikit-learn: a search over an estimator's parameters that learns from slices of the data.

Needs the extra `tunewise[sklearn]`.
"""

from tunewise.errors import optional

optional("sklearn", "sklearn")

from tunewise.integrations.sklearn.search import (  # noqa: E402 - its absence has a sentence
    TunewiseSearchCV,
)

__all__ = ["TunewiseSearchCV"]
