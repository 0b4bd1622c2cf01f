"""Serve: one process to start, a page to look at, an API to script.

Everything that is asked for comes from the rooms before this one: the service looks things up by
the viewer's tenant, calls, and says the answer as JSON or as a page. Training happens in worker
processes, never in threads of the server. All writes go through `api/`; pages only look.
"""

from tunewise.service.context import Context

__all__ = ["Context"]
