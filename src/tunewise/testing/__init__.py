"""Conformance suites for third parties: inherit from them and let pytest run them."""
