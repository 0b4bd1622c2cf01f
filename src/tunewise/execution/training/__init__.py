"""Trainings whose setting may change while they run."""
