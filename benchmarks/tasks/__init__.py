"""Declared tasks, measured: what they learn, how quickly, how honestly, and how they end."""
