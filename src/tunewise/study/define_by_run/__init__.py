"""Studies without a space: trainings say what may be chosen while they run.

A training asks for `trial.suggest_float("rate", 1e-5, 1e-1, log=True)`. The first trial finds no
such parameter in its config: it draws a value, and notes it in its folder (`found.py`). When it
is told, the space grows by what was found (`growth.py`), and the trial counts as one of the new
space (`discovery.py`).
"""
