"""What lists and pages ask a store for: counted by the database, without reading every trial."""
