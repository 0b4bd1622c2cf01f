"""Job files of trainings that are tuned while they run: what trains, and what may be changed."""
