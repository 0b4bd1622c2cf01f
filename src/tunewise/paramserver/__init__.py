"""The training system that `online` tunes: servers, workers, consistency, relocation."""
