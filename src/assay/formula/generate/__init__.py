"""Seeded generators of problems with known truth."""
