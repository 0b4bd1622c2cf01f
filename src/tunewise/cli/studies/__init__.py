"""Commands about studies that are stored already."""
