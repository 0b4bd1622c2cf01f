"""One process's part in a study."""
