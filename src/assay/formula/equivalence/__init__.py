"""Equivalence: is a model the truth? Verdicts with certificates."""
