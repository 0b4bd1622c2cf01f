"""Stores taken elsewhere: one study as a file of its own, or everything as a back-up."""
