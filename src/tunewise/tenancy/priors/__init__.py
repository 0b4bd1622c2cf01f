"""What is believed of a new user before anything is measured, learned from the logs of others."""
