"""The parameter server on a real cluster: servers, workers and their clock as Ray actors.

Needs the extra `tunewise[ray]`. The protocol is that of the simulation: the same servers, the same
workers, the same clock rule; only who carries the messages differs.
"""

from tunewise.paramserver.cluster.training import RayCluster

__all__ = ["RayCluster"]
