"""A service from afar: the same methods by HTTP, with Python's standard library."""

from tunewise.service.client.client import Client
from tunewise.service.client.task import RemoteTask

__all__ = ["Client", "RemoteTask"]
