"""Parts that only systems as published have."""
