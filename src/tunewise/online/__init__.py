"""Tuning a training while it runs."""
