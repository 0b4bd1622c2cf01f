"""Today's tools on the same table, protocol and accounting as the project's own strategies."""
