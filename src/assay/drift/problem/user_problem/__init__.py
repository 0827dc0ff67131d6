"""A problem from a user's own event log, documents and known causes."""
