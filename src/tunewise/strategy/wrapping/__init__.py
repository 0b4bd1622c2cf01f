"""Strategies around strategies: what they are not asked to change they pass on."""
