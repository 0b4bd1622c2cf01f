"""The pages: each is a view model, made from the store, and a template that shows it.

Pages only look. What a button does, it does by the API; then the part of the page that shows it is
asked for again. Nothing is fetched from anywhere else, and no script or style stands in a page.
"""

from fastapi import APIRouter

__all__ = ["router"]


def router() -> APIRouter:
    """All pages, and the files that they need."""
    from tunewise.service.pages.routes import admin, home, live, studies, tasks, trainings
    from tunewise.service.pages.static import router as static

    pages = APIRouter(include_in_schema=False)
    pages.include_router(static)
    for each in (live, home, studies, trainings, tasks, admin):
        pages.include_router(each.router)
    return pages
