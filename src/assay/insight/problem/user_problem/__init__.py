"""A problem from a user's own tables: reading, times, split, and the experts' columns."""
