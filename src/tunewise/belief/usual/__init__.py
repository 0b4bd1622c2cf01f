"""What is usual of metrics before anything is measured: what data adds, where the best lies."""
