"""The sections of a study's page: each is a function of the page's subject that returns its part.

A new section is a function here and a line in `page.SECTIONS`. It computes nothing that a terminal
or a notebook could want too: that is in the modules of `report`, and a section only shows it.
"""

__all__: list[str] = []
