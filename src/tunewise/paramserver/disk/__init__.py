"""What a parameter server keeps on disk: its checkpoints, and rows that memory does not hold."""
