"""How a service runs: one process that looks after others, and starts again what dies.

API processes share one socket. Models are trained, and submitted job files run, in processes of
their own. When the first process ends, so do all.
"""

from tunewise.service.running.plan import Plan
from tunewise.service.running.supervisor import serve

__all__ = ["Plan", "serve"]
