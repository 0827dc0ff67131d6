"""Competitions: models of several subjects ranked under published rules."""
