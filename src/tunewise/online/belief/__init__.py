"""What is believed about the settings of a training, and about what is left of it."""
