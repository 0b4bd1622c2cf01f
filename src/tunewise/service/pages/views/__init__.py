"""View models: plain data that a template shows, made from the store and tested without HTTP."""

__all__: list[str] = []
