"""What the API takes and gives about people and tenants, as types."""

from typing import Literal

from pydantic import BaseModel, Field

from tunewise.service.api.models import Given
from tunewise.service.problems import MEMBER, SCOPE, TENANT

RoleName = Literal["admin", "member", "viewer"]


class SignIn(Given):
    """A member's name, after the tenant's and a slash unless it is "local", and the password."""

    name: str = Field(min_length=1, max_length=201)
    password: str = Field(min_length=1, max_length=1000)


class SessionOf(BaseModel):
    """Who is signed in."""

    member: str
    tenant: str
    role: str


class NewPassword(Given):
    """A member's own password, changed."""

    password: str = Field(min_length=1, max_length=1000)
    new: str = Field(min_length=1, max_length=1000)


class MemberOf(BaseModel):
    """A member of the tenant."""

    name: str
    role: str
    created_at: float


class MemberPage(BaseModel):
    """Some members; `next` is what to ask after."""

    members: list[MemberOf]
    next: str | None


class NewRole(Given):
    """What a member may do from now on."""

    role: RoleName


class Invite(Given):
    """Whom to let in."""

    role: RoleName = "member"
    days: float = Field(7.0, gt=0, le=90)


class Invitation(BaseModel):
    """A link that lets one person in; it is shown once."""

    link: str
    role: str


class InvitedOf(BaseModel):
    """An invitation that still holds, without its link."""

    id: str
    role: str
    by: str
    until: float


class InvitedPage(BaseModel):
    """The invitations that still hold, the newest first."""

    invitations: list[InvitedOf]


class Join(Given):
    """A new member's name and password."""

    name: str = Field(min_length=1, max_length=100, pattern=MEMBER)
    password: str = Field(min_length=1, max_length=1000)


class NewToken(Given):
    """A token to make."""

    name: str = Field(min_length=1, max_length=100)
    scope: str | None = Field(None, pattern=SCOPE)
    days: float | None = Field(90.0, gt=0, le=3650)


class TokenOf(BaseModel):
    """A token, without what makes it one."""

    number: int
    name: str
    member: str
    prefix: str
    scope: str | None
    created_at: float
    until: float | None
    used_at: float | None


class MadeToken(TokenOf):
    """A token with what makes it one: shown this once."""

    token: str


class TokenPage(BaseModel):
    """Some tokens; `next` is what to ask after."""

    tokens: list[TokenOf]
    next: int | None


class NewTenant(Given):
    """A tenant to add."""

    name: str = Field(min_length=1, max_length=100, pattern=TENANT)
    usd: float | None = Field(None, ge=0, le=1e12)
    seconds: float | None = Field(None, ge=0, le=1e12)
    bytes: float | None = Field(None, ge=0, le=1e18)


class Quotas(Given):
    """What a tenant may use; what is not said stays."""

    usd: float | None = Field(None, ge=0, le=1e12)
    seconds: float | None = Field(None, ge=0, le=1e12)
    bytes: float | None = Field(None, ge=0, le=1e18)
    weight: float = Field(1.0, gt=0, le=1000)


class TenantOf(BaseModel):
    """A tenant with what it may use and has used."""

    name: str
    created_at: float
    usd: float | None
    seconds: float | None
    bytes: float | None
    weight: float
    usd_spent: float
    seconds_spent: float


class TenantPage(BaseModel):
    """Some tenants; `next` is what to ask after."""

    tenants: list[TenantOf]
    next: str | None


class EntryOf(BaseModel):
    """Something that somebody did."""

    number: int
    at: float
    member: str
    action: str
    subject: str


class EntryPage(BaseModel):
    """Some entries, the newest first; `next` is what to ask before."""

    entries: list[EntryOf]
    next: int | None
