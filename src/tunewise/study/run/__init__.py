"""The parts of one run of a study: its settings, limits, reports, verdicts and end."""
