"""What `tunewise train` does: run, show, and leave a page."""
