"""The driver of a run: what is missing in the store is handed to a runner, and what comes back is stored."""
