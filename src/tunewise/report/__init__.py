"""What people look at: curves, tables, pages.

Each chart is computed first (a function from problem and history to frozen data) and drawn then
(from that data to a plotly figure). A page is a table of sections (`page.SECTIONS`), each a
function of the study. Nothing here imports plotly or rich before it is used.
"""

__all__ = [
    "charts",
    "failures",
    "layout",
    "listing",
    "overview",
    "page",
    "race",
    "sections",
    "standing",
    "table",
    "text",
    "what_if",
]
