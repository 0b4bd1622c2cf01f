"""The addresses of pages: each looks up what is asked for, and draws it."""

__all__: list[str] = []
