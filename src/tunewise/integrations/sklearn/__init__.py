"""scikit-learn: a search over an estimator's parameters that learns from slices of the data.

Needs the extra `tunewise[sklearn]`.
"""

from tunewise.integrations.sklearn.search import TunewiseSearchCV

__all__ = ["TunewiseSearchCV"]
