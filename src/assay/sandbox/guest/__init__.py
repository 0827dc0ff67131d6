"""Inside a guest: one function over the rows of its tables."""
