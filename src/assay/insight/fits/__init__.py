"""Model fits: each distinct one is done once."""
