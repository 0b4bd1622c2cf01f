"""Trainings that tune themselves on a simulated cluster, against every setting run to its end."""
