"""Who asks: a member of a tenant, with a role."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request

from tunewise.service.context import Context

Role = Literal["admin", "member", "viewer"]
LOCAL = "local"
"""The tenant of everything that commands and programs made without naming one."""


@dataclass(frozen=True)
class Viewer:
    """Who looks or changes something.

    Attributes:
        member: The person's name; empty for the one viewer of a service without accounts.
        tenant: Whose things are seen.
        role: "viewer" looks, "member" changes, "admin" says who may.
    """

    member: str
    tenant: str
    role: Role

    @property
    def namespace(self) -> str:
        """Under which the tenant's things lie in the store."""
        return "" if self.tenant == LOCAL else self.tenant

    @property
    def may_change(self) -> bool:
        """Whether the role changes anything."""
        return self.role != "viewer"


def context(request: Request) -> Context:
    """The context of the process."""
    found: Context = request.app.state.context
    return found


def viewer(request: Request) -> Viewer:
    """Who asks, as a dependency of a route."""
    here = context(request)
    return Viewer("", LOCAL, "viewer" if here.read_only else "admin")


Here = Annotated[Context, Depends(context)]
Who = Annotated[Viewer, Depends(viewer)]
