"""The parameter server on a real cluster: servers, workers and their clock as Ray actors.

Needs the extra `tunewise[ray]`. The protocol is that of the simulation: the same servers, the same
workers, the same clock rule; only who carries the messages differs.
"""

from tunewise.errors import optional

optional("ray", "ray")  # said in a sentence before the modules below import it

from tunewise.paramserver.cluster.training import RayCluster  # noqa: E402 - after that sentence

__all__ = ["RayCluster"]
