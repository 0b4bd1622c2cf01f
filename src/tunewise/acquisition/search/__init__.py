"""Where candidates come from in spaces too large to list: climbs from the best of a pool."""
