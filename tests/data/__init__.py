"""Small tables that ship with the tests, and what made them."""
