"""What an ensemble of trees is made of: how it is grown, and what an observation changes."""
