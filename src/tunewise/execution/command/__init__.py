"""Jobs that are commands: how arguments get into them, and how what they print is read."""
