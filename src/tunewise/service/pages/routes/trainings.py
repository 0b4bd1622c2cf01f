"""Pages to come."""

from fastapi import APIRouter

from tunewise.service.pages.render import PageRoute

router = APIRouter(route_class=PageRoute)
