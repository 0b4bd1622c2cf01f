"""The work behind `tunewise tune`: run, show, tell people and machines how it ended."""
