"""What a service takes: load, live events."""
