"""Addresses under which others reach the service."""

from starlette.requests import Request

from tunewise.service.context import Context


def address(request: Request, here: Context) -> str:
    """As the operator said, or as whoever asks called it."""
    return here.settings.address or str(request.base_url).rstrip("/")
