"""What is measured of a race: how soon, how good and how cheap, and whether claims came true."""
