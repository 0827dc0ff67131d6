"""Formulas found from data: stages that propose, fit, prune and choose."""
