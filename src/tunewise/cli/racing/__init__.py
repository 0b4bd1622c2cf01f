"""The work behind `tunewise replay` and `tunewise collect`: races, and tables for them."""
