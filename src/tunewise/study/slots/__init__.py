"""What may happen to a trial that a store keeps, and to its money: the same for every store."""
