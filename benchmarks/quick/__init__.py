"""A quick race against today's tools on problems that need no download: `make bench-quick`."""
