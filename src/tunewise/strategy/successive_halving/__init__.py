"""The other loop: many configs on little data, the best of them on more."""
