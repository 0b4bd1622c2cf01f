"""Trainings: the examples of a task as data, one training as a job, and who trains what next."""

from tunewise.declarative.training.dataset import Dataset, load_dataset

__all__ = ["Dataset", "load_dataset"]
