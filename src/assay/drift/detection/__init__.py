"""Drift detection: where the behaviour of a process changes, and what changed."""
