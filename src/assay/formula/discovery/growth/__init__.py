"""Formulas that grow and change, a term at a time."""
