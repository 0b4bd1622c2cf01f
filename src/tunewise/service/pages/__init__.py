"""The pages: each is a view model, made from the store, and a template that shows it.

Pages only look. What a button does, it does by the API; then the part of the page that shows it is
asked for again. Nothing is fetched from anywhere else, and no script or style stands in a page.
"""

from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

from fastapi import APIRouter

if TYPE_CHECKING:
    from tunewise.service.context import Context

__all__ = ["prepare", "router"]


def router() -> APIRouter:
    """All pages, and the files that they need."""
    from tunewise.service.pages.routes import admin, home, live, studies, tasks, trainings
    from tunewise.service.pages.static import router as static

    pages = APIRouter(include_in_schema=False)
    pages.include_router(static)
    for each in (live, home, studies, trainings, tasks, admin):
        pages.include_router(each.router)
    return pages


def prepare(here: "Context") -> None:
    """Do what the first visitors would wait for: templates at once, the rest meanwhile."""
    from tunewise.service.pages.render import environment
    from tunewise.service.pages.static import pack
    from tunewise.service.pages.views.looks import read_ahead

    templates = environment()
    for name in templates.list_templates():
        templates.get_template(name)

    def meanwhile() -> None:
        for library in ("scipy.linalg", "scipy.special"):  # by which is said what is trained next
            import_module(library)
        pack()
        read_ahead(here.store, lambda: not here.stopping)

    Thread(target=meanwhile, name="tunewise-read-ahead", daemon=True).start()
