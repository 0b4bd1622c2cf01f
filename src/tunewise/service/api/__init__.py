"""The API: one file a resource, JSON in and out; everything that changes something is here."""

from fastapi import APIRouter

__all__ = ["router"]


def router() -> APIRouter:
    """All routes of the API."""
    return APIRouter()
