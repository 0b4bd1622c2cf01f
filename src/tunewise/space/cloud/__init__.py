"""What is rented: VM types with their sizes and prices, fleets of them, and how they are billed."""
