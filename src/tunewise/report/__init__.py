"""What people look at: curves, tables, pages.

Each chart is computed first (a function from problem and history to frozen data) and drawn then
(from that data to a plotly figure). Nothing here imports plotly or rich before it is used.
"""

__all__ = [
    "charts",
    "failures",
    "gallery",
    "layout",
    "listing",
    "overview",
    "page",
    "race",
    "rows",
    "sections",
    "standing",
    "table",
    "text",
    "what_if",
]
