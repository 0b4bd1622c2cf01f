"""What people look at: curves, tables, pages.

Each chart is computed first (a function from problem and history to frozen data) and drawn then
(from that data to a plotly figure). Nothing here imports plotly or rich before it is used.
"""

__all__ = [
    "curves",
    "failures",
    "feasibility",
    "importance",
    "overview",
    "page",
    "race",
    "round_limits",
    "slices",
    "standing",
    "table",
    "text",
    "trials",
    "what_if",
    "what_if_page",
]
