"""The pages: each is a view model, made from the store, and a template that shows it.

Pages only look. What a button does, it does by the API; then the part of the page that shows it is
asked for again. Nothing is fetched from anywhere else, and no script or style stands in a page.
"""

from fastapi import APIRouter

__all__ = ["router"]


def router() -> APIRouter:
    """All pages, and the files that they need."""
    from tunewise.service.pages.routes import admin, home, studies, tasks, trainings
    from tunewise.service.pages.static import router as static

    pages = APIRouter(include_in_schema=False)
    for part in (static, home.router, studies.router, trainings.router, tasks.router, admin.router):
        pages.include_router(part)
    return pages
