"""What people see in a terminal, as rich renderables; nothing here prints by itself."""
