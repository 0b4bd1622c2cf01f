"""What people look at: curves, tables, pages.

Each chart is computed first (a function from problem and history to frozen data) and drawn then
(from that data to a plotly figure). Nothing here imports plotly or rich before it is used.
"""

__all__ = [
    "cno",
    "cno_section",
    "curves",
    "failures",
    "feasibility",
    "format",
    "importance",
    "ladder",
    "mean_curves",
    "measures",
    "overview",
    "pace",
    "page",
    "race",
    "race_page",
    "savings",
    "slices",
    "standing",
    "table",
    "text",
    "trials",
    "variants",
    "what_if",
    "what_if_page",
]
