"""The study of a job file: what a run of it would do, and how it is begun, resumed and joined."""
