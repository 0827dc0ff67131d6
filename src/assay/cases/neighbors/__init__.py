"""Nearest cases: the case base, the space of comparison, exact and approximate search."""
