"""Tokens of programs: made, shown once, listed, revoked."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query

from tunewise.errors import StudyError
from tunewise.service.accounts.secret import TOKEN, Secret
from tunewise.service.api.account_models import MadeToken, NewToken, TokenOf, TokenPage
from tunewise.service.api.models import Limit
from tunewise.service.api.paging import last
from tunewise.service.context import Context
from tunewise.service.problems import Problem
from tunewise.service.viewer import Here, Viewer, Who

router = APIRouter(tags=["tokens"])


@router.get("/tokens")
def list_tokens(
    here: Here, who: Who, after: Annotated[int, Query(ge=0, lt=2**31)] = 0, limit: Limit = 100
) -> TokenPage:
    """One's own tokens; an admin sees those of all members."""
    found = here.keys.tokens(who.namespace, _whose(who), after, limit)
    rows = [TokenOf(**asdict(row)) for row in found]
    return TokenPage(tokens=rows, next=last([row.number for row in rows], limit))


@router.post("/tokens", status_code=201)
def make_token(here: Here, who: Who, given: NewToken) -> MadeToken:
    """A token for a program; what makes it one is shown this once.

    One that is made with another token ends, and is revoked, with that one.
    """
    member = here.members.find(who.namespace, who.member)
    if member is None:
        raise Problem(409, "this service has no accounts, so programs need no token")
    if given.scope is not None:
        _refuse_unknown(here, who, given.scope)
    secret = Secret.new(TOKEN)
    seconds = None if given.days is None else given.days * 86400
    row = here.keys.add_token(
        secret.hash, member, given.name, secret.shown, given.scope, seconds, who.token
    )
    here.note(who, "token made", given.name)
    return MadeToken(**asdict(row), token=secret.text)


@router.delete("/tokens/{number}", status_code=204)
def revoke_token(here: Here, who: Who, number: Annotated[int, Path(ge=1, lt=2**31)]) -> None:
    """End a token at once."""
    if here.keys.revoke(who.namespace, number, _whose(who)) is None:
        raise Problem(404, f"there is no token {number}")
    here.bearers.forget()
    here.note(who, "token revoked", str(number))


def _whose(who: Viewer) -> str | None:
    return None if who.role == "admin" else who.member


def _refuse_unknown(here: Context, who: Viewer, scope: str) -> None:
    kind, _, name = scope.partition(":")
    if kind == "task":
        here.opened.task(who.namespace, name)
        return
    try:
        here.store.within(who.namespace).load(name)
    except StudyError as error:
        raise Problem(404, str(error)) from error
